from pathlib import Path

import pytest

from triage.formats import formats
from triage.formats.samples import entries, sample_of, sniff
from triage.model import Line

FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.mark.parametrize("form", formats(), ids=lambda f: type(f).__name__)
def test_each_format_takes_its_own_sample(form) -> None:
    texts = sample_of(form)
    assert texts, "no sample in the docstring"
    assert form.sniff([Line(i, text, text) for i, text in enumerate(texts, 1)]) > 0


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("x4-illegal/dmesg-x4-illegal.txt", "kernel"),
        ("healthy/x4-ok/x4-ok.log", "nccl"),
        ("py-oom-plain/py-oom_plain.log", "traceback"),
        ("py-segfault/py-segfault.log", "faulthandler"),
        ("healthy/smi-table/smi-table.txt", "smi-table"),
        ("healthy/smi-q/smi-q.txt", "smi-query"),
    ],
)
def test_the_right_format_takes_most(path: str, name: str) -> None:
    texts = (FIXTURES / path).read_text().splitlines()
    assert sniff([Line(i, text, text) for i, text in enumerate(texts, 1)])[0][0] == name


def test_entries_say_what_they_are() -> None:
    assert all(entry.name and entry.summary.endswith((".", "...")) for entry in entries())
