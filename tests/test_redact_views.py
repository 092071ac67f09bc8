"""Each view reads what a program wrote, and knows where in the file it stands."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from triage.redact.views import View, encoded, views


def place(text: bytes, wanted: bytes) -> list[bytes]:
    """The bytes of the original from which `wanted` was read, in each view that holds it."""
    hits = []
    for view in views(text):
        at = view.text.find(wanted)
        if at >= 0:
            start, stop = view.origin(at, at + len(wanted))
            hits.append(text[start:stop])
    return hits


def test_colours_inside_a_word_are_taken_off() -> None:
    assert place(b"a \x1b[31mgh\x1b[0mp_x\x1b[K b", b"ghp_x") == [b"gh\x1b[0mp_x"]
    assert place(b"a \\x1b[31mse\\x1b[0mcret", b"secret") == [b"se\\x1b[0mcret"]
    assert place("a ​sec​ret".encode(), b"secret") == ["sec​ret".encode()]


def test_json_in_json_is_read() -> None:
    inner = json.dumps({"password": 'a"b/c'})
    text = json.dumps({"log": inner}).encode()
    assert b'a\\\\\\"b/c' in place(text, b'a"b/c')


def test_url_and_entities_are_read() -> None:
    assert place(b"x=a%2Fb%3Dc", b"a/b=c") == [b"a%2Fb%3Dc"]
    assert place(b"x=a&quot;b", b'a"b') == [b"a&quot;b"]
    assert place(b"line#012next", b"line\nnext") == [b"line#012next"]


def test_readable_base64_is_decoded() -> None:
    run = base64.b64encode(b"user:a very secret password")
    rows, places = encoded(b"x " + run + b" y")
    assert rows == b"user:a very secret password"
    assert places == [(0, 2, 2 + len(run))]
    assert encoded(b"ThisIsJustALongIdentifierWithoutMeaning")[1] == []


@given(st.text(alphabet='abc"/\\\n\x1b[0m%&;é', max_size=60))
def test_places_are_inside_and_ascend(text: str) -> None:
    for form in (text, json.dumps(text), quote(text)):
        data = form.encode()
        for view in views(data):
            last = 0
            for at in range(len(view.text)):
                start, stop = view.origin(at, at + 1)
                assert last <= start < stop <= len(data)
                last = start


def test_a_plain_text_is_its_own_view() -> None:
    assert [view.text for view in views(b"plain")] == [b"plain"]
    assert View(b"plain").origin(1, 3) == (1, 3)
