"""What estimates share on the command line."""

from __future__ import annotations

import json

import pytest
import typer

from triage.cli.options import ShortFormat
from triage.cli.plan_sheet import estimate, option_of, show, size_reader
from triage.cli.streams import Colour
from triage.estimate import pcie
from triage.estimate.quantities import GIB


@pytest.mark.parametrize(("field", "option"), [("gpu_memory_bytes", "--gpu-memory"), ("board_watts", "--board-watts"), ("batch", "--batch")])
def test_options_of_fields(field, option):
    assert option_of(field) == option


@pytest.mark.parametrize(("kind", "text", "want"), [("count", "7B", 7e9), ("size", "1GB", 1e9), ("logged", "1GB", GIB), ("card", "1GiB", GIB)])
def test_sizes_by_what_they_are_of(kind, text, want):
    assert size_reader(kind)(text) == want
    with pytest.raises(typer.BadParameter, match="'<free>' is not a "):
        size_reader(kind)("<free>")


def test_what_cannot_be_used_names_its_option():
    inputs, result = estimate(lambda: pcie.Link(4), pcie.flow)
    assert result == pcie.flow(inputs)
    with pytest.raises(typer.BadParameter, match=r"^--width must be one of"):
        estimate(lambda: pcie.Link(4, width=3), pcie.flow)


def test_both_forms_show_the_same(capsys):
    link = pcie.Link(5, measured_gb_per_s=50.0)
    arguments = ("pcie", link, pcie.flow(link), pcie, {"generation": "given"})
    show(*arguments, ShortFormat.json, Colour.never)
    data = json.loads(capsys.readouterr().out)
    show(*arguments, ShortFormat.terminal, Colour.never)
    text = capsys.readouterr().out
    assert data["inputs"]["generation"] == {"value": 5, "origin": "given"}
    assert text.startswith(f"PCIE  {data['result']['answer']}\n")
