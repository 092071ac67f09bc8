"""The table that sends a finding to its readers."""

from __future__ import annotations

from importlib import import_module

from hypothesis import given
from hypothesis import strategies as st

from triage import decode
from triage.library.loader import load_library
from triage.pipeline import analyze_text
from triage.render import words


def test_every_reader_exists() -> None:
    for _, names in decode.READERS:
        for name in names:
            module, function = name.split(".")
            assert callable(getattr(import_module(f"triage.decode.{module}"), function))


def test_every_entry_names_a_signature() -> None:
    ids = set(load_library().signatures)
    for name, _ in decode.READERS:
        assert any(i == name or (name.endswith("*") and i.startswith(name[:-1])) for i in ids), name


def test_findings_without_a_reader_have_nothing_to_add() -> None:
    assert decode.explain("python-exception", ["ValueError: 1"], {}) == []


def test_at_most_four_sentences_without_repeats() -> None:
    lines = [f"infiniband mlx5_0: x:1:(pid 1): WC error: {n}, Message: m" for n in (4, 5, 10, 12, 13, 12)]
    told = decode.explain("mlx5-wc-error", lines, {})
    assert len(told) == len(set(told)) == 4


def test_a_storm_is_decoded_in_part_and_says_so() -> None:
    line = "infiniband mlx5_0: x:1:(pid 1): WC error: 12, Message: m" + " " * 1000
    told = decode.explain("mlx5-wc-error", [line] * 2000, {})
    assert told[-1].startswith("Only the first ")
    assert told[-1].endswith(" of 2000 records were decoded.")


_IDS = sorted({name.replace("*", "1") for name, _ in decode.READERS})


@given(st.sampled_from(_IDS), st.lists(st.text(), max_size=3), st.dictionaries(
    st.sampled_from(["exit_code", "signal", "bugcheck", "ntstatus", "device_code", "symbol"]),
    st.one_of(st.text(), st.integers(), st.booleans(), st.floats(), st.lists(st.text(), max_size=2)),
))  # fmt: skip
def test_never_raises(finding: str, texts: list[str], known: dict[str, str | int | bool | float | list[str]]) -> None:
    told = decode.explain(finding, texts, known)  # type: ignore[arg-type]
    assert len(told) <= decode.MOST
    assert all(said == said.strip() and said.endswith(".") for said in told)


FAULT = (
    "[{at}.0] NVRM: Xid (PCI:0000:5e:00): 31, pid={pid}, name=python3, channel 0x2, intr 0. MMU Fault: ENGINE GRAPHICS {gpc} "
    "GPCCLIENT_T1_1 faulted @ 0x7d02_300c0000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
)


def test_faults_of_other_hours_are_compared() -> None:
    lines = [FAULT.format(at=1000 + 5000 * n, pid=100 + n, gpc=f"GPC{n}") for n in range(3)]
    report = analyze_text("\n".join(lines), "dmesg.txt")
    assert report.findings[0].id == "xid-31"
    assert "GPC0" in report.findings[0].decoded[-1]
    assert "a changing place speaks for the program" in report.findings[0].decoded[-1]


def test_a_cause_without_codes_borrows_those_of_its_effect() -> None:
    report = analyze_text(
        FAULT.format(at=1000, pid=100, gpc="GPC1")
        + "\nRuntimeError: CUDA error: an illegal memory access was encountered (rank 0, pid 100, GPU 0000:5e:00)",
        "job.log",
    )
    cause = words.root(report)
    assert cause is not None
    if cause.id == "cuda-illegal-address":
        assert words.decoded(cause, report).startswith("xid-31: A kernel")
    else:
        assert words.decoded(cause, report).startswith("A kernel")
