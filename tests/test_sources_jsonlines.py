"""One-line JSON of journald, Docker, clouds and programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.sources.jsonlines import iso_time, messages, read_object


def read(text: str) -> list[tuple[str, dict[str, str]]]:
    value = read_object(text)
    assert value is not None
    return messages(value)


def test_journald() -> None:
    text = (
        '{"__REALTIME_TIMESTAMP": "1936512000000012", "_HOSTNAME": "dgx-c3", "PRIORITY": "4", "SYSLOG_IDENTIFIER": "kernel",'
        ' "_TRANSPORT": "kernel", "MESSAGE": "NVRM: GPU Board Serial Number: 1500000000029"}'
    )
    fields = {"host": "dgx-c3", "ident": "kernel", "level": "warning", "time": "2031-05-14T08:00:00.000012Z"}
    assert read(text) == [("NVRM: GPU Board Serial Number: 1500000000029", fields)]


def test_journald_message_as_bytes_or_null() -> None:
    assert read('{"__REALTIME_TIMESTAMP": "1", "MESSAGE": [78, 86, 82, 77]}')[0][0] == "NVRM"
    assert read('{"__REALTIME_TIMESTAMP": "1", "MESSAGE": null}') == [("", {"time": "1970-01-01T00:00:00.000001Z"})]


def test_programs_with_errors_and_stacks() -> None:
    found = read('{"level":"ERROR","ts":1935494531.5,"msg":"step failed","exc_info":"Traceback:\\n  x","rank":3,"count":9}')
    fields = {"level": "error", "time": "2031-05-02T13:22:11.500000Z", "rank": "3"}
    assert found == [("step failed", fields), ("Traceback:\n  x", fields)]


@pytest.mark.parametrize(
    ("text", "message", "fields"),
    [
        ('{"textPayload":"a","severity":"ERROR","timestamp":"2031-05-02T12:00:00Z","resource":{"labels":{"pod_name":"p"}}}',
         "a", {"level": "error", "time": "2031-05-02T12:00:00Z", "pod": "p"}),
        ('{"jsonPayload":{"message":"a"},"timestamp":"2031-05-02T12:00:00Z"}', "a", {"time": "2031-05-02T12:00:00Z"}),
        ('{"labels":{"pod":"p","node":"n"},"line":"a","timestamp":"2031-05-02T12:00:00Z"}',
         "a", {"time": "2031-05-02T12:00:00Z", "host": "n", "pod": "p"}),
        ('{"_source":{"message":"a","@timestamp":"2031-05-02T12:00:00Z"}}', "a", {"time": "2031-05-02T12:00:00Z"}),
        ('{"message":{"message":"RuntimeError: x","extraInfo":{"timestamp":"1935494531"}}}', "RuntimeError: x", {}),
    ],
)  # fmt: skip
def test_clouds(text: str, message: str, fields: dict[str, str]) -> None:
    assert read(text) == [(message, fields)]


def test_lists_of_events() -> None:
    text = '{"events":[{"timestamp":1935494531000,"message":"a"},{"timestamp":1935494532000,"message":"b"}]}'
    assert [message for message, _ in read(text)] == ["a", "b"]


@pytest.mark.parametrize("text", ["{'loss': 1.23}", '{"loss": 1.2}', "{}", "[]", "{", '{"a":' * 5000 + "1" + "}" * 5000])
def test_no_message(text: str) -> None:
    value = read_object(text)
    assert value is None or messages(value) == []


def test_times() -> None:
    assert iso_time(1935494531) == iso_time("1935494531") == "2031-05-02T13:22:11Z"
    assert iso_time(1935494531000) == iso_time(1935494531000000000) == "2031-05-02T13:22:11Z"
    assert iso_time(True) is iso_time(None) is iso_time(3) is iso_time(float("nan")) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["message", "MESSAGE", "log", "error", "time", "events", "_source", "labels"]), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["message", "__REALTIME_TIMESTAMP", "log", "error", "ts", "extraInfo"]), json_values))
def test_any_object(value: dict[str, object]) -> None:
    for text, fields in messages(value):
        assert isinstance(text, str)
        assert all(isinstance(item, str) for pair in fields.items() for item in pair)
