"""What people type for a signature, and what they are offered when it is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.library.loader import load_library
from triage.library.lookup import find, suggest

KNOWN = load_library()


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("79", "xid-79"), ("Xid 79", "xid-79"), ("xid#79", "xid-79"), ("sxid 20034", "sxid-20034"), ("20034", "sxid-20034"),
        ("code 43", "win-code-43"), ("cuda 700", "cuda-illegal-address"), ("710", "cuda-assert"), ("cuda 2", "cuda-oom-raw"),
        ("cuda-oom", "cuda-oom"), ("xid-79", "xid-79"), ("bus-error", "bus-error"), ("code 6", None), ("xid 99999", None),
        ("79 80", None), ("", None),
        ("Xid: 79", "xid-79"), ("sxid_20034", "sxid-20034"), ("#79", None), ("windows code 43", "win-code-43"),
        ("cudaError 710", "cuda-assert"), ("code 9999", None), ("gpu-off-the-bus", "gpu-off-the-bus"), ("1234567", None),
        ("cuda 222", "cuda-ptx"),
    ],
)  # fmt: skip
def test_ids_and_codes(name: str, want: str | None) -> None:
    assert find(name, KNOWN) == want


@pytest.mark.parametrize(
    ("name", "among"),
    [
        ("nccl timeout", "pg-watchdog-timeout"), ("nccl timeout", "nccl-connect-timeout"), ("cuda out of memory", "cuda-oom"),
        ("out of memory", "host-oom-kill"), ("gpu fallen off the bus", "xid-79"), ("watchdog", "pg-watchdog-timeout"),
        ("illegal memory access", "cuda-illegal-address"), ("xdi-79", "xid-79"), ("cuda-oom-fragmentd", "cuda-oom-fragmented"),
        ("nan loss", "loss-nan"),
    ],
)  # fmt: skip
def test_words_and_slips_of_the_pen(name: str, among: str) -> None:
    assert among in suggest(name, KNOWN)


@given(st.text(max_size=60))
def test_any_text_gives_known_ids(name: str) -> None:
    known = {*KNOWN.signatures, *KNOWN.playbooks}
    assert len(suggest(name, KNOWN)) <= 3
    assert set(suggest(name, KNOWN)) <= known
    assert find(name, KNOWN) is None or find(name, KNOWN) in known
