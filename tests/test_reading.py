from pathlib import Path
from typing import Any

import pytest
from small import library, signature

from triage.library.loader import load_library
from triage.model import Report
from triage.pipeline import analyze, analyze_text, index_of
from triage.reading import SMALL, read_source
from triage.sources import open_inputs, open_text
from triage.tally import Tally
from triage.templates import Templates

FILES = {
    "lost.yaml": signature("lost", "GPU (?P<pci>[0-9a-f:.]+) lost", types="{pci: pci}"),
    "value.yaml": signature("value", "ValueError: empty batch", match="[{regex: 'ValueError: empty batch', formats: [traceback]}]"),
    "fact.yaml": signature("fact", "link up", role="context"),
}  # fmt: skip
NOISE = [f"Mar 11 10:{i // 60 % 60:02d}:{i % 60:02d} node7 svc{i % 40}[{i}]: request {i} done in {i % 97} ms" for i in range(9000)]


def big(tmp_path: Path, *inserted: tuple[int, str]) -> Path:
    lines = list(NOISE)
    for at, text in sorted(inserted, reverse=True):
        lines.insert(at, text)
    path = tmp_path / "big.log"
    path.write_text("\n".join(lines) + "\n")
    assert path.stat().st_size > SMALL
    return path


def test_a_hit_far_inside_is_found_with_its_line(tmp_path: Path) -> None:
    path = big(tmp_path, (7000, "Mar 11 12:00:00 node7 kernel: GPU 0000:3b:00.0 lost"))
    found = analyze([path], library=library(tmp_path / "lib", FILES))
    assert [(f.id, f.first.line) for f in found.findings if f.first] == [("lost", 7001)]


def test_only_the_surroundings_of_hits_become_records(tmp_path: Path) -> None:
    lib = library(tmp_path / "lib", FILES)
    (source,) = open_inputs([big(tmp_path, (5000, "GPU 0000:3b:00.0 lost"), (6000, "link up"))])
    templates = Templates()
    reading = read_source(source, index_of(lib), Tally(templates))
    assert len(reading.records) < 600
    assert source.lines == 9002
    assert [kind.count for kind in reading.kinds] == [1, 1]
    assert sum(template.count for template in templates.all()) == 9000


def test_a_long_traceback_around_a_hit_stays_whole(tmp_path: Path) -> None:
    frames = "\n".join(f'  File "/app/train.py", line {i}, in f{i}\n    call({i})' for i in range(60))
    text = f"Traceback (most recent call last):\n{frames}\nValueError: empty batch"
    found = analyze([big(tmp_path, (4000, text))], library=library(tmp_path / "lib", FILES))
    assert [f.id for f in found.findings] == ["value"]


def test_a_storm_is_one_finding_with_its_count(tmp_path: Path) -> None:
    path = tmp_path / "storm.log"
    path.write_text("".join(f"[{i / 100:12.6f}] GPU 0000:3b:00.0 lost\n" for i in range(30_000)))
    found = analyze([path], library=library(tmp_path / "lib", FILES))
    (one,) = found.findings
    assert one.count == 30_000
    assert (one.first.line, one.last.line) == (1, 30_000)  # type: ignore[union-attr]


REVERSED = [
    "2026-01-06T08:02:54+0000 n7 kernel: NVRM: c", "2026-01-06T08:02:53+0000 n7 kernel: GPU 0000:3b:00.0 lost",
    "    Call Trace:", "2026-01-06T08:02:52+0000 n7 kernel: b", "2026-01-06T08:02:51+0000 n7 kernel: a",
]  # fmt: skip


def test_the_newest_line_first_is_turned_and_keeps_its_number(tmp_path: Path) -> None:
    lib = library(tmp_path, FILES)
    reading = read_source(open_text("\n".join(REVERSED)), index_of(lib))
    assert [record.number for record in reading.records][:2] == [5, 4]
    (found,) = analyze_text("\n".join(REVERSED), library=lib).findings
    assert (found.id, found.first and found.first.line) == ("lost", 2)


TRACE = ["step 1", "Traceback (most recent call last):", '  File "/app/t.py", line 3, in <module>', "    f()", "ValueError: lost", "step 2 loss 0.1"]


