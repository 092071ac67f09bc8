"""Which regexes every engine reads alike."""

from __future__ import annotations

import re

_ESCAPED = re.compile(r"\\.|\[(?:\\.|\^?\]|[^\]\\])(?:\\.|[^\]\\])*\]", re.DOTALL)
_OUTSIDE = (
    (re.compile(r"\(\?(?:=|!|<=|<!)"), "look-around"),
    (re.compile(r"\(\?>"), "an atomic group"),
    (re.compile(r"(?:[*+?]|\{\d+(?:,\d*)?\})\+"), "a possessive quantifier"),
    (re.compile(r"\(\?P=|\(\?\("), "a back-reference or a condition"),
    (re.compile(r"\(\?[ims]*[auLxR&]"), "a flag or recursion that not all engines have"),
)
_OUTSIDE_ESCAPES = re.compile(r"\\(?:[1-9gkKXRGZpPhHvVN]|u[0-9a-fA-F]{4})")


def outside_subset(regex: str) -> str:
    """What puts a regex outside the common subset of re2, hyperscan and `regex`, or an empty text."""
    escape = _OUTSIDE_ESCAPES.search(regex.replace("\\\\", ""))
    if escape:
        return f"{escape[0]!r} (a back-reference, or a class that not all engines have)"
    plain = _ESCAPED.sub("x", regex)
    return next((name for pattern, name in _OUTSIDE if pattern.search(plain)), "")
