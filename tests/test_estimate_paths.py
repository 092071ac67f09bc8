"""The matrix of `nvidia-smi topo -m`, read and judged."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.estimate import paths
from triage.estimate.quantities import Unsuitable
from triage.sources import open_inputs, open_text

ROOT = Path(__file__).resolve().parent.parent
HEAD = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
TWO_SOCKETS = HEAD + (
    "GPU0\t X \tNV4\tSYS\tSYS\t0-15,32-47\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tSYS\tSYS\t0-15,32-47\t0\t\tN/A\n"
    "GPU2\tSYS\tSYS\t X \tPXB\t16-31\t1\t\tN/A\n"
    "GPU3\tSYS\tSYS\tPXB\t X \t16-31\t1\t\tN/A\n"
)
DESKTOP = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-31\nGPU1\tPHB\t X \t0-31\n"


def reach(text: str) -> paths.Reach:
    return paths.reach(paths.read([open_text(text)]))


def test_two_sockets_are_two_groups():
    found = reach(TWO_SOCKETS)
    assert (found.gpus, found.nearest, found.farthest, found.slowest_hop) == (4, "NV4", "SYS", "SYS")
    assert found.groups == "0,1 | 2,3"
    assert found.counts == "1 x NV4, 1 x PXB, 4 x SYS"
    assert "crosses the sockets" in found.answer
    assert found.affinity[2] == paths.Affinity(2, "16-31", "1")


def test_a_desktop_pair_is_no_warning():
    found = reach(DESKTOP)
    assert found.slowest_hop == "PHB"
    assert "inside one socket" in found.answer


def test_a_real_matrix_with_colours_and_a_legend():
    found = paths.reach(paths.read(open_inputs([ROOT / "fixtures/healthy/smi-topo/smi-topo.txt"])))
    assert (found.nearest, found.answer) == ("NV18", "all GPUs reach each other over NVLink")
    assert found.affinity[0].cpus == "0-31"


def test_the_order_of_paths():
    """PIX is nearer than PHB, whatever some pages say."""
    ranks = [paths.rank(name) for name in ("NV18", "PIX", "PXB", "PHB", "NODE", "SYS")]
    assert ranks == sorted(set(ranks))


def test_a_file_without_a_matrix():
    for text in ("no matrix", "\tGPU0\tCPU Affinity\nGPU0\t X \t0-3\n"):
        with pytest.raises(Unsuitable, match="nvidia-smi topo -m"):
            reach(text)


@given(st.text(alphabet="GPU01 \tXNVSY\n", max_size=200))
def test_never_another_error(text):
    for one in (text, HEAD + text, TWO_SOCKETS.replace("SYS", text, 1)):
        with suppress(Unsuitable):
            assert reach(one).gpus >= 2
