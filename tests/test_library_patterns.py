import pytest

from triage.library.library import Pattern
from triage.library.loader import load_library
from triage.library.patterns import compiled, needles, to_anchor


@pytest.mark.parametrize(
    ("regex", "wanted"),
    [
        ("GPU has fallen off the bus", ["GPU has fallen off the bus"]),
        (r"NVRM: Xid \((?:PCI:)?(?P<pci>[0-9a-f:]+)\)", ["NVRM: Xid ("]),
        ("(?:alpha|omega) [0-9]+", ["alpha", "omega"]),
        ("(?:alpha|[0-9]) end", [" end"]),
        ("(?i)whatever", []),
        ("(?:optional)?x", []),
        ("(?:never mind )?the needle", ["the needle"]),
        (r"first\nsecond line", ["second line"]),
        ("[0-9]+", []),
    ],
)
def test_needles(regex: str, wanted: list[str]) -> None:
    assert needles(regex) == wanted


def test_most_patterns_have_needles() -> None:
    table = load_library().table()
    assert sum(bool(n) for n in table.needles) > 0.8 * len(table.needles)


@pytest.mark.parametrize(
    ("regex", "wanted"),
    [
        ("^Killed$", "Killed"),
        ("pid=(?P<pid>[0-9]+)$", "pid=(?:[0-9]+)"),
        ("step [0-9]+", "step [0-9]"),
        ("all of it.*", "all of it"),
        (r"cost \$", r"cost \$"),
        ("[^a]b", "[^a]b"),
        ("(?i)^Boom", "(?i)Boom"),
    ],
)
def test_anchors_hold_on_raw_lines(regex: str, wanted: str) -> None:
    assert to_anchor(Pattern(regex, (), {}, "", "")) == wanted


def test_patterns_are_multi_line_and_linear() -> None:
    assert compiled("^b$").search("a\nb\nc") is not None
    assert compiled("(a*)*b").search("a" * 5000) is None
