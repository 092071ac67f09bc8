import pytest
import re2

from triage.library.subset import outside_subset


@pytest.mark.parametrize(
    ("regex", "why"),
    [
        ("a(?=b)", "look-around"), ("(?<!x)y", "look-around"), ("(?>a)b", "atomic"), ("a++", "possessive"), ("a{2}+", "possessive"),
        (r"(a)\1", "back-reference"), ("(?P<q>.)(?P=q)", "back-reference"), (r"\Kfoo", "all engines"), (r"\pL", "all engines"),
        (r"a\Z", "all engines"), ("(?a)x", "flag"),
    ],
)  # fmt: skip
def test_what_only_some_engines_know_is_named(regex: str, why: str) -> None:
    assert why in outside_subset(regex)


@pytest.mark.parametrize(
    "regex",
    ["a(?:b|c)+?", r"\(?=x", "[(?=]", r"[\]+]+", "(?i)x", "(?s:.)", r"\\1", "(?P<name>x)", r"x{2,3}\b", "[+]+", r"\++", "[]+]+"],
)
def test_what_all_engines_know_passes(regex: str) -> None:
    assert outside_subset(regex) == ""
    re2.compile(regex)


def test_the_subset_is_told_from_literals() -> None:
    assert outside_subset(r"a\(\?=b [(?=] \+\+ [*+]+ (?P<x>\d+) (?:y) (?i:z) x{2,3}? \\d") == ""
    assert outside_subset(r"(?i)a\b\s\S\w\W\d\D\.\n\t\x41") == ""
    assert outside_subset(r"a{2,3}+") == "a possessive quantifier"
    assert "\\k" in outside_subset(r"(?P<x>a)\k<x>")
