"""The page of a signature and of a playbook: complete, within its width, and true to the library."""

from __future__ import annotations

import pytest

from triage.library.loader import load_library
from triage.render import explain
from triage.render.lang import using
from triage.render.page import Row
from triage.render.text import cells

KNOWN = load_library()


def text(rows: list[Row]) -> list[str]:
    return ["".join(part for part, _ in row) for row in rows]


@pytest.mark.parametrize("width", [40, 72, 120])
@pytest.mark.parametrize("name", ["xid-79", "cuda-oom-fragmented", "rank-lagging", "win-code-43", "sxid-20034"])
def test_nothing_but_commands_and_patterns_is_wider_than_the_page(name: str, width: int) -> None:
    for row in explain.render(KNOWN, KNOWN.signatures[name], [], width):
        if not any(style in ("command", "") for _, style in row):
            assert cells("".join(part for part, _ in row)) <= width


@pytest.mark.parametrize("name", [*KNOWN.signatures][:: len(KNOWN.signatures) // 60])
def test_every_page_says_what_it_means_and_where_that_comes_from(name: str) -> None:
    one = KNOWN.signatures[name]
    shown = text(explain.render(KNOWN, one, explain.examples(one), 100))
    assert shown[0].startswith(one.title[:60])
    for head in ("What it means", "How it is recognised", "Sources"):
        assert head in shown
    assert any("What to do" in line for line in shown) == (one.playbook != "")


def test_steps_are_numbered_without_the_warnings() -> None:
    rows = text(explain.render_playbook(KNOWN, KNOWN.playbooks["gpu-off-the-bus"], 100))
    numbers = [int(row.split(".")[0]) for row in rows if row[:4].strip().isdigit()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert sum(row.startswith("    ! ") for row in rows) == 2


def test_blanks_of_commands_stand_open_without_quotes() -> None:
    assert "      lspci -s {pci} -vv" in text(explain.render(KNOWN, KNOWN.signatures["xid-79"], [], 100))


def test_a_playbook_lists_the_signatures_that_lead_to_it() -> None:
    for book in KNOWN.playbooks.values():
        assert explain.uses(KNOWN, book), book.id
    assert "xid-79" in explain.uses(KNOWN, KNOWN.playbooks["gpu-off-the-bus"])


def test_links_are_told_from_both_sides() -> None:
    assert "pciehp-power-fault" in explain.explained_by(KNOWN, "xid-79")
    assert "xid-79" in explain.explains(KNOWN, "pciehp-power-fault")
    assert "cuda-oom-fragmented" in explain.refined_by(KNOWN, "cuda-oom")


def test_what_has_a_translation_is_shown_in_chinese() -> None:
    with using("zh"):
        shown = text(explain.render(KNOWN, KNOWN.signatures["xid-79"], [], 100))
    assert "掉卡" in shown[0]
    assert any("断电重启" in line for line in shown)


def test_as_data() -> None:
    data = explain.as_dict(KNOWN, KNOWN.signatures["xid-79"])
    assert (data["id"], data["playbook"]["id"]) == ("xid-79", "gpu-off-the-bus")
    assert data["playbook"] == explain.playbook_dict(KNOWN.playbooks["gpu-off-the-bus"])
    assert explain.as_dict(KNOWN, KNOWN.signatures["nccl-version"])["playbook"] is None


def test_examples_of_a_row_are_its_own() -> None:
    assert all("62" in one for one in explain.examples(KNOWN.signatures["xid-62"]))
    assert explain.examples(KNOWN.signatures["xid-79"])
