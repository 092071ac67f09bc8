import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triage.library.expressions import ExpressionError, evaluate, names, parse

VALUES = {"tried": 20.0, "free": 9.0, "reserved": 130.0, "allocated": 5.0, "driver": "580.159.04", "level": "warn", "xid": 79}


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("-2 + 5", 3),
        ("tried <= free", False),
        ("(free ?? 0) + (reserved - allocated) >= tried", True),
        ("(nothing ?? 4) == 4", True),
        ("(nothing ?? -9) in [-9, 137]", True),
        ("nothing", None),
        ("nothing > 3", None),
        ("nothing > 3 and xid == 78", False),
        ("nothing > 3 and xid == 79", None),
        ("nothing > 3 or xid == 79", True),
        ("not nothing", None),
        ('level in ["warn", "error"]', True),
        ("xid in [13, 31]", False),
        ('driver < "580.95"', False),
        ("driver < 575", False),
        ("driver >= 575", True),
        ("1 / 0", None),
        ('"a" < 3', None),
        ("level == 'warn'", True),
        ("true and not false", True),
    ],
)
def test_values(source: str, wanted: object) -> None:
    assert evaluate(source, VALUES.get) == wanted


def test_calls_get_their_arguments() -> None:
    assert evaluate("rate(60) >= 100", VALUES.get, lambda name, args: 120 if (name, args) == ("rate", [60]) else None)


@pytest.mark.parametrize("source", ["", "1 +", "(1", "a b", "__import__('os')", "a.b", "1 == ", "x[0]", "lambda: 1", "a; b"])
def test_what_is_not_an_expression_is_refused(source: str) -> None:
    with pytest.raises(ExpressionError):
        parse(source)


def test_names_are_listed() -> None:
    assert names(parse("a + b * c ?? d and rate(e) > 1")) == {"a", "b", "c", "d", "e"}


@given(st.text(max_size=60))
def test_no_text_makes_it_raise_anything_else(source: str) -> None:
    with contextlib.suppress(ExpressionError):
        evaluate(source, VALUES.get, lambda name, args: None)
