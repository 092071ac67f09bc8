"""Front matter of both kinds gives texts with their places; what cannot be read is told, and hostile YAML costs nothing."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.reports.front import Front, read


def front(text: str) -> Front:
    return read(text.split("\n"))


def at(text: str, name: str) -> str:
    line, start, stop = front(text).places[name]
    return text.split("\n")[line - 1][start:stop]


def test_values_are_texts_as_written() -> None:
    found = front("---\ntimezone: +01:00\ndriver: 580.10\nn: ~\nq: '~'\nok: yes\nday: 2026-13-45\nlist: [1, {a: 2}]\n---\n")
    assert found.values == {
        "timezone": "+01:00", "driver": "580.10", "n": "", "q": "~", "ok": "yes", "day": "2026-13-45", "list": ["1", {"a": "2"}],
    }  # fmt: skip
    assert (found.kind, found.stop, found.room, found.broken) == ("yaml", 10, 9, None)


def test_places_hold_the_value_alone() -> None:
    text = "---\n中文: 值  # a comment\nsev: warning   # as told\n\"q\": 'x'\nm: >\n  two\n  lines\nl: [a]\nempty:\nlast: z\n---\n"
    assert at(text, "sev") == "warning"
    assert at(text, "中文") == "值"
    assert at(text, "q") == "'x'"
    assert at(text, "empty") == ""
    assert not {"m", "l"} & set(front(text).places)
    assert front(text).lines["last"] == 10


def test_toml_is_read_as_well() -> None:
    text = '+++\nid = "a"  # x\ndate = 2026-06-06T10:00:00Z\nn = 3\nlong = """\nid = b"""\nl = ["a", 1]\n[t]\nid = "c"\n+++\n'
    found = front(text)
    assert found.values["date"] == "2026-06-06T10:00:00+00:00"
    assert found.values["l"] == ["a", "1"]
    assert (found.kind, found.stop, found.room) == ("toml", 11, 2)
    assert at(text, "id") == '"a"'
    assert "long" not in found.places
    assert (front("+++\nid = \nb = 1\n+++\n").broken or (0, ""))[0] == 2
    assert front('+++\nday = 2026-06-06\n+++\n').values == {"day": date(2026, 6, 6).isoformat()}


def test_anchors_and_merged_tables_are_filled_in() -> None:
    found = front("---\nbase: &b {driver: '580', cuda: '13'}\nversions:\n  <<: *b\n  cuda: '12'\nagain: *b\n---\n")
    assert found.values["versions"] == {"driver": "580", "cuda": "12"}
    assert found.values["again"] == {"driver": "580", "cuda": "13"}


@pytest.mark.parametrize("text", [
    "a: &a [*a]\n", "a: &a {<<: *a}\n",
    "a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)),
    "a: " + "[" * 900 + "]" * 900 + "\n", "a: " + "[" * 90000 + "]" * 90000 + "\n", "a: b: c\n", "- a\n", "\x00: a\n",
])  # fmt: skip
def test_what_cannot_be_read_is_told(text: str) -> None:
    found = front(f"---\n{text}---\n")
    assert found.broken or found.values == {"a": found.values["a"]}
    assert found.broken is None or (found.values, found.places, found.room) == ({}, {}, 0)


def test_front_matter_that_is_not_closed_or_comes_late_is_told() -> None:
    assert front("---\nid: a\n\n# x\n").broken == (1, "no line --- closes it")
    assert front("\n---\nid: a\n---\n# x\n").broken == (2, "it must begin on the first line with ---")
    for above in ("# x\n\n", "<!-- a comment -->\n"):
        assert front(f"{above}---\nid: a\n---\n").broken == (above.count("\n") + 1, "it must begin on the first line with ---")
    # A line of dashes is also how a page is divided.
    assert front("---\n\n# x\n\ntext\n") == Front()
    assert front("# x\n\n---\n\ntext: of no matter\n\n---\n") == Front()
    assert front("# x\n\n---\nNote: never closed\n") == Front()
    assert front("text\n" * 20 + "---\nid: a\n---\n") == Front()


def test_a_flow_table_has_no_room_for_another_line() -> None:
    found = front("---\n{id: a, sev: b}\n---\n")
    assert (found.room, found.values) == (0, {"id": "a", "sev": "b"})
    assert front("---\n  id: a\n---\n").indent == "  "


@pytest.mark.parametrize("mark", ["\r", "\x85", "\u2028"])
def test_a_value_behind_what_only_yaml_takes_for_a_line_end_keeps_its_place(mark: str) -> None:
    found = front(f"---\nid: a{mark}b\nsev: high\r\n---\n")
    assert found.places["sev"] == (3, 5, 9)
    assert found.values["sev"] == "high"


@given(st.text(alphabet="-+:=[]{}&*#'\"|>a \n\r\t1~<\x85\u2028", max_size=80))
def test_any_text_is_read(text: str) -> None:
    for mark in ("---", "+++"):
        lines = f"{mark}\n{text}\n{mark}\n".split("\n")
        for line, start, stop in read(lines).places.values():
            assert 0 <= start <= stop <= len(lines[line - 1])
