"""Files read one by one, by one process or several, give what they give together."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from triage import parallel, pipeline
from triage.library.loader import load_library
from triage.model import Match, Record, Source
from triage.sources import list_inputs
from triage.templates import Templates

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139.80 GiB of "
    "which 9.29 GiB is free. Including non-PyTorch memory, this process has 130.51 GiB memory in use. Of the allocated "
    "memory 5.20 GiB is allocated by PyTorch, and 124.80 GiB is reserved by PyTorch but unallocated."
)


Read = tuple[list[object], ...]


def shown(sources: list[Source], records: list[Record], matches: list[Match], kinds: Templates) -> Read:
    return (
        [(s.name, s.lines, s.note, s.readable) for s in sources], [(r.source, r.number, r.text) for r in records],
        [(m.id, m.record.source, m.record.number, m.entities, m.order) for m in matches],
        [sum(t.count for t in kinds.all()), sorted((t.count, *t.ids) for t in kinds.all() if t.ids)],
    )  # fmt: skip


def found(paths: list[Path], processes: int) -> Read:
    library = load_library()
    return shown(*parallel.read_parts(list_inputs(paths), library, pipeline.index_of(library), processes=processes))


def together(paths: list[Path]) -> Read:
    return shown(*pipeline._read(list_inputs(paths), load_library(), pipeline.Options()))


@pytest.mark.parametrize("name", ["x4-illegal", "x4-oom", "dist-exc-ranks"])
def test_parts_give_what_the_whole_gives(name: str) -> None:
    assert found([FIXTURES / name], 1) == together([FIXTURES / name])


def test_a_setting_in_another_file_rules_a_match_out(tmp_path: Path) -> None:
    for name, text in (
        ("a.log", OOM),
        ("b.log", "nothing"),
        ("job.sh", "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"),
    ):
        (tmp_path / name).write_text(text + "\n")
    ids = [row[0] for row in found([tmp_path], 1)[2]]  # type: ignore[index]
    assert "cuda-oom-fragmented" not in ids
    assert ids == [row[0] for row in together([tmp_path])[2]]  # type: ignore[index]


_KILLED = """
import os, sys
from functools import partial
from dataclasses import replace
from triage import load_library, parallel, pipeline
from triage.sources import list_inputs

def opened(one, parent):
    if os.getpid() != parent:
        os._exit(9)
    return one.open()

inputs = list_inputs([sys.argv[1]])
inputs[2] = replace(inputs[2], open=partial(opened, inputs[2], os.getpid()))
library = load_library()
sources, records, matches, _ = parallel.read_parts(inputs, library, pipeline.index_of(library), processes=2)
print(len(sources), len(records), *sorted({m.id for m in matches}))
"""


def test_the_files_of_a_killed_process_are_read_all_the_same() -> None:
    """A bundle that is too large for the memory of one process must not cost the report."""
    run = subprocess.run(
        [sys.executable, "-c", _KILLED, str(FIXTURES / "x4-illegal")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    sources, records, matches, _ = found([FIXTURES / "x4-illegal"], 1)
    ids = sorted({row[0] for row in matches})  # type: ignore[index]
    assert run.stdout.split() == [str(len(sources)), str(len(records)), *ids]


_WHOLE = """
import sys
from triage import parallel, pipeline
from triage.render import json
pipeline._LARGE = 1
parallel.usable_cores = lambda: int(sys.argv[2])
report = pipeline.analyze([sys.argv[1]])
report.stats.pop("seconds")
print(json.render(report))
"""


def test_the_report_does_not_depend_on_the_number_of_processes() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", _WHOLE, str(FIXTURES / "x4-oom"), number],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in ("1", "3")
    }
    (text,) = texts
    assert "cuda-oom" in text
