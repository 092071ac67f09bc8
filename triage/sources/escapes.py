"""Terminal escapes and control characters: taken out of the text, made harmless in what is shown.

A log is hostile text: it must never drive the terminal that shows it, nor hide words from the scan.
"""

from __future__ import annotations

import re

from triage import lazy

# ECMA-48: CSI; string sequences (OSC, DCS, SOS, PM, APC) up to BEL or ST; then two-character escapes.
_ESCAPE = lazy.pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
# The same colour codes spelled out by `cat -v`, JSON, Python's repr, printf, rsyslog, or an old console's glyph.
_SPELLED = lazy.pattern(r"(?:\^\[|\\x1[bB]|\\u001[bB]|\\033|#033|\\e|[\u241b\u2190\ufffd])\[[0-9;?]*[A-HJKSTfhlmnsu]")
_SPELLED_HINT = ("^[[", "\\x1", "\\u001", "\\033[", "#033[", "\\e[", "\u241b[", "\u2190[", "\ufffd[")
# What a web form leaves of a colour when it drops the escape character: `[36m(Worker pid=1)[0m`.
_BARE = lazy.pattern(r"\[(?:[0-9]{1,3}(?:;[0-9]{1,3}){0,4})?m(?!\])")
_BARE_START = lazy.pattern(r"\[(?:[0-9];)?(?:0|1|2|[39][0-7])m")
_CONTROL = lazy.pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Invisible or reordering characters: zero width, directional overrides, Unicode's own line ends.
_HIDDEN = lazy.pattern("[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_SHOWN = lazy.pattern("([\x00-\x08\n-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff])\\1*")
_SEPARATORS = lazy.pattern("[\r\n\x0b\x0c\x1c-\x1e]+|\x08{2,}")
_OVERSTRIKE = lazy.pattern("[^\x08]\x08")


def has_controls(text: str) -> bool:
    """Whether `text` holds a control character other than tab and newline."""
    return _CONTROL.search(text) is not None


def strip_escapes(text: str) -> str:
    """`text` without escape sequences, real or spelled out; a return to column one becomes a carriage return."""
    if "\x1b" in text or has_controls(text):
        text = _ESCAPE.sub(_column_one, text)
    if any(hint in text for hint in _SPELLED_HINT):
        text = _SPELLED.sub("", text)
    if "[0m" in text or _BARE_START.match(text):
        text = _BARE.sub("", text)
    return text


def _column_one(found: re.Match[str]) -> str:
    return "\r" if found[0].endswith("G") or found[0] == "\x1b[2K" else ""


def separate(text: str) -> list[str]:
    """The parts of a line that a terminal would write over each other or on new lines, at least one.

    A progress bar ends in a carriage return; what stood before it may be the error, so every part is kept. Empty
    parts are left out where others remain.
    """
    if not has_controls(text) and "\n" not in text:
        return [text]
    parts = [part for part in _SEPARATORS.split(text) if part.strip()]
    return parts or [""]


def clean(text: str) -> str:
    """`text` without control and invisible characters; a no-break space becomes a space. Tabs stay."""
    if "\x08" in text:
        text = _OVERSTRIKE.sub("", text)
    if has_controls(text):
        text = _CONTROL.sub("", text)
    if not text.isascii():
        text = _HIDDEN.sub("", text).replace("\xa0", " ")
    return text


def harmless(text: str) -> str:
    """`text` as it may be shown: escape sequences gone, other control characters spelled (`^@`), runs once."""
    if text.isprintable():
        return text
    if has_controls(text):
        text = _ESCAPE.sub("", text).strip("\r")
    return _SHOWN.sub(_spelled, text)


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[1])
    if code < 0x20:
        return "^" + chr(code + 64)
    return "^?" if code == 0x7F else f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
