"""What re-checks say, as a table and as data; and how two of them differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from triage.recheck.judging import Result
from triage.recheck.registry import Probe
from triage.render.page import ASCII, FANCY, Page, Row

SCHEMA_VERSION = 1
_LOADS = {"none": "reads", "optional": "reads; --stress adds load", "needed": "--stress"}
_STYLES = {"confirmed": "error", "refuted": "healthy", "inconclusive": "warning", "not-applicable": "dim"}
_CHANGE = 0.05  # relative difference of a number from which it is shown


def results_dict(found: Sequence[Result], python: str, expectation: Mapping[str, Any]) -> dict[str, Any]:
    """The results as plain data, with the readings and what was looked for, so that they can be kept and compared."""
    return {
        "schema_version": SCHEMA_VERSION, "python": python, "expectation": dict(expectation),
        "results": [
            {
                "probe": one.probe, "outcome": one.outcome, "warning": one.warning, "detail": one.detail,
                "seconds": one.seconds, "reading": one.reading,
            }
            for one in found
        ],
    }  # fmt: skip


def results(found: Sequence[Result], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """One entry for each probe: outcome, name, seconds, and the detail wrapped beside it."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    column = max((len(one.probe) for one in found), default=0)
    for one in found:
        word = f"{one.outcome}{' (warning)' if one.warning else ''}"
        page.row((f"{one.probe:<{column}}  ", "head"), (word, _STYLES[one.outcome]), (f"  {one.seconds:.1f} s", "dim"))
        page.prose(one.detail, "    ")
    return page.rows


def probes_dict(known: Mapping[str, Probe], users: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """The probes as plain data; `ids` are all signatures that name the probe."""
    return [
        {
            "probe": one.name, "group": one.group, "question": one.question, "confirms": one.confirms,
            "refutes": one.refutes, "load": one.load, "seconds": one.seconds, "values": list(one.wants),
            "ids": sorted(users.get(one.name, ())), "file": str(one.path),
        }
        for one in known.values()
    ]  # fmt: skip


def probes(known: Mapping[str, Probe], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """Each probe with its question, under its group."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    column = max(len(name) for name in known)
    group = ""
    for one in known.values():
        if one.group != group:
            page.blank()
            group = one.group
            page.row((group, "head"))
        page.prose(f"{one.question} [{_LOADS[one.load]}]", f"  {one.name:<{column}}  ")
    return page.rows


def probe(one: Probe, ids: Sequence[str], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """All that is to know of one probe."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    page.prose(one.question, f"{one.name}  ", "title")
    for label, text in (
        ("CONFIRMS", one.confirms), ("REFUTES", one.refutes), ("LOAD", _LOADS[one.load]),
        ("LIMITS", f"{one.seconds:g} s, {one.memory_gib:g} GiB of memory"), ("VALUES", ", ".join(one.wants)),
        ("USED BY", ", ".join(sorted(ids))), ("FILE", str(one.path)),
    ):  # fmt: skip
        if text:
            page.prose(text, f"{label:<10}")
    return page.rows


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What two results of `results_dict` differ in: outcomes, and readings (numbers by more than 5 %).

    Raises ValueError when either is not such a result.
    """
    old, new = _by_probe(before), _by_probe(after)
    rows: list[dict[str, Any]] = []
    for name in dict.fromkeys([*old, *new]):
        a, b = old.get(name, {}), new.get(name, {})
        if a.get("outcome") != b.get("outcome"):
            rows.append({"probe": name, "what": "outcome", "before": a.get("outcome"), "after": b.get("outcome")})
        left, right = dict(_flat(a.get("reading"))), dict(_flat(b.get("reading")))
        for path in dict.fromkeys([*left, *right]) if left and right else ():
            if _differ(left.get(path), right.get(path)):
                rows.append({"probe": name, "what": path, "before": left.get(path), "after": right.get(path)})
    return rows


def comparison(rows: Sequence[Mapping[str, Any]], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """The differences as a table."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    arrow = "→" if fancy else "->"
    for row in rows:
        change = f"{_short(row['before'])} {arrow} {_short(row['after'])}"
        page.prose(f"{row['what']}: {change}", f"{row['probe']}  ", "title" if row["what"] == "outcome" else "")
    if not rows:
        page.row(("no difference", ""))
    return page.rows


def _by_probe(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    try:
        return {str(one["probe"]): one for one in data["results"]}
    except (KeyError, TypeError) as error:
        raise ValueError("not written by `triage recheck --format json`") from error


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a reading with its path, such as `gpus.0.width`."""
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def _differ(a: Any, b: Any) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and bool not in (type(a), type(b)):
        return abs(a - b) > _CHANGE * max(abs(a), abs(b))
    return bool(a != b)


def _short(value: Any) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
