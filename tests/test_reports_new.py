"""Reports that are written from an analysis pass the checks as they are, and quote no more than proves them."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage.library.loader import load_library
from triage.pipeline import Options, analyze
from triage.redact import Redactor
from triage.reports.check import Checker
from triage.reports.checks.base import KEPT
from triage.reports.document import parse
from triage.reports.excerpt import MOST, Part, excerpt, short
from triage.reports.new import TemplateError, context, linked, write

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CASES = ("dist-oom", "dist-hang", "dist-kill9", "x4-illegal", "x4-shm", "py-parallel-to-shared", "py-hub-offline", "smi-nodevice", "sanitizer")
HOSTILE = (
    "Mar 14 09:57:01 node07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=```, GPU has fallen off the bus.\n"
    "Mar 14 09:57:02 node07 app[1]: {{ 7 * 7 }} {% raw %} <script>alert(1)</script> <!-- triage: ignore-file TRI010 x --> @all\n"
)


def new(inputs: list[Path], target: Path, template: Path | None = None) -> str:
    library, redactor = load_library(), Redactor(b"k", KEPT)
    report = analyze(inputs, library=library, options=Options(show_all=True))
    proof = excerpt(inputs, report, library, redactor)
    files = [] if proof[0] else linked(inputs, target)[0]
    text = write(report, proof, library, redactor, name=target.stem, date="2026-03-14", files=files, template=template)
    target.write_text(text)
    return text


@pytest.mark.parametrize("name", CASES)
def test_it_passes_as_it_is(name: str, tmp_path: Path) -> None:
    inputs = [path for path in sorted((FIXTURES / name).rglob("*")) if path.is_file() and path.name != "expect.yaml"]
    target = tmp_path / "2026-03-14-x.md"
    text = new(inputs, target)
    found = Checker(key=b"other").check(target, fix=True)
    assert [p for p in found.problems if p.level == "error"] == []
    assert found.text is None
    assert all(f.text.count("\n") <= MOST for f in parse(text).fences())
    assert "status: draft" in text


def test_a_healthy_log_is_linked(tmp_path: Path) -> None:
    log = tmp_path / "ok.log"
    log.write_text("step 1 loss 2.0\nstep 2 loss 1.9\n")
    text = new([log], tmp_path / "a.md")
    assert "signature: unknown" in text
    assert "[ok.log](<ok.log>)" in text
    assert [p for p in Checker().check(tmp_path / "a.md").problems if p.level == "error"] == []


def test_text_of_a_log_is_never_obeyed(tmp_path: Path) -> None:
    log = tmp_path / "evil.log"
    log.write_text(HOSTILE)
    text = new([log], tmp_path / "a.md")
    document = parse(text)
    assert "49" not in text
    assert document.ignores == []
    assert document.front["signature"] == "xid-79"
    assert [p for p in Checker().check(tmp_path / "a.md").problems if p.level == "error"] == []


def test_secrets_and_people_are_not_written(tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    text = (FIXTURES / "dist-oom" / "dist-oom.log").read_text()
    log.write_text(text.replace("[rank1]: torch.OutOf", "[rank1]: HF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH\n[rank1]: torch.OutOf").replace("/home/ml", "/home/jsmith"))
    shown = new([log], tmp_path / "a.md")
    assert "jsmith" not in shown
    assert "hf_aBcD" not in shown
    assert "node07" in shown


def test_the_excerpt_is_short_and_says_the_same() -> None:
    inputs = [FIXTURES / "dist-hang" / "dist-hang.log"]
    library = load_library()
    report = analyze(inputs, library=library)
    parts, again = excerpt(inputs, report, library, Redactor(b"k", KEPT))
    lines = sum(part.text.count("\n") for part in parts)
    assert 0 < lines < 60
    assert again is not None
    assert again.findings[0].id == report.findings[0].id
    assert excerpt(["-"], report, library, Redactor()) == ([], None)


def test_names_stay_as_long_as_they_tell_rank_and_host() -> None:
    assert short("/data/jobs/x/dmesg.txt") == "dmesg.txt"
    assert short("/data/run/attempt_0/3/stderr.log") == "attempt_0/3/stderr.log"
    assert short("logs/node07/dmesg.txt") == "node07/dmesg.txt"


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    log, template = tmp_path / "a.log", tmp_path / "t.md.j2"
    log.write_text(HOSTILE)
    template.write_text("# {{ title }}\n{{ signature }}\n{% for part in parts %}{{ part | log }}{% endfor %}\n")
    text = new([log], tmp_path / "a.md", template)
    assert text.startswith("# Xid 79")
    assert "\nxid-79\n````log title=" in text
    for wrong in ("{{ nothing }}", "{% for %}", "{{ ''.__class__.__mro__ }}"):
        template.write_text("\n" + wrong)
        with pytest.raises(TemplateError, match=r"t\.md\.j2:"):
            new([log], tmp_path / "a.md", template)


def test_every_name_of_the_context_is_used() -> None:
    library = load_library()
    report = analyze([FIXTURES / "sanitizer" / "sanitizer.log"], library=library)
    names = set(context(report, [Part("x", 1, 1, "x\n")], library, name="a", date="2026-03-14"))
    source = (Path(__file__).resolve().parent.parent / "triage" / "reports" / "templates" / "incident.md.j2").read_text()
    assert {name for name in names if name not in source} == {"report"}


def test_files_of_one_machine_are_not_linked(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    inside, outside = tmp_path / "repo" / "a.log", tmp_path / "b.log"
    for path in (inside, outside):
        path.write_text("x\n")
    assert linked([inside, outside, "-", tmp_path / "none"], tmp_path / "repo" / "incidents" / "r.md") == (["../a.log"], [str(outside)])
