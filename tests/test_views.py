from pathlib import Path

from small import library, signature

from triage.library.library import Library
from triage.model import Finding
from triage.pipeline import analyze_text

RANK = r"\\[rank(?P<rank>[0-9]+)\\]: "
FILES = {
    "oom.yaml": signature("oom", "out of memory"),
    "oom-big.yaml": signature("oom-big", "out of memory, wanted (?P<requested>[0-9]+)", refines="[oom]"),
    "dead.yaml": signature("dead", "engine dead", role="carrier"),
    "waited.yaml": signature("waited", "(?P<rank>[0-9]+) waited", types="{rank: int}", role="symptom"),
    "lost.yaml": signature("lost", "NVRM: lost (?P<pci>[0-9a-f:.]+)", types="{pci: pci}"),
    "other.yaml": signature("other", "x", match="[{formats: [traceback], where: frames > 0}]", fallback="true"),
    "nan.yaml": signature("nan", "loss is nan"),
    "causality.yaml": """
- {cause: 'oom-*', effect: oom, relation: same, join: [host, rank], strength: sure}
- {cause: [oom], effect: dead, join: [host], strength: usual}
""",
}  # fmt: skip


def findings(tmp_path: Path, text: str) -> list[Finding]:
    known: Library = library(tmp_path, FILES)
    assert known.problems == []
    return analyze_text(text, library=known).findings


def test_the_same_fault_in_fewer_words_is_told_once(tmp_path: Path) -> None:
    cause, effect = findings(tmp_path, "out of memory, wanted 12\nengine: out of memory\nengine dead")
    assert (cause.id, cause.explains) == ("oom-big", ["dead"])
    assert (effect.id, effect.explained_by) == ("dead", ["oom-big"])


def test_ranks_that_fail_alike_are_one_finding(tmp_path: Path) -> None:
    text = "2025-03-11 10:00:05 rank 2 waited\n2025-03-11 10:00:04 rank 1 waited\n2025-03-11 10:00:06 rank 3 waited"
    (one,) = findings(tmp_path, text)
    assert (one.entities["rank"], one.count) == ([1, 2, 3], 3)
    assert one.first is not None
    assert one.first.line == 2
    assert "independent" not in one.why


def test_one_rank_stays_a_number(tmp_path: Path) -> None:
    (one,) = findings(tmp_path, "rank 2 waited")
    assert one.entities["rank"] == 2


def test_ranks_that_fail_minutes_apart_are_told_apart(tmp_path: Path) -> None:
    text = "2025-03-11 10:00:05 rank 2 waited\n2025-03-11 10:02:04 rank 1 waited"
    first, second = findings(tmp_path, text)
    assert (first.entities["rank"], second.entities["rank"]) == (2, 1)
    assert first.why.endswith("; 1 independent finding beside it")


def test_devices_are_one_finding_only_at_one_time(tmp_path: Path) -> None:
    text = "[  100.000000] NVRM: lost 0000:3b:00.0\n[  101.000000] NVRM: lost 0000:5e:00.0"
    (one,) = findings(tmp_path, text)
    assert one.entities["pci"] == ["0000:3b:00", "0000:5e:00"]
    assert len(findings(tmp_path / "2", text.replace("101.", "170."))) == 2


def test_a_stack_without_an_exception_is_no_fault_beside_a_named_one(tmp_path: Path) -> None:
    stack = 'Traceback (most recent call last):\n  File "/job/a.py", line 1, in f\n    g()\n'
    assert [f.id for f in findings(tmp_path, stack + "loss is nan")] == ["nan"]
    assert [f.id for f in findings(tmp_path / "2", stack)] == ["other"]
