"""Messages that stand on many lines: as exported by journald, dashboards and spreadsheets, or cut by a terminal."""

from __future__ import annotations

import json

import pytest

from triage.model import Line
from triage.sources import open_text
from triage.sources.assemble import Journal, PrettyJson, Table, assembler_of
from triage.sources.panes import Panes
from triage.sources.rows import Row
from triage.sources.wrapped import Wrapped


def lines_of(text: str | bytes) -> list[Line]:
    return [line for block in open_text(text).blocks() for line in block.lines(0, block.count)]


def pairs(text: str | bytes) -> list[tuple[int, str]]:
    return [(line.number, line.text) for line in lines_of(text)]


def test_pretty_json_gives_messages_at_their_lines() -> None:
    value = {"events": [{"timestamp": 1767686571000, "message": 'NVRM: "a"'}, {"timestamp": 1767686572000, "message": "NVRM: b\nc"}]}
    text = "before\n" + json.dumps(value, indent=2) + "\nafter"
    assert pairs(text) == [(1, "before"), (6, 'NVRM: "a"'), (10, "NVRM: b"), (10, "c"), (14, "after")]
    assert [line.fields.get("time") for line in lines_of(text)][1] == "2026-01-06T08:02:51Z"


def test_equal_messages_keep_their_own_lines() -> None:
    text = json.dumps([{"message": "x"}, {"message": "x"}, {"message": "y"}], indent=1)
    assert pairs(text) == [(1, "["), (3, "x"), (6, "x"), (9, "y"), (11, "]")]


def test_a_list_with_each_object_on_a_line_of_its_own() -> None:
    text = '[\n  {"message": "x", "host": "n7"},\n  {"message": "y"}\n]\n  {"message": "z"}'
    assert pairs(text) == [(1, "["), (2, "x"), (3, "y"), (4, "]"), (5, '  {"message": "z"}')]
    assert lines_of(text)[1].fields["host"] == "n7"


def test_lists_of_texts() -> None:
    assert pairs(json.dumps(["[rank0]: a", "  b", "c\nd"], indent=1)) == [(2, "a"), (3, "  b"), (4, "c"), (4, "d")]


@pytest.mark.parametrize("text", ['{\n  "a": 1,\n', '{\n  "message": "x"\n  oops\n}', "def f():\n    x = {\n    }\n", '{\n "a": {"b": 1}\n}'])
def test_what_is_no_log_in_json_stays(text: str) -> None:
    assert [line.text for line in lines_of(text)] == text.removesuffix("\n").split("\n")


EXPORT = (
    b"__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=1767686571000000\n_HOSTNAME=n7\n_PID=9\nSYSLOG_IDENTIFIER=py\nMESSAGE=one\n\n"
    b"__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1767686572000000\n_HOSTNAME=n7\nMESSAGE\n\x10\0\0\0\0\0\0\0two\n\n  A=three\x1b[0m\n_PID=9\n\n"
)  # fmt: skip


def test_the_export_format_of_journald() -> None:
    lines = lines_of(EXPORT)
    assert [(line.number, line.text) for line in lines] == [(6, "one"), (12, "two"), (13, ""), (14, "  A=three")]
    assert lines[0].fields == {"host": "n7", "pid": "9", "ident": "py", "time": "2026-01-06T08:02:51Z"}


def test_the_verbose_format_of_journald() -> None:
    text = (
        "Tue 2026-01-06 08:02:51.123456 UTC [s=1;i=1;b=2;m=3;t=4;x=5]\n    _HOSTNAME=n7\n    MESSAGE=one\n            two\n    _PID=9\n"
        "Tue 2026-01-06 08:02:52.123456 UTC [s=1;i=2;b=2;m=3;t=4;x=5]\n    MESSAGE=three\n"
    )
    lines = lines_of(text)
    assert [(line.number, line.text) for line in lines] == [(3, "one"), (4, "two"), (7, "three")]
    assert lines[0].fields["host"] == "n7"
    assert lines[0].fields["time"].startswith("2026-01-06 08:02:51")


def test_tables_with_a_column_of_messages() -> None:
    text = 'time,host,message\n2026-01-06T08:02:51Z,n7,"NVRM: ""a"", b"\n2026-01-06T08:02:52Z,n8,"one\ntwo"\nbroken\n'
    lines = lines_of(text)
    assert [(line.number, line.text) for line in lines] == [(2, 'NVRM: "a", b'), (3, "one"), (4, "two"), (5, "broken")]
    assert [line.fields.get("host") for line in lines] == ["n7", "n8", "n8", None]
    for other in ("index, name, memory.total [MiB]\n0, NVIDIA H200, 1\n", 'Level,Date and Time,Source,Event ID,Message\n"x",1,y,2,z\n'):
        assert assembler_of(other.split("\n")) is None


@pytest.mark.parametrize("make", [PrettyJson, Journal, lambda: Table(["a", "message"], 1, ","), lambda: Wrapped(4), lambda: Panes(2)])
def test_rows_come_out_in_order_however_they_are_fed(make: type[PrettyJson]) -> None:
    texts = ["{", '"message": "abcd"', "}", "abcd", 'x,"y', 'z"', "MESSAGE=q", "", "__CURSOR=1", "abcd", "{"]
    rows = [Row(n, text, text) for n, text in enumerate(texts, 1)]
    whole = make().feed(rows, last=True)
    parts = make()
    assert [out for row in rows for out in parts.feed([row])] + parts.feed((), last=True) == whole
    numbers = [row.number for row in whole]
    assert numbers == sorted(numbers)
