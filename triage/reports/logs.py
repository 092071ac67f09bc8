"""The logs that a report shows: quoted in blocks of code, or linked as files. All are analysed as one incident."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from triage import lazy
from triage.formats import samples
from triage.library.library import Library
from triage.model import Finding, Report, Source
from triage.pipeline import Options, analyze_sources
from triage.reports.document import Block, Document, texts
from triage.reports.links import inside, local, target
from triage.sources import open_inputs, open_text

# Blocks in these languages hold a program or its settings, no log; those of _SHELLS may hold what it printed.
_SHELLS = frozenset("python py pycon bash sh zsh fish powershell ps1 bat cmd".split())  # noqa: SIM905
_CODE = frozenset(
    """yaml yml toml ini cfg conf diff patch c cpp c++ cuda cu
    rust go java javascript js ts typescript sql dockerfile docker make makefile cmake html css mermaid markdown md
    jinja promql hcl terraform nix math latex tex plantuml dot graphviz""".split()  # noqa: SIM905 (one word a line is no help)
)
_LOGS = frozenset(("log", "logs", "dmesg", "kernel", "journal", "syslog", "traceback", "pytb", "stderr", "stdout"))
_LOG_FILE = lazy.pattern(
    r"(?i)\.(?:log|txt|out|err|jsonl|evtx|dmesg|trace|xml|csv)(?:\.\d{1,3})?(?:\.(?:gz|xz|bz2|zst))?$"
    r"|\.(?:tar|tgz|tar\.gz|zip)$"
)
_TRACEBACK = lazy.pattern(r"(?m)^(?:\[\w+\]:)?\s*Traceback \(most recent call last\):$")
_TITLE = lazy.pattern(r"\btitle=(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
_MOST = 64 << 20  # bytes of a linked file: larger ones are analysed once, not in each commit


@dataclass(slots=True)
class Quoted:
    """A log in the report: its name as a source, the line of its first line, whether its author calls it a log."""

    name: str
    line: int
    block: Block | None = None
    path: Path | None = None
    called_log: bool = False


@dataclass(slots=True)
class Shown:
    """All logs of a report, and what they say together. `report` is None where there is none."""

    quoted: list[Quoted] = field(default_factory=list)
    report: Report | None = None

    @property
    def findings(self) -> list[Finding]:
        """All findings, those of earlier incidents last."""
        return [*self.report.findings, *self.report.earlier] if self.report else []

    @property
    def causes(self) -> list[Finding]:
        """The root causes, the first one first."""
        return [found for found in self.findings if found.role == "cause"]

    def line(self, source: str, line: int) -> int:
        """The line of the report where a line of a source stands; 0 for a linked file."""
        one = next((quoted for quoted in self.quoted if quoted.name == source), None)
        return one.line + line - 1 if one is not None and one.block is not None else 0


def shown(document: Document, folder: Path, library: Library, zone: float | None = None) -> Shown:
    """What the logs of a report say. `folder` is where its links start."""
    made = Shown([*_blocks(document), *_files(document, folder)])
    if made.quoted:
        options = Options(zone=zone, show_all=True)
        made.report = analyze_sources(_sources(made.quoted), library, options)
    return made


def _sources(quoted: list[Quoted]) -> Iterator[Source]:
    for one in quoted:
        if one.block is not None:
            yield open_text(one.block.text, one.name)
        elif one.path is not None:
            for source in open_inputs([one.path]):
                source.name = one.name if source.name == str(one.path) else source.name
                yield source


def _blocks(document: Document) -> Iterator[Quoted]:
    texts: set[str] = set()
    names: set[str] = set()
    for block in document.fences():
        text = block.text.strip()
        if not text or text in texts or not is_log(block):
            continue
        texts.add(text)
        title = _TITLE.search(block.info)
        called = _language(block) in _LOGS or title is not None or _looks_like_log(block.text)
        name = next(filter(None, title.groups()), "") if title else ""
        if not name or name in names:
            name = f"{name} at line {block.inner}".strip() if name else f"log at line {block.inner}"
        names.add(name)
        yield Quoted(name, block.inner, block, called_log=called)


def is_log(block: Block) -> bool:
    """Whether a block of code is read as a log: not what is called a program, unless it shows what one printed."""
    language = _language(block)
    if language in _SHELLS:
        return bool(_TRACEBACK.search(block.text)) or _looks_like_log(block.text)
    return language not in _CODE


def _language(block: Block) -> str:
    """`log` of `log title="x"` and of `{.log #x}`, in lower case."""
    return block.info.split()[0].lower().strip("{}.") if block.info.strip() else ""


def _looks_like_log(text: str) -> bool:
    """Whether a format other than plain text takes half of the lines."""
    source = open_text(text, "block")
    block = next(source.blocks(), None) if source.readable else None
    if block is None:
        return False
    scores = samples.sniff(block.lines(0, min(block.count, 400)))
    return any(name != "text" and share >= 0.5 for name, share in scores)


def _files(document: Document, folder: Path) -> Iterator[Quoted]:
    named = texts(document.front.get("logs"))
    places = [(one, document.key_line("logs")) for one in named]
    places += [(target(span.href), span.line) for span in document.spans if span.href]
    seen: set[Path] = set()
    for name, line in places:
        path = local(name, folder)
        if path is None or not inside(path, folder) or path.resolve() in seen:
            continue
        folder_of_logs = name in named and path.is_dir()
        if folder_of_logs or (_LOG_FILE.search(name) and path.is_file() and path.stat().st_size <= _MOST):
            seen.add(path.resolve())
            yield Quoted(name, line, path=path, called_log=True)
