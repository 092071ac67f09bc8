"""Whether an error text is reported by its line, or only named there: in code, a rule, a search, advice."""

from __future__ import annotations

from triage import lazy
from triage.model import Match

_LONGEST = 2000
# A search pattern or a template for messages is no message: `.*`, `\d+`, `{{ $value }}`, `%d`, `SeqNum=...`.
_PATTERN = lazy.pattern(r"\.\*|\\[dswDSW][+*{]|\(\?[:iP]|\[\^|\{\{[^}\n]*\}\}|%(?:d|s|u|lu|0\d+x)\b|=\.\.\.[,)]")
# Code that tests, raises, maps or looks for the text: what stands before the opening quotation mark, and after the
# closing one.
_CODE = lazy.pattern(
    r"^\s*raise \w[\w.]*\($|\b(?:grep|egrep|fgrep|rg|ag) (?:-\S+ )*$|\bmatch=r?$"
    r"|^\s*(?:if|elif|while|case)\b[^\n]*[=!]= ?$"
    r"|:msg, *!?(?:contains|startswith|isequal|regex|ereregex), *$"
    r"|(?:re\.\w+|\.startswith|\.contains|\.includes|\.indexOf|strstr|pytest\.raises|assertRaises\w*)\([^\s\"']*r?$"
)
_TESTS = (
    lazy.pattern(r"^\s*(?:if|elif|while|assert|return|\w+ =)\b(?:[^\n]*\b(?:and|or|not|any|all))?[\s(]*$"),
    lazy.pattern(r"^[\"'] (?:not )?in \w"),
)
_MAPS = (lazy.pattern(r"^\s*[{\[(]?\s*$"), lazy.pattern(r"^[\"']\s*(?::|=>)\s*[\"'{\[]"))
# Advice and lists of known problems name an error and say what it would mean; who reports his own says `I` or `we`.
_ADVICE_BEFORE = lazy.pattern(
    r"(?i)\b(?:such as|e\.g\.|for example|for instance|if you (?:see|get|hit|meet)"
    r"|(?:look|search|check|grep|watch|scan)(?:s|es|ning|ing)? (?:\w+ )?for)\b|^\s*(?:[-*•]|#+)\s*fix(?:ed|es)?\b"
)
_ADVICE_AFTER = lazy.pattern(
    r"(?i)^[`\"'”»]+\s*(?:\([^)\n]*\)\s*)?(?:in \w+ )?(?:(?:usually|often|typically|normally|generally) )?"
    r"(?:means|indicates|points to|is now \w+)\b|\bplease (?:include|attach|paste|post)\b"
)
_OWN = lazy.pattern(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur)\b")
_QUOTES = ("`", '"', "'")


def quoted(match: Match) -> str:
    """Why the match is no report of an error, or an empty string. Only lines of no known format are doubted: a
    kernel or a traceback quotes nobody."""
    record, (low, high) = match.record, match.span
    if record.format != "text":
        return ""
    begin = record.text.rfind("\n", 0, low) + 1
    end = record.text.find("\n", low)
    line = record.text[begin : end if end >= 0 else len(record.text)]
    if len(line) > _LONGEST:
        return ""
    if _PATTERN.search(line):
        return "a pattern or template, not a message"
    at = low - begin
    for mark in _QUOTES:
        opening = _opening(line, at, mark)
        if opening < 0:
            continue
        closing = line.find(mark, max(at + 1, min(high - begin, len(line)) - 1))
        before, after = line[:opening], line[closing:] if closing >= 0 else ""
        pairs = any(first.search(before) and second.search(after) for first, second in (_TESTS, _MAPS))
        if pairs or _CODE.search(before):
            return "quoted in code"
        if (_ADVICE_BEFORE.search(before) or _ADVICE_AFTER.search(after)) and not _OWN.search(line):
            return "quoted as an example"
    return ""


def _opening(line: str, at: int, mark: str) -> int:
    """Where the quotation around column `at` begins, or -1. An apostrophe inside a word opens nothing."""
    words = mark == "'"
    places = [i for i in range(at + 1) if line[i : i + 1] == mark and not (words and line[i - 1 : i].isalnum())]
    return places[-1] if len(places) % 2 else -1
