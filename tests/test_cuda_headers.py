"""The library's CUDA errors against NVIDIA's own headers and runtime, where the package nvidia-cuda-runtime is installed."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from collections import defaultdict
from pathlib import Path

import pytest

from triage.library.library import Library
from triage.library.loader import load_library
from triage.library.lookup import find
from triage.pipeline import match_texts

NAME = re.compile(r"^\s*((?:cudaError|CUDA_ERROR_)\w+)\s*=\s*(\d+)", re.M)
NOT_A_FAULT = {"no error", "unrecognized error code"}


def headers() -> list[Path]:
    """driver_types.h and cuda.h of the newest installed release."""
    spec = importlib.util.find_spec("nvidia")
    roots = [Path(root) for root in (spec.submodule_search_locations or [])] if spec else []
    found = sorted(path for root in roots for path in root.glob("*/include/driver_types.h"))
    return [found[-1], found[-1].with_name("cuda.h")] if found else []


pytestmark = pytest.mark.skipif(not headers(), reason="nvidia-cuda-runtime is not installed")


@pytest.fixture(scope="module")
def known() -> Library:
    return load_library()


@pytest.fixture(scope="module")
def names() -> dict[int, list[str]]:
    """The names of every error number, those of the runtime and of the driver."""
    found: dict[int, list[str]] = defaultdict(list)
    for path in headers():
        for name, number in NAME.findall(path.read_text(encoding="utf-8", errors="replace")):
            found[int(number)].append(name)
    return dict(found)


def own(texts: list[str], known: Library) -> list[set[str]]:
    """The CUDA signatures that each text gives."""
    matches = match_texts([(text, "paste") for text in texts], known)
    return [{m.id for m in one if m.id.startswith("cuda-") and m.id != "cuda-error-unknown-number"} for one in matches]


def test_every_name_of_the_headers_is_known(names: dict[int, list[str]], known: Library) -> None:
    flat = [name for group in names.values() for name in group]
    assert len(flat) > 200
    found = dict(zip(flat, own(flat, known), strict=True))
    assert [name for name, ids in found.items() if not ids] == []


def test_both_names_of_a_number_mean_the_same(names: dict[int, list[str]], known: Library) -> None:
    pairs = {number: group for number, group in names.items() if len(group) == 2}
    assert len(pairs) > 90
    first, second = (own([group[i] for group in pairs.values()], known) for i in (0, 1))
    differ = {number: (a, b) for number, a, b in zip(pairs, first, second, strict=True) if not a & b}
    assert differ == {}


def test_every_text_of_the_runtime_is_known(names: dict[int, list[str]], known: Library) -> None:
    libraries = sorted((headers()[0].parent.parent / "lib").glob("libcudart.so.*"))
    if not libraries:
        pytest.skip("the package has no runtime for this platform")
    runtime = ctypes.CDLL(str(libraries[-1]))
    runtime.cudaGetErrorString.restype = ctypes.c_char_p
    texts = {number: runtime.cudaGetErrorString(number).decode() for number in names}
    texts = {number: text for number, text in texts.items() if text not in NOT_A_FAULT}
    assert len(texts) > 120
    same = {text: {n for n in texts if texts[n] == text} for text in texts.values()}  # 200 and 300 are worded alike
    said = own([f"RuntimeError: CUDA error: {text}" for text in texts.values()], known)
    named = dict(zip(texts, own([names[number][0] for number in texts], known), strict=True))
    means = {number: set().union(*(named[n] for n in same[text])) for number, text in texts.items()}
    differ = {n: (texts[n], ids, means[n]) for n, ids in zip(texts, said, strict=True) if not ids & means[n]}
    assert differ == {}


def test_every_number_can_be_looked_up(names: dict[int, list[str]], known: Library) -> None:
    assert [number for number in names if find(f"cuda {number}", known) is None] == []
