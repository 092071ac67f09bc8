"""An estimate as a page and as plain data: what went in and where it came from, what came out, what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from triage.render.page import ASCII, FANCY, Page, Row
from triage.render.text import cells, shorten

# Units stand at the end of the names of fields.
_UNITS = {
    "_gb_per_s": "GB/s", "_gt_per_s": "GT/s", "_kwh_per_year": "kWh a year", "_j_per_m3k": "J/(m3 K)", "_watts": "W",
    "_percent": "%", "_ms": "ms", "_m3h": "m3/h", "_cfm": "CFM", "_kelvin": "K", "_celsius": "C", "_volts": "V",
    "_amps": "A", "_meters": "m", "_bytes": "",
}  # fmt: skip
_GIB, _GB = 2**30, 10**9
_ORIGINS = {"given": "GIVEN", "config": "CONFIG", "computed": "COMPUTED", "default": "DEFAULT"}
_LABEL = 9  # columns of the labels of the page
_DECIMAL = 96  # columns from which sizes are told in GB too


@dataclass(frozen=True, slots=True)
class Sheet:
    """One estimate. `inputs` and `result` are dataclasses whose field names end in their unit; `origins` tells for a
    field of `inputs` that it is no default: given, out of a configuration file, or computed from the other inputs."""

    name: str
    inputs: Any
    result: Any
    assumes: tuple[str, ...]
    sources: tuple[str, ...]
    origins: Mapping[str, str] = field(default_factory=dict)


def _flat(data: Any) -> Iterator[tuple[str, Any]]:
    """Fields and values, those of a nested dataclass in its place."""
    for one in fields(data):
        value = getattr(data, one.name)
        if is_dataclass(value):
            yield from _flat(value)
        else:
            yield one.name, value


def _formulas(data: Any) -> dict[str, str]:
    found = dict(getattr(data, "FORMULAS", {}))
    for one in fields(data):
        if is_dataclass(value := getattr(data, one.name)):
            found |= _formulas(value)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return {name: _plain(one) for name, one in _flat(value)} if is_dataclass(value) else value


def as_dict(sheet: Sheet) -> dict[str, Any]:
    """The estimate as plain data; sizes are bytes, other units stand in the names."""
    return {
        "plan": sheet.name,
        "inputs": {
            name: {"value": _plain(value), "origin": sheet.origins.get(name, "default")}
            for name, value in _flat(sheet.inputs)
        },
        "result": _plain(sheet.result),
        "assumes": list(sheet.assumes),
        "sources": list(sheet.sources),
    }


def _unit(name: str) -> tuple[str, str]:
    """The words of a field's name without its unit, and the unit."""
    suffix = next((one for one in _UNITS if name.endswith(one)), "")
    return name.removesuffix(suffix).replace("_", " "), _UNITS.get(suffix, "")


def _shown(name: str, value: Any) -> str:
    """A value with its unit, as a person reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "-"
    if isinstance(value, tuple):
        return ", ".join(_shown(name, one) for one in value)
    if isinstance(value, str):
        return str(value)
    if name.endswith("_bytes") or name == "bytes":
        return f"{value / _GIB:,.2f} GiB" if abs(value) >= _GIB / 100 else f"{value:,.0f} bytes"
    number = f"{value:,.0f}" if isinstance(value, int) or abs(value) >= 1000 else f"{value:.4g}"
    return f"{number} {_unit(name)[1]}".rstrip()


def _inputs(page: Page, sheet: Sheet) -> None:
    groups: dict[str, list[str]] = {origin: [] for origin in _ORIGINS}
    for name, value in _flat(sheet.inputs):
        if value is not None and value != ():
            groups[sheet.origins.get(name, "default")].append(f"{_unit(name)[0]} {_shown(name, value)}")
    for origin, parts in groups.items():
        if parts:
            page.items(parts, f"{_ORIGINS[origin]:<{_LABEL}}", 6)


def _rows(page: Page, sheet: Sheet) -> None:
    formulas = _formulas(sheet.result)
    found = [
        (name, value)
        for name, value in _flat(sheet.result)
        if name not in ("answer", "fits") and value is not None and value != "" and not isinstance(value, tuple)
    ]
    wide = max((cells(_unit(name)[0]) for name, _ in found), default=0)
    column = max((cells(_shown(*one)) for one in found if not isinstance(one[1], str)), default=0)
    sizes = any(name.endswith("_bytes") for name, _ in found) and page.width >= _DECIMAL
    for name, value in found:
        label, text = f"  {_unit(name)[0]:<{wide}}  ", _shown(name, value)
        if isinstance(value, str):
            page.prose(text, label, "head", "")
            continue
        decimal = f"{value / _GB:,.2f} GB" if name.endswith("_bytes") and abs(value) >= _GB / 100 else ""
        note = f"{decimal:>14}  " if sizes else "  "  # as vendors write sizes
        page.row((label, ""), (f"{text:>{column}}", "head"), (note + formulas.get(name, ""), "dim"))


def _tables(page: Page, sheet: Sheet) -> None:
    for name, value in _flat(sheet.result):
        if not isinstance(value, tuple) or not value:
            continue
        page.blank()
        heads = [one.name for one in fields(value[0])]
        lines = [[_unit(head)[0] for head in heads]]
        lines += [[_shown(head, getattr(one, head)) for head in heads] for one in value]
        wide = [max(cells(line[at]) for line in lines) for at in range(len(heads))]
        page.row((name.upper(), "head"))
        room = page.width - 2 - sum(size + 2 for size in wide[1:])  # what is in a name may be cut, a number may not
        wide[0] = max(8, min(wide[0], room))
        for number, line in enumerate(lines):
            first = f"  {shorten(line[0], wide[0], page.glyphs.dots):<{wide[0]}}"
            rest = "".join(f"  {text:>{size}}" for text, size in zip(line[1:], wide[1:], strict=True))
            page.row((first + rest, "dim" if number == 0 else ""))


def render(sheet: Sheet, width: int = 80, *, fancy: bool = True) -> list[Row]:
    """The estimate as rows: answer, inputs by origin, results with their formulas, tables, assumptions, sources."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    fits = getattr(sheet.result, "fits", None)
    style = {True: "healthy", False: "fault", None: "head"}[fits]
    page.prose(sheet.result.answer, f"{sheet.name.upper()}  ", "title", style)
    page.blank()
    _inputs(page, sheet)
    page.blank()
    _rows(page, sheet)
    _tables(page, sheet)
    page.blank()
    for text in sheet.assumes:
        page.prose(text, f"{'ASSUMES' if text is sheet.assumes[0] else '':<{_LABEL}}", "dim")
    for text in sheet.sources:
        page.prose(text, f"{'SOURCES' if text is sheet.sources[0] else '':<{_LABEL}}", "dim")
    return page.rows
