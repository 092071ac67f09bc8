"""What holds for every format, whatever the text: nothing raises, no line is lost or taken twice, offsets fit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.formats import formats, read
from triage.formats.base import Format
from triage.formats.samples import sample_of
from triage.formats.windows_xml import XmlEvent, parse
from triage.model import Line, Record

FIXTURES = Path(__file__).parent.parent / "fixtures"
FORMS = {type(form).__name__: form for form in formats()}
# Texts of each format beside its sample, since the shapes of one have many readers.
MORE = {
    "WindowsEvent": (
        "Log Name:      System\nSource:        Display\nDate:          3/11/2025 10:02:11 AM\nEvent ID:      4101\nLevel:         Warning\n"
        "Computer:      PC\nDescription:\nDisplay driver nvlddmkm stopped responding and has successfully recovered.",
        "TimeCreated  : 3/11/2025 10:02:11 AM\nProviderName : nvlddmkm\nId           : 153\nMessage      : \\Device\\Video3\n               Error",
        '"TimeCreated","Id","LevelDisplayName","ProviderName","Message"\n"3/11/2025","153","Error","nvlddmkm","a\nb"',
        "Level\tDate and Time\tSource\tEvent ID\tTask Category\nError\t11.03.2025 10:02:11\tnvlddmkm\t14\tNone",
        "<Event xmlns='http://schemas.microsoft.com/win/2004/08/events/event'><System><Provider Name='Display'/><EventID>4101</EventID>"
        "</System><EventData><Data>nvlddmkm</Data></EventData></Event>",
        '{"Id": 153, "ProviderName": "nvlddmkm", "Message": "x", "TimeCreated": "/Date(1741687331000)/"}',
        "VIDEO_TDR_FAILURE (116)\nArguments:\nArg1: ffff8a0f12345010, x\n\nIMAGE_NAME:  nvlddmkm.sys",
        "Faulting application name: python.exe, version: 3.1\nFaulting module name: nvcuda.dll\nException code: 0xc0000005",
    ),
    "WindowsDevice": (
        "Instance ID:                PCI\\VEN_10DE&DEV_2204\\4&1\nDevice Description:         RTX 3090\nProblem Code:               12 (0x0C) [X]",
        "Status     Class           FriendlyName      InstanceId\nError      Display         RTX 3070          PCI\\VEN_10DE&DEV_2484\\4&1",
        "FriendlyName : RTX\nStatus : Error\nProblem : CM_PROB_FAILED_START\nInstanceId : PCI\\VEN_10DE&DEV_1\\3",
        "This device cannot start. (Code 10)\n设备 (代码 43)\nProblemcode: 0000000C",
    ),
    "SmiCsv": ("index, name, temperature.gpu\n0, NVIDIA H100, 44\n1, [Unknown Error], ERR!",),
    "SmiTopo": ("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-31\nGPU1\tNV12\t X \t0-31\n\nLegend:",),
    "Dcgm": ('{\n  "DCGM Diagnostic": {"test_categories": [{"tests": [{"name": "memory", "results": [{"gpu_id": "0", "status": "Fail"}]}]}]}\n}',),
}  # fmt: skip


@cache
def pieces(name: str) -> tuple[str, ...]:
    """Lines of the format, whole and cut."""
    own = [*sample_of(FORMS[name]), *(line for text in MORE.get(name, ()) for line in text.split("\n"))]
    return tuple(dict.fromkeys([*own, *(line[: len(line) // 2] for line in own), *(line[3:] for line in own)]))


@cache
def logs() -> tuple[str, ...]:
    """Lines of real logs of every kind."""
    files = sorted(path for path in FIXTURES.rglob("*.*") if path.is_file() and path.name != "expect.yaml")
    lines = [line for path in files for line in path.read_text(encoding="utf-8", errors="replace").split("\n")[:40]]
    return tuple(line for line in dict.fromkeys(lines) if len(line) < 400)


def texts_of(name: str) -> st.SearchStrategy[list[str]]:
    mine, other = st.sampled_from(pieces(name)), st.sampled_from(logs())
    whole = st.sampled_from([list(sample_of(FORMS[name])), *(text.split("\n") for text in MORE.get(name, ()))])
    lone = st.one_of(mine, mine, other, st.text(max_size=30).map(lambda text: text.replace("\n", " ")), st.just(""))
    parts = st.lists(st.one_of(whole, lone.map(lambda line: [line]), lone.map(lambda line: [line])), max_size=12)
    return parts.map(lambda lists: [line for part in lists for line in part])


def lines_of(texts: list[str]) -> list[Line]:
    return [Line(number, text, text) for number, text in enumerate(texts, 1)]


def fits(record: Record) -> bool:
    """Whether the text of a record has one part for each of its lines, where the offsets say."""
    starts = [0, *(i + 1 for i, char in enumerate(record.text) if char == "\n")]
    return len(record.offsets) == len(record.lines) and set(record.offsets) <= set(starts) and record.offsets[0] == 0


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=40)
@given(data=st.data())
def test_a_record_holds_the_lines_from_its_place_on(name: str, data: st.DataObject) -> None:
    form: Format = FORMS[name]
    own = lines_of(data.draw(texts_of(name)))
    for at in range(len(own)):
        found = form.take(own, at)
        if found is not None:
            assert found.lines == own[at : at + len(found.lines)]
            assert len(found.lines) >= 1
            assert fits(found)
    assert 0.0 <= form.sniff(own) <= 1.0


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=40)
@given(data=st.data())
def test_every_line_is_in_one_record(name: str, data: st.DataObject) -> None:
    own = lines_of(data.draw(texts_of(name)))
    found = read(own, "x")
    assert sorted(line.number for record in found for line in record.lines) == [line.number for line in own]
    assert all(fits(record) for record in found)
    assert [record.number for record in found] == sorted(record.number for record in found)


@given(st.text(max_size=200) | st.sampled_from(MORE["WindowsEvent"]).flatmap(lambda text: st.integers(0, 300).map(lambda n: text[:n])))
def test_broken_xml_gives_events_or_nothing(text: str) -> None:
    found = parse(text)
    assert found is None or isinstance(found, XmlEvent)
