"""Wrappers around lines, nested in any order."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from triage.model import Line
from triage.sources.layouts import layout_of
from triage.sources.unwrap import Unwrapper


def unwrap(*texts: str) -> list[Line]:
    return Unwrapper(layout_of(texts)).feed(texts, range(1, len(texts) + 1), last=True)


def pairs(*texts: str) -> list[tuple[int, str]]:
    return [(line.number, line.text) for line in unwrap(*texts)]


def test_cri_parts_are_joined_per_stream() -> None:
    lines = unwrap(
        "2025-03-11T10:02:11.1Z stderr P RuntimeError: CUDA ",
        "2025-03-11T10:02:11.2Z stdout F step 1",
        "2025-03-11T10:02:11.3Z stderr F out of memory",
        "2025-03-11T10:02:12.1Z stderr P never finished",
    )
    assert [(line.number, line.text) for line in lines] == [
        (1, "RuntimeError: CUDA out of memory"), (2, "step 1"), (4, "never finished"),
    ]  # fmt: skip
    assert lines[0].fields == {"time": "2025-03-11T10:02:11.1Z"}


def test_docker_json_parts_and_inner_prefix() -> None:
    assert pairs(
        '{"log":"[rank1]: RuntimeError: ","stream":"stderr","time":"2031-05-02T12:00:00.1Z"}',
        '{"log":"CUDA\\n","stream":"stderr","time":"2031-05-02T12:00:00.2Z"}',
    ) == [(1, "RuntimeError: CUDA")]


def test_json_inside_cri_with_a_traceback() -> None:
    text = json.dumps({"level": "error", "msg": "failed", "exc_info": 'Traceback (most recent call last):\n  File "a.py"\nKeyError: 1'})
    lines = unwrap(f"2025-03-11T10:02:11.1Z stderr F {text}")
    assert [line.text for line in lines] == ["failed", "Traceback (most recent call last):", '  File "a.py"', "KeyError: 1"]
    assert {line.number for line in lines} == {1}
    assert lines[3].fields["level"] == "error"


def test_rsyslog_escapes() -> None:
    text = "Jun 28 14:21:05 gpu-n2 kernel: NVRM: API mismatch: 535.54.03, but#012NVRM: this kernel module#012#011has 530"
    assert [part for _, part in pairs(text)] == [
        "Jun 28 14:21:05 gpu-n2 kernel: NVRM: API mismatch: 535.54.03, but", "NVRM: this kernel module", "\thas 530",
    ]  # fmt: skip
    assert pairs("see issue #012 for that") == [(1, "see issue #012 for that")]


def test_quoted_newlines() -> None:
    assert pairs(r'detail: "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 1"')[1:] == [
        (1, r'  File \"a.py\", line 1'), (1, 'KeyError: 1"'),
    ]  # fmt: skip
    assert pairs(r"open C:\new\nvidia") == [(1, r"open C:\new\nvidia")]


def test_entities_of_pasted_xml() -> None:
    assert pairs("&lt;EventID&gt;153&lt;/EventID&gt; PCI\\VEN_10DE&amp;DEV_2520") == [
        (1, "<EventID>153</EventID> PCI\\VEN_10DE&DEV_2520")
    ]
    assert pairs("PCI\\VEN_10DE&DEV_2520&REV_A1") == [(1, "PCI\\VEN_10DE&DEV_2520&REV_A1")]


def test_progress_bars_keep_the_error_and_the_rank() -> None:
    lines = unwrap("[1,0]<stderr>:\r5%|#  | 1/20\rRuntimeError: x\r6%|#")
    assert [line.text for line in lines] == ["5%|#  | 1/20", "RuntimeError: x", "6%|#"]
    assert all(line.fields == {"rank": "0"} for line in lines)


def test_rich_boxes() -> None:
    assert [text for _, text in pairs("╭──── Traceback (most recent call last) ────╮", "│ /app/train.py:12 in <module>   │")] == [
        "Traceback (most recent call last)", "/app/train.py:12 in <module>",
    ]  # fmt: skip


def test_tables_and_fences_stay() -> None:
    for text in ("| GPU  Name        Persistence-M|", "```", "  | Traceback (most recent call last):", "+-+---- 1 ----"):
        assert pairs(text) == [(1, text)]


def test_names_fill_what_lines_do_not_tell() -> None:
    lines = Unwrapper(fields={"rank": "7"}).feed(["[rank2]: a", "b"], [1, 2], last=True)
    assert [line.fields["rank"] for line in lines] == ["2", "7"]


def test_strings_of_json_and_python() -> None:
    log = "[    1.000000] NVRM: a\n[    2.000000] NVRM: \"b\"\n"
    for text in (json.dumps(log), repr(log), repr(log.encode()), json.dumps(log) + ","):
        assert [text for _, text in pairs(text)] == ["[    1.000000] NVRM: a", '[    2.000000] NVRM: "b"']


def test_logfmt_around_messages_of_other_programs() -> None:
    assert pairs('time=2026-01-06T08:02:51Z level=error msg="NVRM: Xid (PCI:0000:3b:00): 79, name=\\"x\\""') == [
        (1, 'NVRM: Xid (PCI:0000:3b:00): 79, name="x"')
    ]
    text = 'time="2026-01-06T08:02:51Z" level=error msg="could not load NVML library"'
    assert pairs(text) == [(1, text)]


def test_a_level_that_a_collector_gave_to_each_line_of_a_message() -> None:
    lines = unwrap(*(json.dumps({"level": "info", "msg": text}) for text in ("Traceback (most recent call last):", '  File "a.py"', "KeyError: 1")))
    assert [line.fields.get("level") for line in lines] == [None, None, None]
    assert unwrap(json.dumps({"level": "info", "msg": "KeyError: 1"}))[0].fields["level"] == "info"


def test_web_pages() -> None:
    page = ["<html><body>", "<pre><code>[    1.000000] NVRM: a &lt;unknown&gt;", '  File "a.py", line 1, in &lt;module&gt;</code></pre>']
    assert pairs(*page)[1:] == [(2, "[    1.000000] NVRM: a <unknown>"), (3, '  File "a.py", line 1, in <module>')]
    assert pairs('  File "a.py", line 1, in <module>', "<b> 1") == [(1, '  File "a.py", line 1, in <module>'), (2, "<b> 1")]


@given(st.lists(st.text(), max_size=30))
def test_any_text(texts: list[str]) -> None:
    texts = [text.replace("\n", " ") for text in texts]
    lines = unwrap(*texts)
    numbers = [line.number for line in lines]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, len(texts) + 1))
    assert not [line for line in lines if "\n" in line.text]
