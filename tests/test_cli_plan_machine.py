"""`triage plan pcie|power|cooling|topology`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planned import data, refused, run

ROOT = Path(__file__).resolve().parent.parent


def test_pcie():
    assert data("pcie --generation 4 --bytes 1GB --gpus 9")["result"]["allreduce_ms"] == pytest.approx(70.5, abs=0.1)
    assert data("pcie --generation 4 --width 8 --measured-gb-per-s 13")["result"]["fits"] is True


def test_power():
    assert data("power --gpus 9 --board-watts 350 --psu-watts 1600")["result"]["fits"] is False
    found = data("power --gpus 1 --board-watts 450 --cpu-watts 150 --psu-watts 500 --psu-watts 350 --connector 12vhpwr")
    assert found["inputs"]["psu_watts"] == {"value": [500.0, 350.0], "origin": "given"}
    assert found["result"]["fits"] is True


def test_cooling():
    assert data("cooling --heat-watts 3150")["result"]["flow_cfm"] == pytest.approx(369, abs=0.5)
    assert "no machine runs like this" in " ".join(run("cooling --heat-watts 3780 --flow-m3h 2.5").stdout.split())


def test_topology_by_numbers_and_by_matrix():
    assert data("topology --gpus 9 --sockets 2")["result"]["crossing_pairs"] == 20
    found = data(f"topology {ROOT / 'fixtures/healthy/smi-topo/smi-topo.txt'}")
    assert found["result"]["nearest"] == "NV18"
    assert found["result"]["affinity"][1] == {"gpu": 1, "cpus": "0-31", "numa": "0"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("pcie --generation 8", "--generation must be 1 to 6"), ("pcie --generation 4 --width 5", "--width must be one of"),
        ("power --gpus 1 --board-watts 9 --psu-watts 0", "--psu-watts must be above 0"), ("power --gpus 1 --board-watts 9", "Missing option '--psu-watts'"),
        ("cooling --heat-watts -1", "--heat-watts must be above 0"), ("topology", "give the number of GPUs"),
        ("topology --gpus 2 README.md", "takes no numbers beside it"), ("topology pyproject.toml", "pyproject.toml holds no matrix of several GPUs: give the output of `nvidia-smi topo -m`"),
        ("topology no/such", "no/such does not exist"),
    ],
)  # fmt: skip
def test_errors_name_the_option_and_what_to_do(line, words, monkeypatch):
    monkeypatch.chdir(ROOT)
    refused(line, words)
