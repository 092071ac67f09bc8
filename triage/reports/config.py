"""What a team has decided about its reports: `[tool.triage.incidents]` in pyproject.toml, or .triage.yaml.

The nearest of these files upward of a report counts. Every key and value is checked: a typing error is told with file
and line, and nothing is checked until it is mended.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

from triage.library.playbook import did_you_mean
from triage.reports.problem import LEVELS, Level

FILES = (".triage.yaml", ".triage.yml", "pyproject.toml")
FIELDS = ("id", "date", "status", "severity", "signature")
SECTIONS = ("summary", "impact", "timeline", "root-cause", "actions")
FACTS = ("gpu", "versions", "first-error", "recheck")
BASELINE = ".triage-baseline.json"


@dataclass(slots=True, frozen=True)
class Exemption:
    """Codes that are not told for the files that match a pattern, and why."""

    codes: tuple[str, ...]
    files: str
    reason: str


@dataclass(slots=True, frozen=True)
class Config:
    """The decisions; `folder` is that of the file, to which its paths are relative.

    `fields` of the front matter, `sections` and `facts` are required; `levels` by code; `signatures` are folders of
    further signatures and playbooks, read as data; `template` is the file for `triage report new`; files that match
    `exclude` are no reports.
    """

    folder: Path
    fields: tuple[str, ...] = FIELDS
    sections: tuple[str, ...] = SECTIONS
    facts: tuple[str, ...] = FACTS
    levels: dict[str, Level] = field(default_factory=dict)
    ignore: tuple[Exemption, ...] = ()
    baseline: str = BASELINE
    signatures: tuple[Path, ...] = ()
    template: Path | None = None
    timezone: str = ""
    allow: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def ignores(self, code: str, slug: str, path: str) -> bool:
        """Whether the file says that this code is not told for this report."""
        return any((code in one.codes or slug in one.codes) and _fits(path, one.files) for one in self.ignore)

    def excludes(self, path: str) -> bool:
        """Whether the file says that this is no report."""
        return any(_fits(path, pattern) for pattern in self.exclude)


def _fits(path: str, pattern: str) -> bool:
    return fnmatch(path, pattern) or fnmatch(path, "*/" + pattern)


class ConfigError(ValueError):
    """The configuration cannot be used; the message begins with file and line."""


def config_for(report: Path) -> Config:
    """The configuration that counts for a report; the defaults where there is none. Raises ConfigError.

    Outside of any repository they are those of the folder in which we were called, or else of the report's own.
    """
    folder, here = report.resolve().parent, Path.cwd()
    return _upward(folder) or Config(here if here in (folder, *folder.parents) else folder)


@cache
def _upward(folder: Path) -> Config | None:
    for name in FILES:
        if (folder / name).is_file() and (found := read(folder / name)) is not None:
            return found
    if (folder / ".git").exists():
        return Config(folder)
    return None if folder.parent == folder else _upward(folder.parent)


def read(path: Path) -> Config | None:
    """The configuration in a file; None for a pyproject.toml that has none. Raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}:1: cannot be read: {error}") from None
    table = _toml(text, path) if path.suffix == ".toml" else _yaml(text, path)
    return None if table is None else _Reader(path, text).config(table)


def _toml(text: str, path: Path) -> Any:
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        raise ConfigError(f"{path}:{found[1] if found else 1}: {error}") from None
    return data.get("tool", {}).get("triage", {}).get("incidents")


def _yaml(text: str, path: Path) -> Any:
    import yaml

    try:
        return yaml.load(text, Loader=yaml.CSafeLoader) or {}
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise ConfigError(f"{path}:{mark.line + 1 if mark else 1}: {getattr(error, 'problem', error)}") from None


