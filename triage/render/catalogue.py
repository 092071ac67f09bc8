"""The signatures and the templates of a log as lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from triage.formats.samples import Entry
from triage.library.library import Library, Signature
from triage.render.page import ASCII, FANCY, Page, Row
from triage.templates import Template

if TYPE_CHECKING:
    from triage.library.proof import Example

ROLES = ("cause", "symptom", "carrier", "context")
_SAMPLE = 4  # lines of a sample that are shown
_BAR = 30  # columns of a whole


def signatures_dict(signatures: Sequence[Signature]) -> list[dict[str, Any]]:
    """The signatures as plain data, one short object each."""
    return [
        {
            "id": s.id, "title": s.title, "family": s.family, "role": s.role, "severity": s.severity,
            "action": s.action, "playbook": s.playbook, "status": s.status,
        }
        for s in signatures
    ]  # fmt: skip


def signatures(found: Sequence[Signature], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """One row for each signature, under the name of its family."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    column = min(36, max((len(s.id) for s in found), default=0))
    family = None
    for signature in sorted(found, key=lambda s: (s.family, s.id)):
        if signature.family != family:
            page.blank()
            family = signature.family
            page.row((family, "head"))
        page.row(
            (f"  {signature.id:<{column}}  ", ""), (f"{signature.severity:<8}", signature.severity),
            (f"{signature.role:<8} ", "dim"), (signature.title, ""),
        )  # fmt: skip
    return page.rows


def stats_dict(found: Sequence[Signature], examples: Sequence[Example], known: Library) -> dict[str, Any]:
    """How much the library holds: in all, and by family. An example counts for the file in which it stands."""
    families = sorted({s.family for s in found})
    rows = {name: [s for s in found if s.family == name] for name in families}
    paths = {s.path for s in found}
    return {
        **_counted(found, [e for e in examples if e.path in paths]),
        "links": len(known.links),
        "families": [
            {"family": name, **_counted(own, [e for e in examples if e.path in {s.path for s in own}])}
            for name, own in rows.items()
        ],
    }  # fmt: skip


def _counted(found: Sequence[Signature], examples: Sequence[Example]) -> dict[str, Any]:
    roles = Counter(s.role for s in found)
    wanted = sum(one.wanted for one in examples)
    return {
        "signatures": len(found), "roles": {role: roles[role] for role in ROLES},
        "drafts": sum(s.status == "draft" for s in found), "match": wanted, "ignore": len(examples) - wanted,
        "sources": len({source for s in found for source in s.sources}),
        "playbooks": len({s.playbook for s in found if s.playbook}),
    }  # fmt: skip


def stats(data: dict[str, Any], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """The numbers of `stats_dict` as a table, with the sum as its last row."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    heads = ("signatures", *ROLES, "drafts", "match", "ignore", "sources", "playbooks")
    lines = [*data["families"], {**data, "family": "all"}]
    column = max(len(line["family"]) for line in lines)
    page.row((" " * column + "".join(f"  {head:>{max(5, len(head))}}" for head in heads), "dim"))
    for line in lines:
        numbers = {**line["roles"], **line}
        text = "".join(f"  {numbers[head]:>{max(5, len(head))},}" for head in heads)
        page.row((f"{line['family']:<{column}}", "head"), (text, "title" if line["family"] == "all" else ""))
    page.row((f"match, ignore: examples that prove them; {data['links']:,} causal links join them", "dim"))
    return page.rows


def templates_dict(found: Sequence[Template]) -> list[dict[str, Any]]:
    """The templates as plain data, in the order given."""
    return [
        {
            "template": t.text, "count": t.count, "signatures": sorted(t.ids),
            "first": {"source": t.first[0], "line": t.first[1]}, "last": {"source": t.last[0], "line": t.last[1]},
            "suspicious": t.suspicious, "sample": t.sample,
        }
        for t in found
    ]  # fmt: skip


def templates(found: Sequence[Template], width: int = 80, *, fancy: bool = True, most: int | None = None) -> list[Row]:
    """One row for each template: count, signatures matched under it (`?` when it looks like an unknown error), text."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    for template in found[:most]:
        ids = ",".join(sorted(template.ids)) or ("?" if template.suspicious else "")
        style = "title" if template.ids else "warning" if template.suspicious else ""
        page.row((f"{template.count:>9,}  ", "dim"), (f"[{ids}] " if ids else "", style), (template.text, ""))
    if most is not None and len(found) > most:
        page.row((f"({len(found) - most:,} more kinds: --all)", "dim"))
    return page.rows


def formats_dict(found: Sequence[Entry]) -> list[dict[str, Any]]:
    """The formats as plain data."""
    return [{"format": one.name, "summary": one.summary, "sample": one.sample} for one in found]


def formats(found: Sequence[Entry], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """Each format with one sentence and the first lines of its sample."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    column = max((len(one.name) for one in found), default=0)
    for one in found:
        page.blank()
        page.prose(one.summary, f"{one.name:<{column}}  ")
        for line in one.sample[:_SAMPLE]:
            page.row((f"{' ' * column}  | ", "dim"), (line, "dim"))
        if len(one.sample) > _SAMPLE:
            page.row((f"{' ' * column}  | {page.glyphs.dots}", "dim"))
    return page.rows


def scores_dict(found: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    """How much of a file each format takes, as plain data; `share` is 0 to 1."""
    return [{"format": name, "share": round(share, 3)} for name, share in found]


def scores(found: Sequence[tuple[str, float]], width: int = 80, *, fancy: bool = True) -> list[Row]:
    """How much of a file each format would take alone, as a bar; those that take nothing are left out."""
    page = Page(max(40, width), FANCY if fancy else ASCII)
    taken = [(name, share) for name, share in found if share > 0]
    column = max((len(name) for name, _ in taken), default=0)
    for name, share in taken:
        bar = ("█" if fancy else "#") * max(1, round(share * _BAR))
        text = f"{share:>6.1%}" if share < 0.995 else f"{share:>6.0%}"
        page.row((f"{name:<{column}}  ", ""), (text, "head"), (f"  {bar}", "dim"))
    if not taken:
        page.row(("No format takes any line: it is read as plain text.", ""))
    return page.rows
