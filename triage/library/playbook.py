"""Reads playbooks: one Markdown page for each remedy, with front matter and steps (format: docs/library.md)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from triage import lazy
from triage.model import RISKS, Step

if TYPE_CHECKING:
    from triage.library.library import Problem

SECTIONS = ("Confirm", "Fix", "If it returns", "Do not", "Verify")
PLACES = ("host", "container", "linux", "windows", "login-node", "code")  # a host of any system, or of one
HEADER_LISTS = ("applies_to", "needs", "sources")
HEADER_TEXTS = ("id", "title", "title_zh", "summary_zh")
PLATFORMS = ("linux", "windows", "container", "kubernetes", "slurm", "any")

_TAG = lazy.pattern(r"^\[([^\]@]*?)\s*(?:@([^\]]*))?\]\s*")
_COMMAND = lazy.pattern(r"^`([^`]+)`$")
_BLANK = lazy.pattern(r"\{[a-z_][a-z0-9_|]*(?:-[0-9]+[smhd])?\}")
# What a shell would act on and an argument list does not; `<` and `>` also catch blanks written as <name>.
_SHELL = lazy.pattern(r"&&|\|\||[|;<>&`]|\$\(|\$\{?\w|(?<!\S)~|[*?](?!\S*=)")


@dataclass(slots=True)
class Playbook:
    """A remedy. `sections` maps a heading to its steps; `lines` holds for each of them the line in the file.

    `text` is the whole page as written, `summary` the sentences before the first heading.
    """

    id: str
    title: str
    summary: str
    applies_to: list[str]
    sources: list[str]
    sections: dict[str, list[Step]]
    path: str
    text: str
    needs: list[str] = field(default_factory=list)
    title_zh: str = ""
    summary_zh: str = ""
    lines: dict[str, list[int]] = field(default_factory=dict)

    def steps(self) -> Iterator[tuple[Step, int]]:
        """Every step with its line number, in the order of the page."""
        for name, steps in self.sections.items():
            yield from zip(steps, self.lines[name], strict=True)


@dataclass(slots=True)
class _Page:
    """What is known of a page while it is read."""

    path: str
    wrongs: list[tuple[int, str]] = field(default_factory=list)
    summary: list[str] = field(default_factory=list)
    sections: dict[str, list[Step]] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)
    section: str | None = None

    def wrong(self, line: int, message: str) -> None:
        self.wrongs.append((line, message))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the nearest of `known`, else an empty text."""
    import difflib

    near = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def unknown(kind: str, word: str, known: Iterable[str]) -> str:
    """`unknown risk 'rebot'; did you mean 'reboot'?`, or all that is known when nothing is near."""
    return f"unknown {kind} {word!r}{did_you_mean(word, known) or '; known: ' + ', '.join(known)}"