class _Reader:
    """Checks the values of a table one by one."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        self.lines = text.splitlines()

    def wrong(self, name: str, message: str) -> ConfigError:
        """An error at the line where `name` stands first."""
        pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        line = next((n for n, text in enumerate(self.lines, 1) if pattern.search(text.split("#")[0])), 1)
        return ConfigError(f"{self.path}:{line}: {message}")

    def config(self, table: Any) -> Config:
        if not isinstance(table, dict):
            raise ConfigError(f"{self.path}:1: must be `name: value` lines")
        made: dict[str, Any] = {"folder": self.path.resolve().parent}
        for name, value in table.items():
            if name not in _READERS:
                raise self.wrong(str(name), f"unknown setting {str(name)!r}{did_you_mean(str(name), _READERS)}")
            made[name] = _READERS[name](self, name, value)
        return Config(**made)

    def texts(self, name: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.wrong(name, f"`{name}` must be a list of texts")
        return tuple(value)

    def text(self, name: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self.wrong(name, f"`{name}` must be a text")
        return value

    def known(self, allowed: tuple[str, ...]) -> Callable[[str, Any], tuple[str, ...]]:
        def listed(name: str, value: Any) -> tuple[str, ...]:
            for one in self.texts(name, value):
                if one not in allowed:
                    near = did_you_mean(one, allowed) or f"; known: {', '.join(allowed)}"
                    raise self.wrong(one, f"unknown entry {one!r} in `{name}`{near}")
            return tuple(value)

        return listed

    def zone(self, name: str, value: Any) -> str:
        from triage.reports.times import offset

        try:
            offset(self.text(name, value), None)
        except ValueError as error:
            raise self.wrong(name, f"`{name}`: {error}") from None
        return str(value)

    def codes(self, name: str, value: Any) -> tuple[str, ...]:
        from triage.reports.checks import BY_NAME

        codes = (value,) if isinstance(value, str) else self.texts(name, value)
        for one in codes:
            if one not in BY_NAME:
                raise self.wrong(one, f"unknown code {one!r}{did_you_mean(one, BY_NAME)}")
        return codes

    def levels(self, name: str, value: Any) -> dict[str, Level]:
        from triage.reports.checks import BY_NAME

        if not isinstance(value, dict):
            raise self.wrong(name, f"`{name}` must map codes to one of {', '.join(LEVELS)}")
        levels: dict[str, Level] = {}
        for code, level in value.items():
            self.codes(name, str(code))
            level = "off" if level is False else level  # YAML 1.1 reads `off` as false
            if level not in LEVELS:
                raise self.wrong(str(code), f"unknown level {level!r}{did_you_mean(str(level), LEVELS)}")
            levels[BY_NAME[code].code] = level
        return levels

    def ignore(self, name: str, value: Any) -> tuple[Exemption, ...]:
        if not isinstance(value, list):
            raise self.wrong(name, "`ignore` must be a list of entries with code, files and reason")
        made = []
        for one in value:
            if not isinstance(one, dict) or set(one) - {"code", "files", "reason"} or "code" not in one:
                raise self.wrong(name, "an entry of `ignore` has code, files and reason, nothing else")
            codes = self.codes("code", one["code"])
            if not str(one.get("reason") or "").strip():
                raise self.wrong(codes[0], f"`ignore` of {', '.join(codes)} gives no reason")
            made.append(Exemption(codes, str(one.get("files", "*")), str(one["reason"])))
        return tuple(made)

    def folders(self, name: str, value: Any) -> tuple[Path, ...]:
        found = []
        for one in self.texts(name, value):
            path = self.path.resolve().parent / one
            if not path.exists():
                raise self.wrong(one, f"{one!r} in `{name}` does not exist")
            found.append(path)
        return tuple(found)

    def file(self, name: str, value: Any) -> Path:
        return self.folders(name, [self.text(name, value)])[0]


_READERS: dict[str, Callable[[_Reader, str, Any], Any]] = {
    "fields": _Reader.texts,
    "sections": _Reader.texts,
    "facts": lambda reader, name, value: reader.known(FACTS)(name, value),
    "levels": _Reader.levels,
    "ignore": _Reader.ignore,
    "baseline": _Reader.text,
    "signatures": _Reader.folders,
    "template": _Reader.file,
    "timezone": _Reader.zone,
    "allow": _Reader.texts,
    "exclude": _Reader.texts,
}
