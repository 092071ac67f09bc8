"""Readings as pass, warn, fail, unknown or skip, and as the codes of monitoring plugins."""

from __future__ import annotations

import sys

import pytest

from triage import preflight
from triage.preflight import Item, code
from triage.recheck.check import Settings
from triage.recheck.judging import Result
from triage.recheck.registry import probes
from triage.render import preflight as rendering
from triage.render.page import plain


def items(*words: str) -> list[Item]:
    outcomes = {"pass": "refuted", "warn": "confirmed", "fail": "confirmed", "unknown": "inconclusive", "skip": "not-applicable"}
    return [
        Item(word, Result(f"probe-{word}", outcomes[word], f"detail of {word} | more", 0.1, warning=word == "warn"))  # type: ignore[arg-type]
        for word in words
    ]


@pytest.mark.parametrize(
    ("words", "want"),
    [
        (("pass", "skip"), 0), (("pass", "warn", "unknown"), 1), (("warn", "fail", "unknown"), 2), (("pass", "unknown"), 3),
        (("skip", "skip"), 3), ((), 3),
    ],
)  # fmt: skip
def test_the_worst_decides(words: tuple[str, ...], want: int) -> None:
    assert code(items(*words)) == want
    assert rendering.as_dict(items(*words))["code"] == want


def test_only_what_reads_is_run() -> None:
    assert not [name for name in preflight.names() if probes()[name].load == "needed"]
    assert {"gpu-present", "ecc-remap", "pcie-link", "throttle", "shm"} <= set(preflight.names())


def test_this_machine() -> None:
    left = set(preflight.names()) - {"shm", "disk", "gpu-present"}
    found = preflight.preflight(Settings(sys.executable), 64, left)
    assert [item.result.probe for item in found] == ["gpu-present", "shm", "disk"]
    assert found[0].word == "fail"
    assert "of 64 expected GPUs answer" in found[0].result.detail


def test_the_headline_names_the_worst() -> None:
    line = rendering.headline(items("pass", "warn", "fail", "skip"))
    assert line == "TRIAGE CRITICAL - probe-fail: detail of fail / more; 1 pass, 1 warn, 1 fail, 1 skip\n"
    assert rendering.headline(items("pass")) == "TRIAGE OK - 1 pass\n"
    assert rendering.headline([]) == "TRIAGE UNKNOWN - nothing to check\n"


@pytest.mark.parametrize("width", [40, 80])
def test_the_table_begins_with_what_is_wrong(width: int) -> None:
    rows = plain(rendering.rows(items("pass", "skip", "unknown", "fail", "warn"), width)).splitlines()
    assert all(len(row) <= width for row in rows)
    order = [row.split()[0] for row in rows if row[9:].startswith("probe-")]
    assert order == ["fail", "warn", "unknown", "pass", "skip"]
