"""Hostile probes: whatever the child does is a result, in time, and leaves nothing running."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from triage.recheck.child import Limits
from triage.recheck.runner import run

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def probe(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "probe.py"
    path.write_text("import json, os, subprocess, sys, time\n" + body)
    return path


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_reading_is_the_last_line_of_standard_output(tmp_path):
    path = probe(tmp_path, "print('NCCL version 2.28'); print(json.dumps({'got': json.loads(sys.argv[1])}))")
    done = run(path, {"requested": 5, "id": "cuda-oom"}, sys.executable, Limits())
    assert done.reading == {"got": {"requested": 5, "id": "cuda-oom"}}
    assert done.reason == ""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print('all is well')", "printed no reading but 'all is well'"),
        ("pass", "printed no reading but 'nothing'"),
        ("print('[1, 2]')", "printed no reading"),
        ("print('{\"a\":' * 100000)", "printed no reading"),
        ("sys.stdout.buffer.write(bytes(range(256)) * 100)", "printed no reading"),
        ("raise ValueError('two\\nlines')", "the probe failed: lines"),
        ("sys.exit(3)", "the probe failed: exit status 3"),
        ("os.abort()", "the probe was ended by SIGABRT"),
        ("os.kill(os.getpid(), 11)", "the probe was ended by SIGSEGV"),
        ("print(1, end='', flush=True); os._exit(7)", "exit status 7"),
    ],
)
def test_garbage_and_crashes_are_reasons(tmp_path, body, reason):
    done = run(probe(tmp_path, body), {}, sys.executable, Limits())
    assert done.reading is None
    assert not done.absent
    assert reason in done.reason


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("import torch_that_is_not_here", "the probe failed: ModuleNotFoundError"),
        ("raise ModuleNotFoundError(\"No module named 'torch'\")", "PyTorch is not in this interpreter"),
        ("raise ModuleNotFoundError(\"No module named 'pynvml'\")", "nvidia-ml-py"),
    ],
)
def test_only_what_is_not_installed_is_absent(tmp_path, body, words):
    done = run(probe(tmp_path, body), {}, sys.executable, Limits())
    assert words in done.reason
    assert done.absent == ("torch_that" not in body)


def test_a_hang_ends_in_time(tmp_path):
    began = time.monotonic()
    done = run(probe(tmp_path, "time.sleep(60)"), {}, sys.executable, Limits(seconds=0.5))
    assert done.reason == "no answer within 0.5 s"
    assert time.monotonic() - began < 3


@LINUX
def test_what_ignores_signals_ends_with_all_its_children(tmp_path):
    pids = tmp_path / "pids"
    body = (
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "children = [subprocess.Popen(['sleep', '60']) for _ in range(3)]\n"
        "escaped = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
        f"open({str(pids)!r}, 'w').write(' '.join(str(c.pid) for c in [*children, escaped]))\n"
        "time.sleep(60)\n"
    )
    done = run(probe(tmp_path, body), {}, sys.executable, Limits(seconds=1.5))
    left = [int(pid) for pid in pids.read_text().split()]
    assert len(left) == 4
    assert set(left) <= set(done.processes)
    assert not any(alive(pid) for pid in left)


@LINUX
def test_what_a_good_probe_leaves_behind_is_ended_too(tmp_path):
    body = "child = subprocess.Popen(['sleep', '60'], start_new_session=True); print(json.dumps({'pid': child.pid}))"
    done = run(probe(tmp_path, body), {}, sys.executable, Limits())
    assert done.reading is not None
    assert done.processes == [done.reading["pid"]]
    assert not alive(done.reading["pid"])


@LINUX
def test_nobody_else_is_ended(tmp_path):
    other = subprocess.Popen(["sleep", "30"], start_new_session=True)
    try:
        run(probe(tmp_path, "time.sleep(60)"), {}, sys.executable, Limits(seconds=0.3))
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


@LINUX
def test_a_hog_is_ended_at_its_limit(tmp_path):
    body = "held = []\nfor _ in range(4000):\n    held.append(bytearray(b'x') * (4 << 20)); time.sleep(0.002)\n"
    done = run(probe(tmp_path, body), {}, sys.executable, Limits(seconds=30, memory=300 << 20))
    assert "GiB of memory, more than 0.292969 GiB" in done.reason
    assert done.seconds < 15


@LINUX
def test_memory_of_all_its_processes_counts(tmp_path):
    hog = "held = bytearray(b'x') * (120 << 20); import time; time.sleep(20)"
    body = f"kids = [subprocess.Popen([sys.executable, '-c', {hog!r}]) for _ in range(3)]\ntime.sleep(20)\n"
    done = run(probe(tmp_path, body), {}, sys.executable, Limits(seconds=15, memory=300 << 20))
    assert "of memory, more than" in done.reason


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_flood_is_stopped(tmp_path, stream):
    body = f"while True: sys.{stream}.write('x' * 100000)"
    done = run(probe(tmp_path, body), {}, sys.executable, Limits(seconds=20))
    assert done.reason == "it printed more than 4 MiB"
    assert done.seconds < 10


def test_an_interpreter_that_is_none(tmp_path):
    done = run(probe(tmp_path, ""), {}, str(tmp_path / "python"), Limits())
    assert "could not be started" in done.reason
    text = tmp_path / "text"
    text.write_text("no program")
    text.chmod(0o755)
    assert run(probe(tmp_path, ""), {}, str(text), Limits()).reading is None


def test_it_runs_in_an_empty_folder_of_its_own_and_loads_nothing_from_here(tmp_path, monkeypatch):
    (tmp_path / "decimal.py").write_text("raise SystemExit('loaded from the working folder')")
    monkeypatch.chdir(tmp_path)
    body = "import decimal\nprint(json.dumps({'cwd': os.getcwd(), 'files': os.listdir('.'), 'tty': sys.stdin.isatty()}))"
    (tmp_path / "probes").mkdir()
    done = run(probe(tmp_path / "probes", body), {}, sys.executable, Limits())
    assert done.reading is not None, done.reason
    assert sorted(done.reading["files"]) == ["stderr", "stdout"]
    assert not os.path.exists(done.reading["cwd"])
    assert done.reading["tty"] is False


@LINUX
def test_a_crash_leaves_no_core_file(tmp_path):
    body = (
        "time.sleep(0.3)\nimport resource\n"  # the limit is set right after the start
        "print(json.dumps({'core': resource.getrlimit(resource.RLIMIT_CORE)}))"
    )
    done = run(probe(tmp_path, body), {}, sys.executable, Limits())
    assert done.reading == {"core": [0, 0]}


def test_our_pynvml_is_lent(tmp_path):
    pytest.importorskip("pynvml")
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    python = bare / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    path = probe(tmp_path, "import pynvml\nprint(json.dumps({'has': hasattr(pynvml, 'nvmlInit')}))")
    assert run(path, {}, str(python), Limits()).reading == {"has": True}
