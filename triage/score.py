"""Scores the tool on labelled cases: is the root cause first, are the entities right, do healthy logs stay silent?

A folder holds `<case>/expect.yaml` with the inputs beside it, or one `expect.yaml` that maps names to expectations
(`inputs`, else the name itself, are the files or folders). `root_cause` is the exact id, `accepted` are right but less
exact ids, `symptoms` must not be named as the cause, `none` means healthy, `unknown` that the log cannot tell (role
`unknown` with something in `missing`). Entities count only where a finding carries them under the same key.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import yaml

from triage.library.library import Library
from triage.model import Finding, Report, Role
from triage.rewrites import REWRITES, Files
from triage.rewrites_time import TIMES, without

Pair = tuple[str, str]


@dataclass(slots=True)
class Case:
    """A labelled incident."""

    id: str
    expect: dict[str, Any]
    inputs: list[Path]


@dataclass(slots=True)
class Row:
    """How one case went. `entities` are (right, wanted); `unstable` names the rewrites that changed the diagnosis."""

    id: str
    want: str
    confidence: str | None
    status: str = ""
    top: str | None = None
    found: list[tuple[str, Role]] = field(default_factory=list)
    entities: tuple[int, int] = (0, 0)
    entities_missed: list[Pair] = field(default_factory=list)
    rank_right: bool | None = None
    seconds: float = 0.0
    error: str = ""
    unstable: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class ScoreResult:
    """All rows, and the arithmetic over them."""

    rows: list[Row]
    rewritten: int = 0

    def count(self, *statuses: str) -> int:
        return sum(row.status in statuses for row in self.rows)

    @property
    def healthy(self) -> int:
        """How many cases are healthy ones that were read without a crash."""
        return self.count("quiet", "false-alarm")

    def numbers(self) -> dict[str, float]:
        """Shares from 0 to 1: top1, sure, exact, symptom, alarm, entity, and stable where cases were rewritten."""
        faults = max(1, len(self.rows) - self.healthy)
        unhealthy = [r for r in self.rows if r.status not in ("quiet", "false-alarm")]
        sure = [r for r in unhealthy if r.confidence in ("confirmed", "likely")]
        right = sum(r.status in ("exact", "accepted") for r in sure)
        got, want = sum(r.entities[0] for r in self.rows), sum(r.entities[1] for r in self.rows)
        numbers = {
            "top1": self.count("exact", "accepted") / faults,
            "sure": right / max(1, len(sure)),
            "exact": self.count("exact") / faults,
            "symptom": self.count("symptom") / faults,
            "alarm": self.count("false-alarm") / max(1, self.healthy),
            "entity": got / max(1, want),
        }
        if self.rewritten:
            numbers["stable"] = 1 - sum(len(r.unstable) for r in self.rows) / self.rewritten
        return numbers


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(f for f in path.rglob("*") if f.is_file() and f.name != "expect.yaml")
    return [path]


def cases(folder: Path) -> Iterator[Case]:
    """The cases of a folder in either layout; of fixtures/ also those of its subfolders.

    Raises FileNotFoundError if there is none, ValueError if an expect.yaml is not a mapping.
    """
    found = sorted(folder.rglob("expect.yaml"))
    if not found:
        raise FileNotFoundError(f"{folder}: no expect.yaml")
    for path in found:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        if not isinstance(data, dict):
            raise ValueError(f"{path}: not a mapping")
        if "root_cause" in data:
            yield Case(str(data.get("id", path.parent.name)), data, _files(path.parent))
            continue
        for name, expect in data.items():
            inputs = [f for one in expect.get("inputs", [name]) for f in _files(path.parent / one)]
            yield Case(str(name), {"id": name, "confidence": "confirmed", **expect}, inputs)


def norm(value: object) -> str:
    """One spelling for values that differ only in case, PCI domain or leading zeros."""
    return re.sub(r"^0000(0000)?:|\.0$|^0x0*(?=[0-9a-f])", "", str(value).lower().strip())


def _pairs(entities: dict[str, Any] | None) -> list[Pair]:
    return [
        (key, norm(one))
        for key, value in (entities or {}).items()
        for one in (value if isinstance(value, list) else [value])
    ]


def _top(findings: Sequence[Finding]) -> str | None:
    """The id of the root cause, `unknown`, or None when nothing is named."""
    if not findings:
        return None
    first = findings[0]
    return first.id if first.role == "cause" else "unknown" if first.role == "unknown" else None


def _status(expect: dict[str, Any], report: Report) -> str:
    findings, top = report.findings, _top(report.findings)
    right = [expect["root_cause"], *(expect.get("accepted") or [])]
    causes = [f.id for f in findings if f.role == "cause"]
    if expect["root_cause"] == "none":
        return "quiet" if not causes or top in right else "false-alarm"
    if top == expect["root_cause"]:
        return "exact" if top != "unknown" or report.missing else "missed"
    if top in right:
        return "accepted"
    if top in (expect.get("symptoms") or []):
        return "symptom"
    if any(cause in right for cause in causes):
        return "second"
    if any(f.id in right for f in findings):
        return "not-as-cause"
    return "missed" if top in (None, "unknown") else "wrong"


def judge(case: Case, report: Report) -> Row:
    """The row of a case whose report is known."""
    expect = case.expect
    row = Row(case.id, str(expect["root_cause"]), expect.get("confidence"))
    row.top = _top(report.findings)
    row.found = [(f.id, f.role) for f in report.findings][:8]
    row.status = _status(expect, report)
    have = {pair for f in report.findings for pair in _pairs(dict(f.entities))}
    want = _pairs(expect.get("entities"))
    row.entities_missed = [pair for pair in want if pair not in have]
    row.entities = (len(want) - len(row.entities_missed), len(want))
    if "rank" in expect:
        rank = report.findings[0].entities.get("rank") if report.findings else None
        row.rank_right = rank is not None and not isinstance(rank, list) and norm(rank) == norm(expect["rank"])
    return row


def _analyze(paths: Sequence[Path], library: Library) -> Report:
    from triage.pipeline import analyze

    return analyze(paths, library=library)


def _run(case: Case, library: Library) -> Row:
    start = time.perf_counter()
    try:
        row = judge(case, _analyze(case.inputs, library))
    except Exception as error:  # a crash is a result
        row = Row(case.id, str(case.expect["root_cause"]), case.expect.get("confidence"), "crash")
        row.error = f"{type(error).__name__}: {error}"[:300]
    row.seconds = round(time.perf_counter() - start, 2)
    return row


def rewritten(case: Case) -> Iterator[tuple[str, Files]]:
    """The forms of a case that differ from it, each with the name of what was changed."""
    root = os.path.commonpath([path.parent for path in case.inputs])
    files: Files = {path.relative_to(root).as_posix(): path.read_bytes() for path in case.inputs}
    forms = {name: rewrite(files) for name, rewrite in (REWRITES | TIMES).items()}
    if isinstance(case.expect.get("rank"), int):
        forms["without a rank"] = without(files, case.expect["rank"])
    yield from ((name, changed) for name, changed in forms.items() if list(changed.items()) != list(files.items()))


def _rewrite(case: Case, row: Row, library: Library) -> int:
    """Runs the rewritten forms of a case; the number of those that differ from the original."""
    done = 0
    for name, changed in rewritten(case):
        done += 1
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for inner, data in changed.items():
                path = Path(folder) / inner
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
                paths.append(path)
            other = _run(Case(case.id, case.expect, paths), library)
        if (other.top, other.status) != (row.top, row.status):
            row.unstable[name] = other.error or f"{other.top} ({other.status})"
    return done


def score(folders: Sequence[str | Path], rewrites: bool = False, library: Library | None = None) -> ScoreResult:
    """Analyses every case of the folders in this process and compares with what is expected.

    With `rewrites`, each case is also run with other pids, addresses, versions, hosts and times, with its files in
    another order, and with harmless lines added; its diagnosis must stay the same.

    Raises FileNotFoundError for a folder without cases.
    """
    from triage.library.loader import load_library

    library = library or load_library()
    result = ScoreResult([])
    for case in (case for folder in folders for case in cases(Path(folder))):
        row = _run(case, library)
        result.rows.append(row)
        if rewrites and row.status != "crash":
            result.rewritten += _rewrite(case, row, library)
    return result


def _failures(result: ScoreResult) -> Iterator[str]:
    for row in result.rows:
        if row.status not in ("exact", "accepted", "quiet"):
            yield f"{row.status:12} {row.id}: want {row.want}, got {row.top} {row.found} {row.error}".rstrip()
        elif row.entities_missed:
            yield f"{'entities':12} {row.id}: missed {row.entities_missed}"
        for name, got in row.unstable.items():
            yield f"{'unstable':12} {row.id}: with other {name} {got} instead of {row.top}"


def print_result(result: ScoreResult, show: bool = False, out: IO[str] | None = None) -> None:
    """Two lines of counts and shares; with `show` one line for each case that is not right."""
    out = out or sys.stdout
    if show:
        for line in _failures(result):
            print(line, file=out)
    names = ("exact", "accepted", "second", "not-as-cause", "symptom", "wrong", "missed", "crash")
    counts = " ".join(f"{name} {result.count(name)}" for name in names)
    got, want = sum(r.entities[0] for r in result.rows), sum(r.entities[1] for r in result.rows)
    slowest = max((r.seconds for r in result.rows), default=0.0)
    print(
        f"{len(result.rows)} cases, {len(result.rows) - result.healthy} faults: {counts}; {result.healthy} healthy: "
        f"false alarms {result.count('false-alarm')}; entities {got}/{want}; slowest {slowest} s",
        file=out,
    )
    shares = " ".join(f"{name}={value:.3f}" for name, value in result.numbers().items())
    print(f"{shares} crash={result.count('crash')}", file=out)
