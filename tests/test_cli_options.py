"""Options that commands share: near misses, own folders, completion."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from tests.small import write
from triage.cli import options

SIGNATURE = """
id: own-fault
title: Own
severity: error
role: cause
action: none
match: [{regex: 'own fault here'}]
means: Text.
playbook: find-the-cause
sources: [https://example.org]
examples: {match: [{text: own fault here}], ignore: [{text: no fault here}]}
"""


def test_near_misses():
    assert options.did_you_mean("xdi-79", ["xid-79", "xid-78", "nvlink"]).startswith(" Did you mean 'xid-79'")
    assert options.did_you_mean("link", ["nvlink", "xid-79"]) == " Did you mean 'nvlink'?"
    assert options.did_you_mean("qqqq", ["xid-79"]) == ""


def test_a_folder_that_is_not_there_is_a_usage_error(tmp_path):
    with pytest.raises(typer.BadParameter, match="does not exist"):
        options.library([Path(tmp_path / "none")])


def test_own_folders_are_added_and_what_is_broken_in_them_is_noted(tmp_path, capsys):
    files = {f"own/bad-{n}.yaml": f"id: bad-{n}\ntitel: x\n" for n in range(5)}
    found = options.library([write(tmp_path, {"own/own-fault.yaml": SIGNATURE, **files})])
    assert "own-fault" in found.signatures
    assert "xid-79" in found.signatures
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 4
    assert "bad-0.yaml" in told[0]
    assert told[3].endswith("more problems in the library: triage lint")


def test_completion():
    assert "xid-79" in options.complete_id("XID-7")
    assert options.complete_family("nvid") == ["nvidia"]
    assert options.complete_id("no-such-id") == []
