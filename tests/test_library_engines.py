"""The three engines are asked the same, and what they answer is compared."""

from __future__ import annotations

import pytest

from triage.library.engines import Engines


def test_engines_that_differ_are_named() -> None:
    # re2 reads `$` as the end of a line only with (?m); `\s` has a vertical tab in two of three.
    engines = Engines([r"a\sb", "plain"])
    assert [regex for regex, _ in engines.differences("a\x0bb plain")] == [r"a\sb"]
    assert list(engines.differences("a b plain")) == []


def test_a_wrong_needle_shows_as_a_difference() -> None:
    # `regex` is asked only where the fixed words of a pattern are: re2 and hyperscan would contradict
    engines = Engines([r"NVRM: Xid (?P<xid>[0-9]+)", r"(?i)xid"])
    engines._needed = {"not in the text": [0, 1]}
    assert {regex for regex, _ in engines.differences("NVRM: Xid 79")} == set(engines.regexes)


def test_each_engine_finds_the_same_with_and_without_fixed_words() -> None:
    engines = Engines([r"^GPU\d+$", r"out of (?:host )?memory", r"(?i)oom", r"[a-z]+\.py"])
    assert {name: sorted(hits) for name, hits in engines.hits("GPU0\nout of memory: OOM").items()} == {
        "re2": [0, 1, 2], "hyperscan": [0, 1, 2], "regex": [0, 1, 2],
    }  # fmt: skip


@pytest.mark.parametrize(("regex", "why"), [("a(b", "re2: missing )"), ("a{1,2000}", "re2: invalid repetition size")])
def test_what_does_not_compile_is_named_and_the_rest_stays(regex: str, why: str) -> None:
    engines = Engines(["plain", regex])
    assert engines.regexes == ["plain"]
    assert engines.broken[regex].startswith(why)
    assert list(engines.differences("plain")) == []
