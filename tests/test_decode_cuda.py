"""CUDA versions and GPU generations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.decode import cuda


def test_an_old_driver() -> None:
    text = (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver"
    )
    assert cuda.explain([text], {}) == [
        "The installed driver offers CUDA 11.4 at most.",
        "Newer CUDA needs a newer driver branch: CUDA 12 from 525 and CUDA 13 from 580.",
    ]


def test_a_build_without_code_for_the_gpu() -> None:
    text = (
        "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.\n"
        "The current PyTorch install supports CUDA capabilities sm_50 sm_80 sm_86 sm_90."
    )
    assert cuda.explain([text], {}) == [
        "The GPU has compute capability 12.0, generation Blackwell (desktop and workstation).",
        "The build holds code for sm_50, sm_80, sm_86 and sm_90.",
    ]


@pytest.mark.parametrize(
    ("capability", "name"),
    [
        ((8, 0), "Ampere"),
        ((8, 6), "Ampere"),
        ((8, 9), "Ada Lovelace"),
        ((7, 5), "Turing"),
        ((7, 2), "Volta"),
        ((9, 0), "Hopper"),
        ((13, 0), ""),
    ],
)
def test_generations(capability: tuple[int, int], name: str) -> None:
    assert cuda.generation(*capability) == name


@given(st.integers(8, 30), st.integers(0, 9))
def test_versions_come_back_whole(major: int, minor: int) -> None:
    assert cuda.version(cuda.number(major, minor)) == (major, minor)


@given(st.text())
def test_never_raises(text: str) -> None:
    cuda.explain([text, f"found version {text})", f"supports CUDA capabilities {text}"], {})
