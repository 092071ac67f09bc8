"""Options of `triage analyze`: zones and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from triage.cli.analyze import zone_offset
from triage.cli.app import app

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


@pytest.mark.parametrize(
    ("zone", "hours"),
    [("+02:00", 2), ("-0530", -5.5), ("+8", 8), ("UTC+1", 1), ("UTC", 0), ("Asia/Kolkata", 5.5), ("Asia/Shanghai", 8)],
)
def test_zones(zone, hours, capsys):
    assert zone_offset(zone, quiet=False) == 3600 * hours
    assert capsys.readouterr().err == ""


def test_a_zone_with_summer_time_is_told(capsys):
    assert zone_offset("Europe/Berlin", quiet=False) in (3600.0, 7200.0)
    assert "give the offset" in capsys.readouterr().err
    zone_offset("Europe/Berlin", quiet=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc", "+99999", "UTC+x"])
def test_unknown_zones_are_usage_errors(zone):
    with pytest.raises(typer.BadParameter, match="is not a known time zone"):
        zone_offset(zone, quiet=True)


def test_a_cause_left_out_gives_way_to_the_next():
    words = ["analyze", "--format", "json", "-q", str(FIXTURES / "py-oom-plain")]
    first = json.loads(CliRunner().invoke(app, words).stdout)["findings"][0]["id"]
    left = json.loads(CliRunner().invoke(app, [*words, "--ignore", first]).stdout)
    assert first not in [one["id"] for one in left["findings"]]


def test_exit_zero_is_for_reports_that_could_be_made(tmp_path):
    assert CliRunner().invoke(app, ["analyze", "--exit-zero", "-q", str(FIXTURES / "py-oom-plain")]).exit_code == 0
    assert CliRunner().invoke(app, ["analyze", "--exit-zero", "-q", str(tmp_path / "none.log")]).exit_code == 2
