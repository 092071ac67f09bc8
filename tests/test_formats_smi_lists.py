"""Matrices and lists of nvidia-smi."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.formats import read
from triage.model import Line, Record


def records(text: str) -> list[Record]:
    return read([Line(i, one, one) for i, one in enumerate(text.strip("\n").split("\n"), 1)], "test")


TOPO = """
\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV18\tPXB\t0-31\t0
GPU1\tNV18\t X \tSYS\t32-63\t1
NIC0\tPXB\tSYS\t X 

Legend:
"""
LINKS = """
GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-11111111-2222-3333-4444-000000000000)
\t Link 0: 25 GB/s
\t Link 1: <inactive>
GPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-11111111-2222-3333-4444-000000000001)
\t Link 0: Replay Errors: 2
\t Link 0: CRC Errors: N/A

\t Link 1: Replay Errors: 0
$ next
"""
DMON = """
# gpu    pwr  gtemp     sm   pclk  dbecc
# Idx      W      C      %    MHz   errs
    0     76     34     97    345      0
    1      -     31      -   1980      2
"""


def test_the_matrix_is_one_record() -> None:
    matrix, *rest = records(TOPO.strip("\n"))
    assert matrix.format == "smi-topo"
    assert matrix.text.split("\n")[1:] == [
        "GPU0 / GPU1 : NV18", "GPU0 / NIC0 : PXB", "GPU1 / GPU0 : NV18", "GPU1 / NIC0 : SYS", "NIC0 / GPU0 : PXB",
        "NIC0 / GPU1 : SYS",
    ]  # fmt: skip
    assert {one.format for one in rest} == {"text"}


def test_the_links_of_each_gpu() -> None:
    first, second, after = records(LINKS)
    assert (first.format, second.format, after.format) == ("smi-nvlink", "smi-nvlink", "text")
    assert (first.fields["gpu"], first.fields["links"], first.fields["links_down"]) == ("0", 2, 1)
    assert first.fields["links_down_peers"] == 0
    assert second.fields["link_errors"] == 2
    assert first.text.split("\n")[2] == "Link 1 : <inactive>"


def test_rows_of_a_monitor() -> None:
    _, _, first, second = records(DMON)
    assert first.format == "smi-monitor"
    assert (first.fields["gpu"], first.fields["utilization"], first.fields["clock_sm"]) == ("0", 97, 345)
    assert "utilization" not in second.fields
    assert second.text == "gpu: 1\ngtemp: 31\npclk: 1980\ndbecc: 2"


def test_a_list_of_gpus_alone_stays_text() -> None:
    assert {one.format for one in records("GPU 0: NVIDIA L4 (UUID: GPU-1)\nGPU 1: NVIDIA L4 (UUID: GPU-2)")} == {"text"}


@given(
    st.lists(
        st.sampled_from([*TOPO.split("\n"), *LINKS.split("\n"), *DMON.split("\n")]) | st.text(max_size=9), max_size=30
    )
)
def test_any_pieces_are_read(texts: list[str]) -> None:
    found = read([Line(i, text, text) for i, text in enumerate(texts)], "test")
    assert sorted(line.number for r in found for line in r.lines) == list(range(len(texts)))
    assert all(len(one.offsets) == len(one.lines) for one in found)
