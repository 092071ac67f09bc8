"""Estimates as pages and as data: every input echoed, nothing wider than the page, JSON of plain values."""

from __future__ import annotations

import json

import pytest

from triage.estimate import cooling, fit, memory, oom, pcie, power, topology
from triage.estimate.architecture import Architecture
from triage.estimate.quantities import GIB
from triage.render import plan
from triage.render.json import dumps
from triage.render.page import plain
from triage.render.text import cells

SHAPE = Architecture(layers=32, hidden=4096, heads=32, vocab=32000, intermediate=11008, gated=True)
TRAINING = memory.Training(SHAPE.parameters, SHAPE, gpu_memory_bytes=79.1 * GIB)
FAILURE = oom.Failure(4 * GIB, GIB, 139.8 * GIB, 137 * GIB, gpus=8)
SHEETS = [
    plan.Sheet("memory training", TRAINING, fit.fit(TRAINING), memory.ASSUMES, memory.SOURCES, {"parameters": "computed", "layers": "config"}),
    plan.Sheet("memory oom", FAILURE, oom.room(FAILURE), oom.ASSUMES, oom.SOURCES),
    *(plan.Sheet(name, one, work(one), module.ASSUMES, module.SOURCES) for name, module, one, work in (
        ("pcie", pcie, pcie.Link(4, bytes=1e9, gpus=9, step_ms=300.0), pcie.flow),
        ("power", power, power.Machine(9, 350, (1600, 1600), 280, connectors=("8pin", "8pin")), power.budget),
        ("cooling", cooling, cooling.Heat(3150, fan_m3h=100), cooling.air),
        ("topology", topology, topology.Board(9, 2), topology.plan),
    )),
]  # fmt: skip


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_data_echoes_every_input(sheet):
    data = json.loads(dumps(plan.as_dict(sheet)))
    assert data["plan"] == sheet.name
    assert set(data) == {"plan", "inputs", "result", "assumes", "sources"}
    assert all(set(one) == {"value", "origin"} for one in data["inputs"].values())
    assert data["result"]["answer"]
    assert data["assumes"]
    assert all(source.startswith("https://") for source in data["sources"])


def test_origins_and_nested_fields():
    inputs = plan.as_dict(SHEETS[0])["inputs"]
    assert inputs["layers"] == {"value": 32, "origin": "config"}
    assert inputs["parameters"] == {"value": SHAPE.parameters, "origin": "computed"}
    assert inputs["batch"] == {"value": 1, "origin": "default"}
    assert plan.as_dict(SHEETS[0])["result"]["options"][0]["change"] == "AdamW(fused=True)"
    text = plain(plan.render(SHEETS[0], 100))
    assert "CONFIG   layers 32\n" in text
    assert "COMPUTED parameters 6,738,415,616\n" in text


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_it_keeps_to_the_width_and_cuts_no_number(sheet, width):
    text = plain(plan.render(sheet, width))
    for line in text.splitlines():
        assert cells(line) <= width
    assert "".join(sheet.result.answer.split()) in "".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(("sheet", "title", "last"), [(SHEETS[0], "OPTIONS", "largest batch"), (SHEETS[-1], "LAYOUTS", "each")])
def test_tables_keep_their_numbers(sheet, title, last, width):
    lines = plain(plan.render(sheet, width)).splitlines()
    at = lines.index(title) + 1
    assert lines[at].endswith(f"  {last}")
    rows = lines[at + 1 : lines.index("", at)]
    assert len({len(row) for row in [lines[at], *rows]}) == 1
    assert rows
    assert not any(row.endswith("…") for row in rows)


def test_an_argument_to_copy_is_whole():
    text = plain(plan.render(SHEETS[1], 80))
    assert '{0: "133GiB", 1: "133GiB",' in text
    assert '7: "133GiB"}' in text


def test_units_follow_the_numbers():
    texts = {sheet.name: plain(plan.render(sheet, 110)) for sheet in SHEETS}
    assert "70.53 ms  ring factor x transfer" in texts["pcie"]
    assert "31.51 GB/s" in texts["pcie"]
    assert "627 m3/h" in texts["cooling"].replace("626.9", "627")
    assert "1,600 W, 1,600 W" in texts["power"]
    assert "GiB" in texts["memory training"]
    assert " GB  weights + gradients + optimizer" in texts["memory training"]


def test_ascii_only_where_wanted():
    assert plain(plan.render(SHEETS[0], 80, fancy=False)).isascii()
