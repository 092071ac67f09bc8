"""`triage plan` run inside the tests."""

from __future__ import annotations

import json
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from triage.cli.app import app

# Llama 3.1 8B, as options and as the fields of its config.json that count.
LLAMA = "--shape layers=32,hidden=4096,heads=32,kv_heads=8,vocab=128256,intermediate=14336,gated"
CONFIG = (
    '{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, '
    '"num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}'
)


def run(line: str | list[str]) -> Result:
    words = line.split() if isinstance(line, str) else line
    return CliRunner().invoke(app, ["plan", *words], env={"COLUMNS": "100"})


def data(line: str) -> dict[str, Any]:
    """The JSON that a plan writes."""
    done = run(line + " --format json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(line: str, words: str) -> None:
    """Asserts that the line is a usage error that says `words`."""
    done = run(line)
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
    assert "Traceback" not in done.output
