"""Commands within limits. What hostile children do is in test_recheck_runner.py."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from triage.recheck import child
from triage.recheck.child import Limits


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_what_is_printed_and_how_it_ended() -> None:
    done = child.run(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"), Limits())
    assert (done.status, done.out.split(), done.err.split(), done.over) == (3, [b"out"], [b"err"], "")
    assert done.seconds > 0


def test_the_last_bytes_are_kept() -> None:
    done = child.run(python("print('a' * 900000); print('end')"), Limits(output=1 << 20))
    assert done.out.endswith(b"end\n")
    assert done.over == ""


def test_the_environment_is_ours_and_more() -> None:
    done = child.run(python("import os; print(os.environ['MORE'], 'PATH' in os.environ)"), Limits(), {"MORE": "1"})
    assert done.out.split() == [b"1", b"True"]


def test_what_is_no_program_raises() -> None:
    with pytest.raises(OSError, match="no-such-program"):
        child.run(["/no-such-program"], Limits())


def test_what_cannot_be_ended_is_left_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(self: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        if timeout is None:
            raise AssertionError("would wait forever")
        raise subprocess.TimeoutExpired("x", timeout)

    real = subprocess.Popen.wait
    monkeypatch.setattr(subprocess.Popen, "wait", stuck)  # as a process in state D behaves
    began = time.monotonic()
    done = child.run(python("import time; time.sleep(30)"), Limits(seconds=0.3))
    monkeypatch.setattr(subprocess.Popen, "wait", real)
    assert done.over == "no answer within 0.3 s, and it cannot be ended: it is stuck in the kernel"
    assert time.monotonic() - began < 5


def test_an_interrupt_ends_the_child_too(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def interrupted(one: subprocess.Popen[bytes], *_: object) -> str:
        started.append(one)
        raise KeyboardInterrupt

    monkeypatch.setattr(child, "_watch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        child.run(python("import time; time.sleep(30)"), Limits())
    assert started[0].returncode == -9
