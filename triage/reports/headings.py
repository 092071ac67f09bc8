"""What a heading says, and what stands for one: many teams write `**Impact**: one job.`, or a row of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from triage import lazy

_LABEL = lazy.pattern(
    r"[ \t]*(?:>[ \t]*|[-*+][ \t]+|\|[ \t]*)*"  # quoted, in a list, in a table
    r"(?:(?:\*\*|__)([^*_|\n]{2,60}?)[:\uff1a]?(?:\*\*|__)|(?<=[|])[ \t]*([^|*\n]{2,40}?)[ \t]*(?=\|))"
)
_SHORTCODE = lazy.pattern(r":[a-z0-9_+-]+:", re.ASCII)
_CHINESE = "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341"  # one to ten
_ORNAMENT = lazy.pattern(rf"\A(?:[\W_]+|\d+(?:\.\d+)*[.)\u3001]?\s+|[{_CHINESE}]+[\u3001.\uff0e]\s*)+")


def label(line: str) -> str:
    """The bold words, or the first cell of a row, with which a line begins; empty where it begins otherwise."""
    found = _LABEL.match(line)
    return (found[1] or found[2]).strip() if found else ""


def says(headings: Sequence[str], names: Sequence[str]) -> int | None:
    """The first heading that begins with one of `names` (lower case), else the first that contains one; None if none
    does. Numbers, pictures and ornament in front do not count."""
    titles = [_title(heading) for heading in headings]
    # Chinese has no blanks between words.
    either = "|".join(re.escape(name) if name.isascii() else re.escape(name) + r"\w*" for name in names)
    for pattern in (rf"(?:{either})(?!\w)", rf".*(?<![a-z0-9_])(?:{either})(?!\w)"):
        for number, title in enumerate(titles):
            if re.match(pattern, title):
                return number
    return None


def _title(text: str) -> str:
    return _ORNAMENT.sub("", _SHORTCODE.sub("", text)).strip(" #*_:\uff1a").lower()