def test_a_traceback_that_stands_upside_down_is_turned(tmp_path: Path) -> None:
    reading = read_source(open_text("\n".join(reversed(TRACE))), index_of(library(tmp_path, FILES)))
    assert [record.format for record in reading.records] == ["text", "traceback", "text"]
    assert [line.number for line in reading.records[1].lines] == [5, 4, 3, 2]
    straight = read_source(open_text("\n".join(TRACE)), index_of(library(tmp_path, FILES)))
    assert [record.number for record in straight.records] == [1, 2, 6]


def test_a_few_lines_out_of_order_stay(tmp_path: Path) -> None:
    lines = sorted(REVERSED, key=lambda line: line[:19])
    lines[1], lines[2] = lines[2], lines[1]
    reading = read_source(open_text("\n".join(lines)), index_of(library(tmp_path, FILES)))
    assert [record.number for record in reading.records] == sorted(record.number for record in reading.records)


def test_a_flood_of_different_words_is_thinned_and_counted(tmp_path: Path) -> None:
    words = ("ghost", "moss", "noon", "plum", "rust", "tulip", "vow", "wit")
    text = "".join(f"[{i:12.6f}] GPU 0000:3b:00.0 lost {words[i % 8]}{words[i // 8 % 8]}{words[i // 64 % 8]}\n" * 8 for i in range(8_000))
    (tmp_path / "flood.log").write_text(text)
    lib = library(tmp_path / "lib", FILES)
    (source,) = open_inputs([tmp_path / "flood.log"])
    assert len(read_source(source, index_of(lib)).records) < 10_000
    (one,) = analyze([tmp_path / "flood.log"], library=lib).findings
    assert one.count == 64_000


def test_a_storm_of_one_code_does_not_hide_another(tmp_path: Path) -> None:
    files = {"x.yaml": signature("x", "Xid .PCI:[0-9a-f:]+.: 45,")}
    lines = [f"[{i:12.6f}] NVRM: Xid (PCI:0000:3b:00): {45 if i == 5000 else 43}, pid={i}, name=p" for i in range(20_000)]
    (tmp_path / "storm.log").write_text("\n".join(lines))
    files["y.yaml"] = signature("y", "Xid .PCI:[0-9a-f:]+.: 43,")
    found = analyze([tmp_path / "storm.log"], library=library(tmp_path / "lib", files))
    assert sorted(f.id for f in found.findings) == ["x", "y"]


FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
PADDED = [
    "dist-hang/dist-hang.log", "dist-illegal-rank0/dist-illegal0.log", "dist-mismatch-detail", "py-oom-training", "py-nested-exception",
    "py-loader-killed", "sanitizer", "smi-hidden-ctl/smi-hidden-ctl.txt", "x4-illegal/dmesg-x4-illegal.txt", "x4-shm/x4-shm.log",
    "healthy/driver-noise", "healthy/x4-ok",
]  # fmt: skip
ORDINARY = [f"worker {i % 16}: shard {i} of the data set was loaded in {i % 97}.{i % 10} ms, queue depth {i % 7}" for i in range(30_000)]


def told(report: Report, shift: int) -> list[Any]:
    """What a report says, with the numbers of its lines moved back by `shift`."""
    findings = [
        (f.id, f.role, f.severity, f.confidence, f.count, f.entities, f.explained_by, [(e.line - shift, e.text, e.span) for e in f.evidence])
        for f in report.findings
    ]
    return [report.verdict, report.summary, findings, report.missing, [f.id for f in report.earlier]]


@pytest.mark.parametrize("name", PADDED)
def test_a_large_log_is_told_like_the_part_that_matters(name: str, tmp_path: Path) -> None:
    found = FIXTURES / name
    source = found if found.is_file() else max(found.rglob("*.*"), key=lambda p: (p.suffix != ".yaml", p.stat().st_size))
    text = source.read_bytes().rstrip(b"\n")
    path = tmp_path / source.name  # the name may tell the rank
    path.write_bytes(text + b"\n")
    want = told(analyze([path], library=load_library()), 0)
    assert want[2] or name.startswith("healthy")
    ordinary = "\n".join(ORDINARY).encode()
    path.write_bytes(b"\n".join((ordinary, text, ordinary)) + b"\n")
    assert path.stat().st_size > 4 << 20
    large = analyze([path], library=load_library())
    assert told(large, len(ORDINARY)) == want
    assert large.stats["lines"] == 2 * len(ORDINARY) + text.count(b"\n") + 1
