"""Checks and mends the reports of a run: one parse, one analysis and one library for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from triage.library.loader import load_library
from triage.redact import Redactor
from triage.reports.baseline import Baseline, Key, key_of
from triage.reports.checks import BY_NAME, CHECKS
from triage.reports.checks.base import KEPT, Subject
from triage.reports.config import Config, config_for
from triage.reports.document import Document, parse
from triage.reports.files import relative
from triage.reports.problem import Edit, Problem

_ROUNDS = 5  # of mending: what one edit brings to light is mended in the next


@dataclass(slots=True)
class Checked:
    """A report after its check: what is left, what a baseline knew, what was mended, and the text if anything was."""

    path: str
    name: str  # relative to the folder of the configuration
    problems: list[Problem] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    mended: list[Problem] = field(default_factory=list)
    old: bytes = b""
    text: str | None = None
    obsolete: int = 0

    @property
    def fixed(self) -> int:
        """How many problems were mended."""
        return len(self.mended)


class Unreadable(ValueError):
    """A file cannot be read as a report; the message names it."""


class Checker:
    """Checks reports; `config` overrides what is found upward of each, `key` keys the pseudonyms of `fix`."""

    def __init__(self, config: Config | None = None, key: bytes | None = None) -> None:
        self._config, self._key = config, key
        self.notes: dict[str, None] = {}  # what was left out of the library, once each

    def check(self, path: Path, fix: bool = False, baseline: Baseline | None = None) -> Checked:
        """The problems of one report, sorted; with `fix` it is mended in memory as far as a program can.

        Raises Unreadable for a file that is no text, ConfigError for a configuration that is wrong.
        """
        data, text = _read(path)
        config = self._config or config_for(path)
        name = relative(path, config.folder)
        checked = Checked(str(path), name, old=data)
        document, problems = self._problems(text, path, config)
        for _ in range(_ROUNDS if fix else 0):
            new, done = _mended(text, problems)
            if new == text:
                break
            after, left = self._problems(new, path, config)
            if after.broken and not document.broken:
                break  # an edit that breaks a report is none
            text, document, problems = new, after, left
            again = {(one.code, one.text) for one in left}
            checked.mended += [one for one in done if (one.code, one.text) not in again]
            checked.text = text
        keys = [key_of(problem, document, name) for problem in problems]
        checked.keys = keys
        checked.problems = problems
        if baseline is not None:
            checked.problems, checked.obsolete = baseline.sift(problems, keys, name)
            checked.keys = [key_of(problem, document, name) for problem in checked.problems]
        return checked

    def _problems(self, text: str, path: Path, config: Config) -> tuple[Document, list[Problem]]:
        document = parse(text, str(path))
        library = load_library(config.signatures, shared=True)
        self.notes.update(dict.fromkeys(f"left out of the library: {problem}" for problem in library.problems))
        subject = Subject(document, config, library, Redactor(self._key, KEPT), path.parent)
        return document, sorted(_found(subject, path), key=lambda p: (p.line, p.column, p.code))


def _found(subject: Subject, path: Path) -> Iterator[Problem]:
    config = subject.config
    name = relative(path, config.folder)
    for check in CHECKS:
        if config.levels.get(check.code, check.level) == "off" or config.ignores(check.code, check.slug, name):
            continue
        for problem in check.find(subject):
            if not _ignored(problem, subject.document):
                yield problem


def _ignored(problem: Problem, document: Document) -> bool:
    """Whether a comment silences it; all that could are marked as used."""
    hit = False
    for one in document.ignores:
        for code in one.codes:
            known = BY_NAME.get(code)
            if known is not None and known.code == problem.code and one.start <= problem.line < one.stop and one.reason:
                one.used.add(code)
                hit = problem.code < "TRI090"
    return hit


def _read(path: Path) -> tuple[bytes, str]:
    """The bytes and the text of a report. Raises Unreadable."""
    try:
        data = path.read_bytes()
        return data, data.decode("utf-8")
    except OSError as error:
        raise Unreadable(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        kind = "is UTF-16, not UTF-8" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "is not UTF-8"
        raise Unreadable(f"{path}: {kind}; save it as UTF-8") from None


def _mended(text: str, problems: Sequence[Problem]) -> tuple[str, list[Problem]]:
    """The text with what can be mended in one go, and the problems that this mends."""
    taken = _chosen([edit for problem in problems for edit in problem.edits])
    return apply(text, taken), [one for one in problems if one.edits and set(one.edits) <= set(taken)]


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text with the edits that do not overlap an earlier one."""
    parts, at = [], 0
    for edit in _chosen(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.stop
    return "".join([*parts, text[at:]])


def _chosen(edits: Sequence[Edit]) -> list[Edit]:
    chosen: list[Edit] = []
    for edit in sorted(set(edits), key=lambda edit: (edit.start, edit.stop)):
        if not chosen or edit.start >= chosen[-1].stop:
            chosen.append(edit)
    return chosen
