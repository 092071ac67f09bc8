import re

import pytest

from triage import lazy


def test_it_is_compiled_when_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str | bytes] = []
    real = re.compile
    monkeypatch.setattr(re, "compile", lambda source, flags=0: compiled.append(source) or real(source, flags))
    pattern = lazy.pattern("a(b)")
    assert compiled == []
    assert pattern.search("xab")
    assert pattern.sub("-", "xab") == "x-"
    assert compiled == ["a(b)"]


def test_it_is_what_re_compile_gives() -> None:
    assert lazy.pattern("A", re.IGNORECASE).fullmatch("a")
    assert lazy.pattern(rb"(?P<n>\d)").groupindex == {"n": 1}
    assert lazy.pattern("a", re.MULTILINE).pattern == "a"
    with pytest.raises(re.error):
        lazy.pattern("(").search("")
