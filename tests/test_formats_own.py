"""What the tool wrote of its own work is no evidence."""

from __future__ import annotations

import json

from triage import analyze_text

WORDS = {"why": "nvidia-smi: NVRM: Xid (PCI:0000:43:00): 79, GPU has fallen off the bus"}


def test_manifest_and_readings_prove_nothing() -> None:
    for first in ({"tool": "triage 0.1.0", "unread": [WORDS]}, {"results": [WORDS]}):
        report = analyze_text(json.dumps(first, indent=2))
        assert report.findings == []
        assert report.unexplained == []


def test_json_of_others_is_read_as_before() -> None:
    text = '{\n  "tool": "another 1.0",\n[1.0] ' + WORDS["why"].removeprefix("nvidia-smi: ")
    assert [f.id for f in analyze_text(text).findings] == ["xid-79"]


def test_what_follows_it_is_read() -> None:
    text = json.dumps({"tool": "triage 0.1.0"}, indent=2) + "\n[1.0] " + WORDS["why"].removeprefix("nvidia-smi: ")
    assert [f.id for f in analyze_text(text).findings] == ["xid-79"]
