"""Every line of a large source is counted once, under the template that it would have by itself."""

from __future__ import annotations

import random
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage import tally
from triage.model import Block, Line, Record
from triage.tally import Tally, keys_of, suspicious
from triage.templates import Template, Templates

WORDS = ("alpha", "bravo", "kilo", "lima", "mike", "november", "oscar", "quebec", "romeo", "sierra", "tango", "whiskey", "yankee", "zulu")


def counted(lines: Collection[str], hits: Collection[int] = (), size: int = 1000) -> list[Template]:
    """The templates of lines that come in blocks of `size`; `hits` are the places of those that are counted elsewhere."""
    templates = Templates()
    count = Tally(templates)
    own = list(lines)
    for at in range(0, len(own), size):
        texts = own[at : at + size]
        block = Block("\n".join(texts).encode(), range(at + 1, at + 1 + len(texts)), read)
        count.count(block, keys_of(block), {i - at: 0 for i in hits if at <= i < at + size}, "log")
    return templates.all()


def read(block: Block, start: int, end: int) -> list[Line]:
    return [Line(n, row.decode(), row.decode()) for n, row in list(zip(block.numbers, block.rows, strict=True))[start:end]]


def word(rng: random.Random) -> str:
    return "".join(rng.choice(WORDS)[:3] for _ in range(4))


def test_words_that_change_make_no_kinds() -> None:
    rng = random.Random(1)
    lines = [f"Mar 11 10:02:11 node{i % 7} sshd[{i}]: Accepted publickey for {word(rng)} from 10.0.{i % 200}.7 port {i}" for i in range(5000)]
    lines += [f"[{i:12.6f}] docker0: port {i % 9}(veth{rng.getrandbits(28):x}) entered {word(rng)} state" for i in range(5000)]
    found = counted(lines)
    assert [(t.count, t.first[1], t.last[1]) for t in sorted(found, key=lambda t: t.first)] == [(5000, 1, 5000), (5000, 5001, 10000)]
    assert {t.text.split()[0] for t in found} == {"Accepted", "docker0:"}


def test_what_a_message_says_is_told_apart_under_any_header() -> None:
    rng = random.Random(2)
    bodies = ("worker {} of the pool started on {}", "{} lost its lease of {} in a hurry", "queue {} flushed in {}")
    heads = ("Mar 11 10:02:11 n1 app[1]: ", "[   12.345678] ", "2026-03-11T10:02:11+0000 n1 app[22]: ", "")
    lines = [rng.choice(heads) + rng.choice(bodies).format(word(rng), word(rng)) for _ in range(6000)]
    found = {" ".join(w for w in t.text.split() if w != "<*>"): t.count for t in counted(lines)}
    kinds = {body: " ".join(w for w in body.split() if w != "{}") for body in bodies}
    want = {text: sum(text.split()[0] in line.split(" ") for line in lines) for text in kinds.values()}
    assert found == want


def test_hits_and_blank_lines_are_counted_elsewhere() -> None:
    lines = ["same words here", "", "boom", "   ", "same words here", "boom"] * 500
    hits = [i for i, line in enumerate(lines) if line == "boom"]
    assert [(t.text, t.count, t.first, t.last) for t in counted(lines, hits)] == [("same words here", 1000, ("log", 1), ("log", 2999))]


def test_a_line_is_not_known_by_its_header_alone() -> None:
    header = "Mar 11 10:02:11 n1 app[1]: " + "x y z " * 100
    found = counted([header + f"{WORDS[i % 2]} happened" for i in range(400)])
    assert sum(t.count for t in found) == 400


def test_text_without_end_is_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tally, "_MOST_LEARNT", 50)
    rng = random.Random(3)
    found = counted([" ".join(word(rng) for _ in range(3 + i % 40)) for i in range(3000)], size=100)
    assert sum(t.count for t in found) == 3000
    assert max(found, key=lambda t: t.count).text == "(other)"
    assert len(found) <= 51


@given(st.lists(st.sampled_from(["", " ", "12", "a b", "a  b", "a 7 b", "step 1 done", "step 2 done", "failed x", "é ü", "dead beef"]), max_size=60))
def test_no_line_is_lost_or_counted_twice(lines: list[str]) -> None:
    found = counted(lines, size=7)
    assert sum(t.count for t in found) == sum(1 for line in lines if line.strip())
    assert all(1 <= t.first[1] <= t.last[1] <= len(lines) for t in found)


@pytest.mark.parametrize(
    ("text", "level", "bad"),
    [
        ("disk failed", None, True), ("0 errors, fine", None, False), ("all well", None, False), ("x" * 700 + " error", None, False),
        ("disk failed", "info", False), ("all well", "error", True),
        ("description:    fatal error handler", None, False), ("description: the disk failed", None, True),
        ("Command line: console=ttyS0 quiet reboot=k panic=1", None, False), ("[conda] Could not collect", None, False),
        ("Exception raised from checkTimeout at /pytorch/x.cpp:692 (most recent call first):", None, False),
        ("Exception raised from the loader", None, True),
        ("kernel panic=yes", None, True), ("Could not collect garbage: disk failed", None, True),
        ("+ echo 'FATAL: no pod'", None, False), ("+ disk failed", None, True),
        ('error: previous terminated container "a" in pod "b" not found', None, False),
    ],
)  # fmt: skip
def test_what_sounds_like_an_error(text: str, level: str | None, bad: bool) -> None:
    record = Record("log", "text", [Line(1, text, text)], text, [0], fields={"level": level} if level else {})
    assert suspicious(record) == bad
