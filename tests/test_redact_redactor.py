"""Redaction as a whole: no planted secret survives in any dress, and every fixture keeps its diagnosis."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import SECRETS

from triage.library.library import Library
from triage.library.loader import load_library
from triage.model import Report
from triage.pipeline import analyze
from triage.redact import Redactor, names, redact
from triage.score import Case, cases

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
# A pickle is no text: `triage redact` refuses it, and of what is read in it the report is redacted.
CASES = [one for one in cases(FIXTURES) if not any(path.read_bytes().startswith(b"\x80") for path in one.inputs)]


def coloured(text: str, secret: str) -> str:
    """The secret with colours begun and ended inside it, as a highlighter does."""
    middle = len(secret) // 2
    return text.replace(secret, f"{secret[:3]}\x1b[01;31m{secret[3:middle]}\x1b[0m\x1b[K{secret[middle:]}")


DRESSES: dict[str, Callable[[str, str], str]] = {
    "plain": lambda text, secret: text,
    "json": lambda text, secret: json.dumps({"time": "2026-03-14T09:57:01Z", "log": text + "\n", "stream": "stderr"}),
    "json in json": lambda text, secret: json.dumps({"log": json.dumps({"msg": text})}),
    "python repr": lambda text, secret: f"RuntimeError({text!r})",
    "url": lambda text, secret: "GET /log?line=" + quote(text, safe=""),
    "base64": lambda text, secret: "data: " + base64.b64encode(text.encode()).decode(),
    "colours": coloured,
    "prefix": lambda text, secret: "\n".join("(worker pid=12, ip=10.0.0.7) " + line for line in text.split("\n")),
    "xml": lambda text, secret: "<msg>" + text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;") + "</msg>",
    "rsyslog": lambda text, secret: "Mar 14 09:57:01 node07 job[12]: " + text.replace("\n", "#012"),
}  # fmt: skip


@cache
def library() -> Library:
    return load_library()


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("name", SECRETS)
def test_no_planted_secret_survives(name: str, dress: str) -> None:
    text, secret = SECRETS[name]
    hidden = DRESSES[dress](text, secret)
    shown = redact(f"step 1\n{hidden}\nstep 2\n")
    plain = shown.replace("\x1b[01;31m", "").replace("\x1b[0m\x1b[K", "")
    for part in (secret, quote(secret, safe=""), base64.b64encode(secret.encode()).decode().rstrip("=")[:-2]):
        assert part not in plain, shown
    if dress == "base64":
        assert hidden.removeprefix("data: ") not in shown
    assert shown.startswith("step 1\n")
    assert shown.endswith("\nstep 2\n")
    assert shown.count("\n") == hidden.count("\n") + 3


def test_a_secret_is_known_again_where_nothing_tells_it() -> None:
    one = Redactor()
    one.learn("--token q9w8e7r6t5")
    assert "q9w8e7r6t5" not in one.redact("ValueError: q9w8e7r6t5 is not accepted")


def rows(report: Report, one: Redactor | None = None) -> list[Any]:
    """The diagnosis; with a redactor, its entities as they must read afterwards."""

    def value(key: str, entity: Any) -> Any:
        if one is None or not isinstance(entity, str):
            return [value(key, e) for e in entity] if isinstance(entity, list) else entity
        return one.value("host", entity) if key == "host" and names.is_host(entity) else one.redact(entity)

    return [
        report.verdict,
        [
            (
                f.id, f.role, f.severity, f.confidence, f.count, f.incident, f.action, f.explains, f.explained_by,
                [e.line for e in f.evidence], {k: value(k, e) for k, e in f.entities.items() if k not in ("path", "interface")},
            )
            for f in (*report.findings, *report.earlier)
        ],
        len(report.missing), len(report.unexplained), report.stats["lines"],
    ]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_diagnosis_stays(case: Case, tmp_path: Path) -> None:
    texts = {path: path.read_bytes().decode("utf-8", "surrogateescape") for path in case.inputs}
    one = Redactor(b"a key of the test")
    for text in texts.values():
        one.learn(text)
    paths = []
    for path, text in texts.items():
        copy = tmp_path / one.redact(str(path.relative_to(FIXTURES)))  # a file's name may tell a host
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(one.redact(text).encode("utf-8", "surrogateescape"))
        paths.append(copy)
    assert rows(analyze(paths, library=library())) == rows(analyze(case.inputs, library=library()), one)


@pytest.mark.parametrize("case", CASES[::4], ids=lambda case: case.id)
def test_redacting_twice_changes_nothing(case: Case) -> None:
    for path in case.inputs:
        once = redact(path.read_bytes().decode("utf-8", "surrogateescape"), b"k")
        assert redact(once, b"other") == once


def test_what_a_diagnosis_needs_stays() -> None:
    text = (
        "[ 812.3] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus.\n"
        "NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2\n"
        "pcieport 0000:00:03.1: AER: Corrected error received: 0000:3b:00.0 at 0xffffffffc0a0\n"
        "NCCL version 2.18.3+cuda12.2 torch 2.4.1 KeyError: 'layers.0.weight' commId 0x59279845e738817\n"
    )
    assert redact(text) == text


def test_names_and_addresses_correlate_over_files_of_one_redactor() -> None:
    one = Redactor()
    first = one.redact("Mar 14 09:57:01 node07 kernel: x")
    second = one.redact("node07:12:13 [0] NCCL INFO NET/Socket : Using [0]eth0:10.1.2.3<0>")
    host = first.split()[3]
    assert host.startswith("host-")
    assert second.startswith(host + ":12:13 ")
    assert redact("Mar 14 09:57:01 node07 kernel: x") != redact("Mar 14 09:57:01 node07 kernel: x")
    assert one.counts == {"host": 2, "ip": 1}


@given(st.text(max_size=200))
def test_any_text_keeps_its_lines(text: str) -> None:
    assert redact(text, b"k").count("\n") == text.count("\n")


@pytest.mark.parametrize("unit", ["a", "%41", "\\", "A1b2", "::1", "@a.b", "-----BEGIN PRIVATE KEY-----\n", "password=", "/home/a"])
def test_time_is_linear_in_hostile_text(unit: str) -> None:
    redact("warm up")
    times = []
    for size in (20_000, 80_000):
        began = time.perf_counter()
        redact(unit * (size // len(unit)), b"k")
        times.append(time.perf_counter() - began)
    assert times[1] < 12 * times[0] + 0.3, times
