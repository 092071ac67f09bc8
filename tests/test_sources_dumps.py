"""Dumps of the flight recorder and of NCCL's RAS: what they say in words, and that nothing in them is ever called."""

from __future__ import annotations

import io
import json
import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.model import Source
from triage.sources import open_inputs, open_text
from triage.sources.dumps import dump_source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
DUMP = FIXTURES / "fr-other-collective" / "nccl_trace_rank_0"


def texts(source: Source) -> list[str]:
    return [line.text for block in source.blocks() for line in block.lines(0, block.count)]


def opened(path: Path) -> Source:
    (source,) = open_inputs([path])
    return source


def test_a_dump_becomes_statements_about_each_group() -> None:
    lines = texts(opened(DUMP))
    head = "flight recorder of rank 0: "
    assert lines[0] == head + "version 2.10, NCCL 2.28.9"
    assert lines[1] == head + "process group 0(default_pg) of 2 ranks (0-1): last enqueued 11, started -1, completed 8"
    assert head + (
        "process group 0(default_pg) collective 9: all_reduce of 65536 Float scheduled, timeout 15000 ms, "
        "called in <module> (collect.py:42)"
    ) in lines  # fmt: skip
    assert sum("collective 8:" in line and "completed" in line for line in lines) == 1


def test_pickle_and_json_say_the_same_but_for_the_frames(tmp_path: Path) -> None:
    tree = pickle.loads(DUMP.read_bytes())
    for entry in tree["entries"]:
        del entry["frames"]
    (tmp_path / "trace_7").write_text(json.dumps(tree))
    lines = texts(opened(tmp_path / "trace_7"))
    assert [line.split(", called")[0].replace("of rank 0", "of rank 7") for line in texts(opened(DUMP))] == lines


def test_a_dump_that_was_cut_gives_what_was_written(tmp_path: Path) -> None:
    data = DUMP.read_bytes()
    (tmp_path / "nccl_trace_rank_0").write_bytes(data[: len(data) * 2 // 3])
    source = opened(tmp_path / "nccl_trace_rank_0")
    assert "is cut" in source.note
    assert any("process group 0(default_pg)" in line for line in texts(source))


class _Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch called",)


def test_a_pickle_that_asks_for_a_class_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nccl_trace_rank_0").write_bytes(pickle.dumps({"version": "2.10", "entries": [_Evil()]}, protocol=2))
    source = opened(tmp_path / "nccl_trace_rank_0")
    assert not source.readable
    assert "more than plain values" in source.note
    assert sorted(p.name for p in tmp_path.iterdir()) == ["nccl_trace_rank_0"]


def test_a_huge_memo_and_a_nest_that_doubles_cost_nothing(tmp_path: Path) -> None:
    memo = b"\x80\x02}X\x07\x00\x00\x00versionr\xff\xff\xff\x7fX\x01\x00\x00\x002s."  # LONG_BINPUT 2147483647
    assert isinstance(dump_source(memo, "rank_0", pickled=True), str)
    nest: list[object] = []
    for _ in range(60):
        nest = [nest, nest]
    entry = {
        "collective_seq_id": nest,
        "profiling_name": nest,
        "frames": nest,
        "state": nest,
        "input_sizes": nest,
        "pg_id": 0,
    }
    out = io.BytesIO()
    pickle.Pickler(out, protocol=2).dump({"pg_status": {}, "pg_config": {"0": {"ranks": nest}}, "entries": [entry]})
    found = dump_source(out.getvalue(), "rank_0", pickled=True)
    assert isinstance(found, Source)
    assert texts(found)


def test_json_that_only_begins_like_a_dump_stays_text() -> None:
    text = '{"version": "2.10", "pg_config": oops}\nRuntimeError: x'
    assert texts(open_text(text)) == text.split("\n")


def test_ras_in_json_reads_like_ras_in_text() -> None:
    tree = {
        "nccl_version": "2.28.9", "communicators": [{
            "hash": "0x5e40", "size": 3, "ranks_count": 2, "missing_ranks_count": 1,
            "ranks": [{"rank": r, "host": "10.0.0.7", "pid": 617 + r, "cuda_dev": r, "nvml_dev": r + 4,
                       "collective_counts": {"AllReduce": 5 - r, "Broadcast": 0}} for r in (0, 1)],
            "missing_ranks": [{"rank": 2, "host": "10.0.0.8", "pid": 9, "cuda_dev": 0, "nvml_dev": 0}],
        }],
    }  # fmt: skip
    lines = texts(open_text(json.dumps(tree)))
    assert "#0-0 (5e40) MISMATCH INCOMPLETE" in lines
    assert "  Rank 1 has launched up to operation 4 -- GPU 1 (NVML 5) managed by process 618 on node 10.0.0.7" in lines
    assert "  Process 9 on node 10.0.0.8 managing GPU 0" in lines


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(
        ["entries", "pg_config", "pg_status", "0", "ranks", "communicators", "pg_id", "state", "collective_seq_id", "frames",
         "process_group", "input_sizes", "collective_counts", "missing_ranks", "time_created_ns", "last_enqueued_collective"]), inner, max_size=6),
    max_leaves=40,
)  # fmt: skip


@given(VALUES)
def test_whatever_stands_in_a_dump_nothing_raises(value: object) -> None:
    for data, pickled in ((pickle.dumps(value, protocol=2), True), (json.dumps(value).encode(), False)):
        found = dump_source(data, "rank_3", pickled=pickled)
        if isinstance(found, Source):
            texts(found)


@given(st.binary(max_size=200))
def test_damaged_bytes_give_a_reason(tail: bytes) -> None:
    found = dump_source(b"\x80\x02}" + tail, "rank_3", pickled=True)
    assert isinstance(found, Source | str)
