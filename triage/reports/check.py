"""Checks and mends the reports of a run: one parse, one analysis and one library for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from triage.library.library import Library
from triage.library.loader import load_library
from triage.redact import Redactor
from triage.reports.baseline import Baseline, Key, key_of
from triage.reports.checks import BY_NAME, CHECKS
from triage.reports.checks.base import KEPT, Subject
from triage.reports.config import Config, config_for
from triage.reports.document import Document, parse
from triage.reports.problem import Edit, Problem

_ROUNDS = 5  # of mending: what one edit brings to light is mended in the next


@dataclass(slots=True)
class Checked:
    """A report after its check: what is left, what a baseline knew, and the text if it was mended."""

    path: str
    name: str  # relative to the folder of the configuration
    problems: list[Problem] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    fixed: int = 0
    text: str | None = None
    obsolete: int = 0


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
        try:
            text = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Unreadable(f"{path}: {getattr(error, 'strerror', None) or 'is not UTF-8'}") from None
        config = self._config or config_for(path)
        name = _relative(path, config.folder)
        checked = Checked(str(path), name)
        document, problems = self._problems(text, path, config)
        for _ in range(_ROUNDS if fix else 0):
            edits = [edit for problem in problems for edit in problem.edits]
            if not edits:
                break
            text = apply(text, edits)
            before = len(problems)
            document, problems = self._problems(text, path, config)
            checked.fixed += max(1, before - len(problems))
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
        library = _library(config.signatures)
        self.notes.update(dict.fromkeys(f"left out of the library: {problem}" for problem in library.problems))
        subject = Subject(document, config, library, Redactor(self._key, KEPT), path.parent)
        return document, sorted(_found(subject, path), key=lambda p: (p.line, p.column, p.code))


@cache
def _library(folders: tuple[Path, ...]) -> Library:
    return load_library(folders)


def _found(subject: Subject, path: Path) -> Iterator[Problem]:
    config = subject.config
    name = _relative(path, config.folder)
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


def _relative(path: Path, folder: Path) -> str:
    try:
        return path.resolve().relative_to(folder).as_posix()
    except ValueError:
        return path.as_posix()


def apply(text: str, edits: Sequence[Edit]) -> str:
    """The text with the edits that do not overlap an earlier one."""
    parts, at = [], 0
    for edit in sorted(set(edits), key=lambda edit: (edit.start, edit.stop)):
        if edit.start >= at:
            parts += [text[at : edit.start], edit.text]
            at = edit.stop
    return "".join([*parts, text[at:]])
