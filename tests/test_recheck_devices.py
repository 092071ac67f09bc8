"""Which GPUs may be touched."""

from __future__ import annotations

from typing import Any

import pytest

from triage.recheck.devices import aim, choose, meant, refusal, visible

GIB = 1 << 30


def gpu(index: int, bus: str, uuid: str, used: int = 0, *processes: dict[str, Any]) -> dict[str, Any]:
    memory = {"total": 140 * GIB, "used": used, "free": 140 * GIB - used}
    return {"index": index, "pci": f"0000:{bus}:00", "uuid": f"GPU-{uuid}", "memory": memory, "processes": list(processes)}


def process(pid: int, size: int | None, kind: str = "compute") -> dict[str, Any]:
    return {"pid": pid, "bytes": size, "kind": kind, "seen": {"name": "python3", "uid": 0}}


A, B, C = gpu(0, "3b", "aaaa1111-x"), gpu(1, "5e", "bbbb2222-x"), gpu(2, "86", "bbbb3333-x")
ALL = [A, B, C]


@pytest.mark.parametrize(
    ("setting", "want"),
    [
        (None, [A, B, C]), ("", []), ("2,0", [C, A]), ("GPU-bbbb2222", [B]), ("GPU-bbbb2222,0", [B, A]),
        ("GPU-bbbb", []),  # not unique: CUDA takes none
        ("0,7,1", [A]),  # CUDA stops at the first it cannot use
        (" 1 , 2 ", [B, C]), ("-1", []), ("NoDevFiles", []),
    ],
)  # fmt: skip
def test_what_cuda_visible_devices_leaves(setting: str | None, want: list[dict[str, Any]]) -> None:
    assert list(visible(ALL, {} if setting is None else {"CUDA_VISIBLE_DEVICES": setting})) == want


@pytest.mark.parametrize(
    ("given", "want"),
    [("1", B), ("GPU-aaaa1111", A), ("0000:86:00", C), ("00000000:86:00.0", C), ("86:00.0", C)],
)
def test_a_gpu_is_named_in_any_way(given: str, want: dict[str, Any]) -> None:
    assert choose(ALL, given) is want


def test_an_index_counts_the_visible_ones() -> None:
    assert choose([C, A], "0") is C


@pytest.mark.parametrize("given", ["3", "GPU-cccc0000", "0000:99:00", "x", ""])
def test_what_is_not_there_is_told_with_what_is(given: str) -> None:
    with pytest.raises(LookupError, match=r"0 \(0000:3b:00, GPU-aaaa1111-x\)"):
        choose(ALL, given)


def test_aiming_names_one_gpu_in_all_ways() -> None:
    assert aim({"id": "xid-79"}, C) == {"id": "xid-79", "gpu": 2, "pci": "0000:86:00", "gpu_uuid": "GPU-bbbb3333-x"}


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (gpu(0, "3b", "a"), ""),
        (gpu(0, "3b", "a", GIB // 2), ""),  # what the driver holds for itself
        (gpu(0, "3b", "a", 2 * GIB, process(1, 2 * GIB, "graphics")), ""),  # a desktop
        (gpu(0, "3b", "a", GIB, process(4711, GIB)), "0000:3b:00 is in use by pid 4711 (python3)"),
        (gpu(0, "3b", "a", 30 * GIB), "30.0 GiB of 0000:3b:00 are held by somebody who is not listed"),
        ({"index": 3, "error": "GPU is lost"}, "GPU 3 cannot be read: GPU is lost"),
    ],
)
def test_no_load_where_others_work(one: dict[str, Any], words: str) -> None:
    assert refusal([A, one]) == words


@pytest.mark.parametrize(
    ("wanted", "want"),
    [
        ({"gpu_uuid": "GPU-bbbb3333-x", "gpu": 0}, C), ({"pci": "0000:5e:00", "gpu": 0}, B), ({"gpu": 0}, A),
        ({"gpu": 7}, None), ({"gpu_uuid": "GPU-none", "gpu": 0}, None), ({}, None), ({"gpu": -1}, None),
    ],
)  # fmt: skip
def test_what_a_finding_means(wanted: dict[str, Any], want: dict[str, Any] | None) -> None:
    assert meant(ALL, wanted) is want


def test_the_index_of_a_log_counts_what_is_visible() -> None:
    assert meant([C, A], {"gpu": 0}) is C
