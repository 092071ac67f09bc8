"""The text of a vendor ticket: plain, in the order in which support asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from triage.render.text import clean
from triage.render.words import counted
from triage.ticket import Ticket


def render(one: Ticket) -> str:
    """The ticket as text with a final newline; what is not known is asked for in its last section."""
    rows = [f"Summary: {one.summary}", ""]
    rows += _pairs("Part", {**({"PCI address": one.pci} if one.pci else {}), **one.part})
    rows += _pairs("Machine", {**_entities(one.cause, ("host",)), **one.versions})
    if one.cause is not None:
        rows += _fault(one.cause)
    rows += _pairs("Counters (nvidia-smi -q)", one.counters)
    rows += _list("Seen with it on this GPU", map(_short, one.others))
    rows += _list("Seen before on this GPU", map(_short, one.history))
    rows += _list("Still to be added", one.asks)
    return "\n".join(clean(row) for row in rows).rstrip() + "\n"


def _fault(cause: Mapping[str, Any]) -> list[str]:
    first, last = cause.get("first") or {}, cause.get("last") or {}
    when = first.get("time") or "time not logged"
    if cause["count"] > 1 and last.get("time"):
        when += f" to {last['time']}"
    rows = _pairs("Fault", {
        "What": f"{cause['title']} ({cause['id']})", "When": when, "How often": str(cause["count"]),
        "Confidence": cause["confidence"], "Means": " ".join(cause["means"].split()),
        "Recommended": cause.get("action_vendor") or cause["action"],
    })  # fmt: skip
    rows += _list("Details", cause.get("decoded", ()))
    rows += _list("Log lines", (f"{e['source']}:{e['line']}: {e['text']}" for e in cause["evidence"]))
    checks = (f"{c['probe']}: {c['outcome']}: {c.get('detail', '')}" for c in cause["recheck"] if c.get("outcome"))
    return rows + _list("Checked afterwards", checks)


def _entities(cause: Mapping[str, Any] | None, names: Iterable[str]) -> dict[str, str]:
    known = cause["entities"] if cause else {}
    return {name.capitalize(): str(known[name]) for name in names if name in known}


def _short(one: Mapping[str, Any]) -> str:
    when = (one.get("first") or {}).get("time") or "time not logged"
    return f"{when}: {one['title']} ({one['id']}), {counted(one['count'], 'time')}"


def _pairs(head: str, pairs: Mapping[str, str]) -> list[str]:
    told = {name: value for name, value in pairs.items() if value}
    return [f"{head}:", *(f"  {name}: {value}" for name, value in told.items()), ""] if told else []


def _list(head: str, texts: Iterable[str]) -> list[str]:
    told = list(texts)
    return [f"{head}:", *(f"  - {text}" for text in told), ""] if told else []
