"""The Markdown report: everything a ticket needs, and log text that stays text."""

from __future__ import annotations

import pytest
from reports import fault, healthy, hostile, unknown

from triage.render.markdown import code, escape, fence, render


def test_it_says_cause_proof_chain_and_steps():
    shown = render(fault())
    for part in (
        "## FAULT: GPU 2", "**Root cause:** GPU has fallen off the bus (`xid-79`, fatal, confirmed)", "`PCI 0000:3b:00`",
        "### Proof", "dmesg.txt:17  [Thu Mar 14", "### Chain", "  - `cuda-launch-failure`", "ranks 0,2,4-7", "1. `read-only`",
        "lspci -s 0000:3b:00 -vv", "**Warning:** Do not set `pci=noaer`", "ipmitool sel elist", "Not read: core.4711: a core dump", "`xid-13`",
    ):  # fmt: skip
        assert part in shown, part


def test_the_folder_that_all_inputs_share_is_told_nowhere():
    report = fault()
    places = [report.findings[-2].first, report.unexplained[0].first, *report.findings[0].evidence]
    for one in (*report.sources, *places):
        name = "name" if hasattr(one, "name") else "source"
        setattr(one, name, f"/var/log/job7/{getattr(one, name)}")
    shown = render(report)
    assert "/var/log" not in shown
    assert "dmesg.txt:17  [Thu" in shown
    assert "`dmesg.txt:3`" in shown
    assert "rank3.log:9  " in shown


def test_the_vendor_s_word_for_the_action_is_told():
    assert "- **Action:** reboot the node (`reboot-node`; vendor: `RESTART_BM`)" in render(fault())


def test_healthy_and_unknown():
    assert render(healthy()).startswith("## HEALTHY: No fault")
    assert len(render(healthy()).splitlines()) < 8
    assert "**Unknown; last known:**" in render(unknown())
    assert "### Still to collect" in render(unknown())


def outside_code(shown: str) -> str:
    """The text that Markdown would interpret: blocks and spans of code are left out."""
    from markdown_it import MarkdownIt

    parts = []
    for token in MarkdownIt("commonmark").enable("table").parse(shown):
        assert token.type not in ("html_block", "table_open")
        for child in token.children or []:
            assert child.type not in ("html_inline", "link_open", "image")
            parts.append(child.content if child.type == "text" else "")
    return "".join(parts)


@pytest.mark.parametrize("make", [fault, healthy, unknown, hostile])
def test_log_text_is_never_interpreted(make):
    text = outside_code(render(make(), everything=True))
    assert "@octocat" not in text
    assert "#12" not in text


def test_fences_and_spans_are_longer_than_any_run_of_backticks():
    assert fence(["a ```` b"])[0] == "`````text"
    assert code("a `` b") == "```a `` b```"
    assert code("`x`") == "`` `x` ``"
    assert code("") == ""


def test_escape():
    assert escape("a*b [c](d) <e> @f `g <h>` `") == "a\\*b \\[c\\](d) \\<e\\> @\u200bf `g <h>` \\`"