def split_command(text: str, windows: bool = False) -> list[str]:
    """The argument list of a command as it is written in a playbook.

    On Windows a backslash separates folders and escapes nothing. Raises ValueError for an open quotation.
    """
    lexer = shlex.shlex(text, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if windows:
        lexer.escape = ""
    return list(lexer)


def _unquoted(command: str) -> str:
    """The command without its quoted parts and blanks: only there would a shell act on operators."""
    return _BLANK.sub("_", re.sub(r"'[^']*'|\"[^\"]*\"", "_", command))


def _check_command(page: _Page, number: int, command: str) -> None:
    found = _SHELL.search(_unquoted(command))
    if found:
        page.wrong(number, f"{found[0]!r} in a command: it is an argument list that no shell reads; split or quote it")


def _front_matter(page: _Page, lines: list[str]) -> tuple[dict[str, Any], int]:
    """The front matter and the number of lines that it takes."""
    if not lines or lines[0].rstrip() != "---":
        page.wrong(1, "front matter is missing: the page must begin with `---`")
        return {}, 0
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        page.wrong(1, "front matter does not end: a second `---` is missing")
        return {}, len(lines)
    import yaml

    try:
        header = yaml.load("\n".join(lines[1:end]), Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        page.wrong(mark.line + 2 if mark else 1, f"front matter is not YAML: {getattr(error, 'problem', error)}")
        return {}, end + 1
    if not isinstance(header, dict):
        page.wrong(1, "front matter must be `name: value` lines")
        return {}, end + 1
    _check_header(page, header, lines[:end])
    return header, end + 1


def _check_header(page: _Page, header: dict[str, Any], lines: list[str]) -> None:
    known = (*HEADER_TEXTS, *HEADER_LISTS)
    at = {line.split(":")[0].strip(): number for number, line in enumerate(lines, 1)}
    for name, value in header.items():
        line = at.get(str(name), 1)
        if name not in known:
            page.wrong(line, unknown("field", str(name), known))
        elif name in HEADER_TEXTS and not isinstance(value, str):
            page.wrong(line, f"`{name}` must be a text")
        elif name in HEADER_LISTS and not (isinstance(value, list) and all(isinstance(v, str) for v in value)):
            page.wrong(line, f"`{name}` must be a list of texts")
    for name in ("id", "title"):
        if not header.get(name):
            page.wrong(1, f"`{name}` is missing")
    for name in header.get("applies_to") or ():
        if isinstance(name, str) and name not in PLATFORMS:
            page.wrong(at.get("applies_to", 1), unknown("platform", name, PLATFORMS))


def _heading(page: _Page, number: int, line: str) -> None:
    name = line.lstrip("#").strip()
    page.section = name
    if not line.startswith("## "):
        page.wrong(number, f"heading {line.strip()!r}: only second-level headings (`## `) are used")
    elif name not in SECTIONS:
        page.wrong(number, unknown("heading", name, SECTIONS))
    elif name in page.sections:
        page.wrong(number, f"heading {name!r} stands twice")
    page.sections.setdefault(name, [])
    page.lines.setdefault(name, [])


def _item(page: _Page, number: int, text: str) -> None:
    """Begins a step: `[risk @where] text`; items of *Do not* carry no tag."""
    section = page.section or ""
    step = Step(text, section)
    tag = _TAG.match(text)
    if tag and section != "Do not":
        step.text, step.risk, step.where = text[tag.end() :], tag[1], (tag[2] or "").strip()
        if step.risk not in RISKS:
            page.wrong(number, unknown("risk", step.risk, RISKS))
        if not step.where:
            page.wrong(number, f"step does not say where it runs: [{step.risk} @host]")
        elif step.where not in PLACES:
            page.wrong(number, unknown("place", step.where, PLACES))
    elif section != "Do not":
        page.wrong(number, "step without a risk: begin it with e.g. [read-only @host]")
    page.sections[section].append(step)
    page.lines[section].append(number)


def _continue(page: _Page, number: int, text: str) -> None:
    """An indented line of a step: its command, what to expect, or more text."""
    step = page.sections[page.section or ""][-1]
    command = _COMMAND.match(text)
    if command:
        if step.command is not None:
            page.wrong(number, "a second command: one step has one command")
            return
        _check_command(page, number, command[1])
        try:
            step.command = split_command(command[1], step.where == "windows")
        except ValueError as error:
            page.wrong(number, f"command cannot be split into words: {error}")
    elif text.startswith("Expect:"):
        step.expect = text.removeprefix("Expect:").strip()
    elif step.expect:
        step.expect += " " + text
    else:
        step.text += " " + text


def _body(page: _Page, lines: list[str], first: int) -> None:
    for number, line in enumerate(lines, first):
        text = line.strip()
        if not text:
            continue
        if line.startswith("#"):
            _heading(page, number, line)
        elif page.section is None:
            page.summary.append(text)
        elif line.startswith(("- ", "* ")):
            _item(page, number, line[2:].strip())
        elif line[0] in " \t" and page.sections[page.section]:
            _continue(page, number, text)
        else:
            page.wrong(number, "text outside of a step: steps begin with `- `, their further lines are indented")


def _check_whole(page: _Page) -> None:
    if not page.summary:
        page.wrong(1, "summary is missing: say before the first heading what is to be done and why")
    if not page.sections.get("Confirm") and not page.sections.get("Fix"):
        page.wrong(1, "a playbook needs steps under `## Confirm` or `## Fix`")
    for name, steps in page.sections.items():
        highest = 0
        for step, line in zip(steps, page.lines[name], strict=True):
            rank = RISKS.index(step.risk) if step.risk in RISKS else highest
            if rank < highest:
                rule = "read-only steps come first" if not rank else "steps stand in the order of risk"
                page.wrong(line, f"{step.risk} after {RISKS[highest]}: {rule}")
            highest = max(highest, rank)


def parse_playbook(text: str, path: str) -> tuple[Playbook | None, list[Problem]]:
    """The playbook written in `text`, and all that is wrong with it (with line numbers of the file `path`).

    The playbook is None when it has no id or title.
    """
    from triage.library.library import Problem  # it imports Playbook from here

    page = _Page(path)
    lines = text.removeprefix("\ufeff").splitlines()
    header, used = _front_matter(page, lines)
    _body(page, lines[used:], used + 1)
    _check_whole(page)
    problems = [Problem(path, line, message) for line, message in sorted(page.wrongs)]
    if not isinstance(header.get("id"), str) or not isinstance(header.get("title"), str):
        return None, problems

    def listed(name: str) -> list[str]:
        value = header.get(name)
        return [str(v) for v in value] if isinstance(value, list) else []

    playbook = Playbook(
        id=header["id"],
        title=header["title"],
        summary=" ".join(page.summary),
        applies_to=listed("applies_to"),
        sources=listed("sources"),
        sections=page.sections,
        path=path,
        text=text,
        needs=listed("needs"),
        title_zh=str(header.get("title_zh") or ""),
        summary_zh=str(header.get("summary_zh") or ""),
        lines=page.lines,
    )
    return playbook, problems
