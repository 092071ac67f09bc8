"""Values of findings for probes: only those of known names and narrow patterns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage import analyze_text
from triage.model import Finding
from triage.recheck.expectation import from_finding, from_options

OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 GiB. GPU 1 has a total capacity of 139.80 GiB "
    "of which 138.36 GiB is free. Including non-PyTorch memory, this process has 1.44 GiB memory in use. Of the allocated "
    "memory 4.00 MiB is allocated by PyTorch, and 16.00 MiB is reserved by PyTorch but unallocated."
)


def finding(**entities: object) -> Finding:
    return Finding("x", "X", "cause", "error", "likely", entities=entities)  # type: ignore[arg-type]


def test_a_real_finding() -> None:
    found = analyze_text(OOM).findings[0]
    made = from_finding(found)
    assert made["id"] == "cuda-oom-too-large"
    assert made["requested"] == 300 << 30
    assert made["gpu"] == 1
    assert made["total"] == int(139.80 * 2**30)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("path", "/etc/shadow"), ("host", "evil.example"), ("pci", "0000:3b:00; reboot"), ("gpu", "$(id)"),
        ("gpu_uuid", "GPU-x"), ("interface", "eth0 && id"), ("port", "29500/x"), ("requested", "9" * 400),
        ("driver", "1.2`id`"), ("gpu", [0, 1]), ("process", "python3"), ("requested", "a lot"),
    ],
)  # fmt: skip
def test_nothing_else_gets_through(name: str, value: object) -> None:
    assert from_finding(finding(**{name: value})) == {"id": "x"}


@given(st.dictionaries(st.sampled_from(["pci", "gpu_uuid", "gpu", "requested", "port", "interface", "driver"]), st.text()))
def test_any_text_is_survived(values: dict[str, str]) -> None:
    made = from_finding(finding(**values))
    assert all(isinstance(value, (int, str)) for value in made.values())
    assert not any(char in str(value) for value in made.values() for char in "$`;|&<>\n'\"")


def test_options_add_to_what_is_known() -> None:
    assert from_options(["requested=20GiB", "gpu=3", "gpus=8"], {"id": "cuda-oom"}) == {
        "id": "cuda-oom", "requested": 20 << 30, "gpu": 3, "gpus": 8,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("requested", "write NAME=VALUE"), ("requested=much", "20GiB"), ("path=/tmp", "one of the names allocated"),
        ("gpu=", "no value for gpu"), ("python=/bin/sh", "write NAME=VALUE"),
    ],
)  # fmt: skip
def test_a_wrong_option_says_what_is_right(pair: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        from_options([pair])
