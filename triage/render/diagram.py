"""The chain as a drawing: the cause, what set it off, and what it explains.

Where it has few levels and room, they stand side by side; else each effect stands below its cause, a little further in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from triage.model import Finding, Report
from triage.render import relations, words
from triage.render.lang import say
from triage.render.svg import ROW, SMALL, SMALL_ROW, arrow, fitted, label, picture
from triage.render.text import clean

WIDE, NARROW = 880, 350  # pixels, for a desktop and a phone
_LEVELS = 4  # side by side at most
_BETWEEN = 44  # pixels between levels that stand side by side
_GAP = 14  # pixels between boxes that stand below each other
_PAD = 9
_INDENT = {WIDE: 36, NARROW: 14}
_DEEPEST = 8  # levels that are drawn further in


@dataclass(slots=True)
class _Box:
    """A finding as it is drawn: its lines of text with their classes, and its place."""

    style: str
    depth: int
    lines: list[tuple[str, str]] = field(default_factory=list)
    x: float = 0
    y: float = 0
    width: float = 0

    @property
    def height(self) -> float:
        return 2 * _PAD + sum(SMALL_ROW if style else ROW for _, style in self.lines) - 3

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    def filled(self, role: str, title: str, facts: str) -> None:
        """Takes the texts, broken to the width of the box."""
        room = self.width - 2 * _PAD
        self.lines = [(text, "role") for text in fitted(role, room, 1, SMALL)]
        self.lines += [(text, "") for text in fitted(clean(title), room, 3)]
        self.lines += [(text, "dim") for text in fitted(clean(facts), room, 3, SMALL)]

    def drawn(self) -> str:
        y = self.y + _PAD + 9
        rows = []
        for text, style in self.lines:
            rows.append(label(self.x + _PAD, y, text, style))
            y += SMALL_ROW if style else ROW
        shape = f'<rect x="{self.x:.1f}" y="{self.y:.1f}" width="{self.width:.1f}" height="{self.height:.1f}" rx="5"/>'
        return f'<g class="node {self.style}">{shape}{"".join(rows)}</g>'


def _facts(finding: Finding, count: int, ranks: str, root: Finding) -> str:
    """The id, how often, and the ranks and the device if these are not those of the root."""
    same = finding is not root and finding.entities.get("pci") == root.entities.get("pci")
    pci = "" if same else words.words(finding.entities.get("pci") or "")
    ranks = "" if finding is not root and ranks == words.ranks([root]) else ranks
    return ", ".join(filter(None, (finding.id, f"×{count}" if count > 1 else "", ranks, pci)))


def _layered(boxes: list[_Box], top: float) -> float:
    """Places levels side by side, each cause at the middle of its effects. Gives the height."""
    free = [0.0] * (1 + max(box.depth for box in boxes))
    below: list[list[_Box]] = [[] for _ in (*free, 0)]
    for box in reversed(boxes):
        children, below[box.depth + 1] = below[box.depth + 1], []
        below[box.depth].append(box)
        box.x = box.depth * (box.width + _BETWEEN)
        # Placed from the last one upwards; all is turned around at the end. What hangs below nothing yet placed stands
        # no lower than those that it will hang below can.
        want = (children[0].middle + children[-1].middle - box.height) / 2 if children else max(free[1 : box.depth + 1])
        box.y = max(free[box.depth], want)
        free[box.depth] = box.y + box.height + _GAP
    height = max(box.y + box.height for box in boxes)
    for box in boxes:
        box.y = height - box.y - box.height
    shift = max(0.0, top - boxes[0].y)
    for box in boxes:
        box.y += shift
    return height + shift


def _cascade(boxes: list[_Box], top: float) -> float:
    """Places each box below the one before it. Gives the height."""
    y = top
    for box in boxes:
        box.y = y
        y += box.height + _GAP
    return y - _GAP


def _edges(boxes: list[_Box], side_by_side: bool) -> list[str]:
    """A line to each box from the one that it hangs below."""
    drawn, parents = [], {0: boxes[0]}
    for box in boxes[1:]:
        above = parents[box.depth - 1]
        parents[box.depth] = box
        if side_by_side:
            x, middle = above.x + above.width, (above.x + above.width + box.x) / 2
            path = f"M{x:.1f} {above.middle:.1f}C{middle:.1f} {above.middle:.1f} {middle:.1f} {box.middle:.1f} "
            drawn.append(arrow(f"{path}{box.x - 6:.1f} {box.middle:.1f}", box.x, box.middle))
        else:
            x = above.x + (box.x - above.x) / 2 if box.x > above.x else above.x + 4
            path = f"M{x:.1f} {above.y + above.height:.1f}V{box.middle:.1f}H{box.x - 6:.1f}"
            drawn.append(arrow(path, box.x, box.middle))
    return drawn


def diagram(report: Report, width: int, name: str) -> str:
    """The chain of the root of a report as inline SVG, `width` (WIDE or NARROW) pixels wide; empty without a root."""
    root = words.root(report)
    if root is None:
        return ""
    known = {finding.id: finding for finding in reversed(report.findings)} | {root.id: root}
    links = relations.chain(report)
    levels = 1 + max((link.depth for link in links), default=0)
    side_by_side = width == WIDE and levels <= _LEVELS and len(links) > 1
    column = (width - _BETWEEN * (levels - 1)) / levels if side_by_side else width
    indent = 0 if side_by_side else _INDENT[width]

    def box(finding: Finding, depth: int, style: str, role: str, facts: str) -> _Box:
        made = _Box(style, depth, x=indent * min(depth, _DEEPEST))
        made.width = column - made.x
        made.filled(role, finding.title, facts)
        return made

    role = "CAUSE" if root.role == "cause" else "UNKNOWN"
    facts = _facts(root, root.count, words.ranks([root]), root)
    boxes = [box(root, 0, f"root {root.severity}", say(role), facts)]
    for link in links[1:]:
        one = known[link.id]
        boxes.append(box(one, link.depth, one.role, say(one.role), _facts(one, link.count, link.ranks, root)))
    before = [box(one, 0, "before", say(relations.met(one, report)), one.id) for one in relations.triggers(report)]
    top = _cascade(before, 0) + 2 * _GAP if before else 0.0
    height = _layered(boxes, top) if side_by_side else _cascade(boxes, top)
    edges = _edges(boxes, side_by_side)
    for up, low in pairwise([*before, boxes[0]]):
        x = up.x + min(up.width, boxes[0].width) / 2
        edges.append(arrow(f"M{x:.1f} {up.y + up.height:.1f}V{low.y - 6:.1f}", x, low.y, True, "edge loose"))
    title = f"{say('Chain')}: {clean(root.title)}"
    if len(links) > 1:
        title += f"; {say('explains')} {', '.join(link.id for link in links[1:])}"
    parts = [*edges, *(one.drawn() for one in (*before, *boxes))]
    return picture(width, height, name, title, parts, "wide" if width == WIDE else "narrow")
