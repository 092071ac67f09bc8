"""The pattern language: the RE2 subset with ASCII classes, linear in time."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def compiled(regex: str) -> Any:
    """`regex` for confirming and extracting, multi-line; linear in time (re2), else `regex` with its own parser."""
    try:
        import re2

        options = re2.Options()
        options.log_errors = False
        return re2.compile("(?m)" + regex, options)
    except ImportError:
        import regex as fallback

        return fallback.compile(regex, fallback.MULTILINE | fallback.ASCII)
