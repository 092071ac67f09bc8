"""`triage plan` as it is typed: answers, JSON, errors that name the option, and the commands of playbooks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from triage.advise import fill_command
from triage.cli.app import app
from triage.cli.plan import COMMANDS
from triage.cli.plan_sheet import option_of
from triage.library.loader import load_library
from triage.pipeline import analyze

ROOT = Path(__file__).resolve().parent.parent
CONFIG = '{"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}'
LLAMA = "--layers 32 --hidden 4096 --heads 32 --kv-heads 8 --vocab 128256 --intermediate 14336 --gated"


def run(line: str | list[str]):
    words = line.split() if isinstance(line, str) else line
    return CliRunner().invoke(app, ["plan", *words], env={"COLUMNS": "100"})


def data(line: str):
    done = run(line + " --format json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_step_that_does_not_fit():
    found = data(f"memory training {LLAMA} --gpu-memory 80GB --batch 2")
    assert found["inputs"]["batch"] == {"value": 2, "origin": "given"}
    assert found["inputs"]["parameters"] == {"value": 8030261248, "origin": "computed"}
    assert found["result"]["fits"] is False
    assert any(option["fits"] for option in found["result"]["options"])


def test_a_configuration_file(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(CONFIG)
    found = data(f"memory serving --config {path} --layers 16 --gpu-memory 24GB")
    assert found["inputs"]["kv_heads"] == {"value": 8, "origin": "config"}
    assert found["inputs"]["layers"] == {"value": 16, "origin": "given"}
    assert found["result"]["cache_per_token_bytes"] == 65536


def test_the_other_plans_answer():
    assert data("pcie --generation 4 --bytes 1GB --gpus 9")["result"]["allreduce_ms"] == pytest.approx(70.5, abs=0.1)
    assert data("power --gpus 9 --board-watts 350 --psu-watts 1600")["result"]["fits"] is False
    assert data("power --gpus 1 --board-watts 450 --cpu-watts 150 --psu-watts 850 --connector 12vhpwr")["result"]["fits"] is True
    assert data("cooling --heat-watts 3150")["result"]["flow_cfm"] == pytest.approx(369, abs=0.5)
    assert data("topology --gpus 9 --sockets 2")["result"]["crossing_pairs"] == 20
    assert data(f"topology {ROOT / 'fixtures/healthy/smi-topo/smi-topo.txt'}")["result"]["nearest"] == "NV18"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("memory training", "--parameters is needed"), ("memory training --layers 3", "--hidden is needed"),
        ("memory training --parameters 7B --batch 0", "--batch must be a positive whole number"),
        ("memory training --parameters x", "'x' is not a number; write e.g. 7B"), ("memory serving --parameters 7B --gpu-memory 24", "with its unit"),
        ("memory serving --parameters 7B --weights q9", "--weights must be one of fp32"), ("memory training --config /no/such.json", "--config could not be read"),
        ("memory oom --requested <requested> --free 1GiB --total 2GiB", "copy it from the message"),
        ("pcie --generation 8", "--generation must be 1 to 6"), ("pcie --generation 4 --width 5", "--width must be one of"),
        ("power --gpus 1 --board-watts 9 --psu-watts 0", "--psu-watts must be above 0"), ("cooling --heat-watts -1", "--heat-watts must be above 0"),
        ("topology", "give the number of GPUs"), ("topology --gpus 2 README.md", "takes no numbers beside it"), ("topology README.md", "nvidia-smi topo -m"),
    ],
)  # fmt: skip
def test_errors_name_the_option_and_what_to_do(line, words):
    done = run(line)
    assert done.exit_code == 2
    assert words in " ".join(done.output.split())
    assert "Traceback" not in done.output


def test_the_commands_are_loaded_only_when_one_is_named():
    code = "import sys, typer; from triage.cli.app import app; typer.main.get_command(app); print([m for m in sys.modules if 'plan_' in m or 'estimate' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_every_command():
    shown = run("--help").stdout
    for name in COMMANDS:
        assert re.search(rf"^  {name}  +\S", shown, re.MULTILINE), name
        assert run([name, "--help"]).exit_code == 0
    assert run("nothing").exit_code == 2


def test_options_of_fields():
    assert [option_of(name) for name in ("gpu_memory_bytes", "board_watts", "batch")] == ["--gpu-memory", "--board-watts", "--batch"]


def _plans():
    for book in load_library().playbooks.values():
        for step, _ in book.steps():
            if step.command and step.command[:2] == ["triage", "plan"]:
                yield book.id, step.command


@pytest.mark.parametrize(("book", "command"), list(_plans()), ids=lambda value: value if isinstance(value, str) else "")
def test_commands_of_playbooks_run(book, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config.json").write_text(CONFIG)
    known = {"requested": "4.00 GiB", "free": "989.12 MiB", "total": "139.80 GiB", "allocated": "137.07 GiB", "gpu": 0}
    words = ["4" if word.startswith("<") else word for word in fill_command(command, known)]
    done = run(words[2:])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("case", ["py-oom-training", "py-oom-other-process", "py-oom-plain"])
def test_the_report_of_an_oom_holds_the_plan_with_its_numbers(case):
    report = analyze([ROOT / "fixtures" / case])
    playbook = report.findings[0].playbook
    assert playbook is not None
    (command,) = (step.command for step in playbook.steps if step.command and step.command[:2] == ["triage", "plan"])
    assert not any("<" in word for word in command)
    done = run(command[2:])
    assert done.exit_code == 0, done.output
    assert "GiB" in done.stdout
