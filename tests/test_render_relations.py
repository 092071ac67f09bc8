"""The tree of a cause and its effects is folded until it fits, and loses nobody."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from reports import fault

from triage.render import relations
from triage.render.page import plain
from triage.render.relations import Link, fold
from triage.render.terminal import render

# The depths of a tree in the order in which it is drawn: each row hangs at most one deeper than the one before it.
DEPTHS = st.lists(st.integers(1, 5), max_size=12).map(
    lambda found: [0] + [d for at, d in enumerate(found) if d <= 1 + max(found[:at], default=0)]
)


def tree(depths: list[int]) -> list[Link]:
    made = [0]
    for depth in depths[1:]:
        made.append(min(depth, made[-1] + 1))
    return [Link(f"id-{at}", "", depth, 1, "", [True] * depth) for at, depth in enumerate(made)]


@given(DEPTHS, st.integers(2, 14))
def test_a_folded_tree_fits_and_holds_every_id(depths, most):
    links = tree(depths)
    rows = fold(links, most)
    assert len(rows) <= max(most, 2)
    assert [one.id for row in rows for one in (row, *row.below)] == [link.id for link in links]
    assert rows == links or len(links) > most


def test_what_is_folded_is_named():
    report = fault()
    links = relations.chain(report)
    assert [row.id for row in fold(links, 2)] == ["xid-79", "cuda-launch-failure"]
    assert [one.id for one in fold(links, 2)[1].below] == ["pg-watchdog-timeout", "torchrun-childfailed"]
    assert [row.depth for row in fold(links, 3)] == [0, 1, 2]
    report.missing *= 12
    for finding in report.findings:
        finding.means = "Much is to be said of this. " * 20
    shown = plain(render(report, 60))
    for link in links:
        assert link.id in shown
