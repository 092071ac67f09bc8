"""Which encoding a text has, and its bytes as UTF-8.

Order of trust: byte order mark, the places of the NULs (UTF-16), valid UTF-8, mostly valid UTF-8 (a log that several
programs write), then what fits the bytes best: Chinese and Japanese Windows, the Latin and Cyrillic code pages.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

from triage import lazy
from triage.sources.kinds import wide_encoding
from triage.sources.streams import Stream

_HIGH = lazy.pattern(rb"[\x80-\xff]+")
_UTF8 = lazy.pattern(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
# Words of Device Manager, Event Viewer and pnputil in Chinese and Korean Windows.
_CHINESE = (
    "设备", "驱动", "错误", "代码", "问题", "状态", "系统", "无法", "计算机", "程序", "文件", "显示", "事件", "日志",
    "警告", "信息", "此", "的",
)  # fmt: skip
_TAIWAN = (
    "裝置", "驅動", "錯誤", "代碼", "問題", "狀態", "系統", "無法", "電腦", "程式", "檔案", "顯示", "事件",
    "警告", "資訊",
)  # fmt: skip
_KOREAN = ("장치", "드라이버", "오류", "코드", "문제", "상태", "시스템", "컴퓨터", "이벤트", "경고", "파일", "수 없")
_SINGLE = ("cp1252", "cp1250", "cp850")
_CYRILLIC = ("cp1251", "cp866", "koi8_r")
_COMMON_RUSSIAN = "оеаинтсрвлкмдпу"
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")
_SAMPLE = 1 << 15
_TITLES = {
    "gb18030": "GBK (Chinese Windows)", "cp932": "Shift-JIS (Japanese Windows, cp932)", "big5": "Big5 (Taiwan Windows)",
    "cp949": "cp949 (Korean Windows)", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32-le": "UTF-32",
    "utf-32-be": "UTF-32",
}  # fmt: skip


@dataclass(slots=True, frozen=True)
class Encoding:
    """`name` decodes the whole, `fallback` single lines that are not valid UTF-8 (empty while none was seen); `skip` is
    the length of the mark."""

    name: str = "utf-8"
    fallback: str = ""
    note: str = ""
    skip: int = 0


def detect(head: bytes) -> Encoding:
    """The encoding of a text that begins with `head`."""
    if head.isascii() and b"\0" not in head:
        return Encoding()
    if head.startswith(b"\xef\xbb\xbf"):
        return Encoding(fallback="" if valid(head[3 : whole(head)]) else _guess(head[3:]), skip=3)
    if wide := wide_encoding(head):
        mark = 0 if not head.startswith(_MARKS) else 4 if wide.startswith("utf-32") else 2
        return Encoding(wide, note=f"read as {_TITLES[wide]}" + ("" if mark else ", which it does not say"), skip=mark)
    body = head[: whole(head)]
    if valid(body):
        return Encoding()
    name = _guess(body)
    good = sum(len(found) for found in _UTF8.findall(body))
    bad = sum(len(run) for run in _HIGH.findall(_UTF8.sub(b"", body)))
    if good > 2 * bad:
        return _mostly(name)
    return Encoding(name, name, f"read as {title(name)}")


def whole(head: bytes) -> int:
    """The length without a UTF-8 character that the end of the sample cuts."""
    for back in range(1, min(4, len(head)) + 1):
        byte = head[-back]
        if byte >= 0xC0:
            needed = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return len(head) - back if back < needed else len(head)
        if byte < 0x80:
            break
    return len(head)


def completed(encoding: Encoding, data: bytes) -> Encoding:
    """The encoding with the fallback that the first lines need that are not valid UTF-8: they may come late."""
    return encoding if encoding.fallback or valid(data) else _mostly(_guess(data))


def _mostly(name: str) -> Encoding:
    return Encoding(fallback=name, note=f"mostly UTF-8; other lines read as {title(name)}")


def title(name: str) -> str:
    """The encoding as a reader knows it."""
    return _TITLES.get(name, name)


def valid(data: bytes) -> bool:
    """Whether it is UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(data: bytes) -> str:
    """The code page of the lines that are not ASCII."""
    lines = [line for line in data.split(b"\n") if not line.isascii() and not valid(line)]
    sample = b"\n".join(lines)[:_SAMPLE]
    runs: list[bytes] = _HIGH.findall(sample)
    if not runs:
        return "cp1252"
    return _double_byte(sample) or _single_byte(sample, runs)


def _double_byte(sample: bytes) -> str:
    texts = {name: _decode_most(sample, name) for name in ("gb18030", "cp932", "big5", "cp949")}
    words = (("gb18030", _CHINESE), ("big5", _TAIWAN), ("cp949", _KOREAN))
    hits = {name: sum(texts[name].count(word) for word in known) for name, known in words}
    best = max(hits, key=lambda name: hits[name])
    chinese = _share_common(sample)
    kana = sum(1 for c in texts["cp932"] if "\u3041" <= c <= "\u30ff")
    wide = sum(1 for c in texts["cp932"] if c > "\u3000")
    if texts["cp932"] and wide and kana > 0.25 * wide and kana > 2 * hits[best]:
        return "cp932"
    if hits[best] and (best == "gb18030" or hits[best] > hits["gb18030"]) and (chinese > 0.5 or best != "gb18030"):
        return best
    return "gb18030" if texts["gb18030"] and chinese > 0.85 else ""


def _decode_most(sample: bytes, name: str) -> str:
    """The text, or empty when more than a few bytes do not fit."""
    text = sample.decode(name, "replace")
    return text if text.count("\ufffd") <= 0.02 * len(text) else ""


def _share_common(sample: bytes) -> float:
    """The share of two-byte characters that are punctuation or level 1 of GB 2312: nearly all of a Chinese text."""
    common = total = at = 0
    while at < len(sample):
        if sample[at] < 0x81:
            at += 1
            continue
        total += 1
        lead, trail = sample[at], sample[at + 1] if at + 1 < len(sample) else 0
        if (0xB0 <= lead <= 0xD7 or 0xA1 <= lead <= 0xA3) and trail >= 0xA1:
            common += 1
        at += 2
    return common / total if total else 0.0


def _single_byte(sample: bytes, runs: list[bytes]) -> str:
    if sum(len(run) for run in runs) > 2.5 * len(runs):  # whole words: not a Latin alphabet
        scores = {name: _russian(sample, name) for name in _CYRILLIC}
        best = max(scores, key=lambda name: scores[name])
        if scores[best] > 0.5:
            return best
        return _by_statistics(sample)
    scores = {name: _letters(sample, name) for name in _SINGLE}
    return max(scores, key=lambda name: scores[name])


def _russian(sample: bytes, name: str) -> float:
    high = [c for c in sample.decode(name, "replace") if c > "\x7f"]
    return sum(1 for c in high if c in _COMMON_RUSSIAN) / len(high) if high else 0.0


def _letters(sample: bytes, name: str) -> float:
    """How well high bytes give letters inside words, lower case after a letter."""
    text = sample.decode(name, "replace")
    score = 0.0
    for before, char in zip(" " + text, text, strict=False):
        if char > "\x7f":
            letter = char.isalpha() and not (before.islower() and char.isupper())
            score += 1 if letter else -1 if before.isalpha() or char == "\ufffd" else 0
    return score


def _by_statistics(sample: bytes) -> str:
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return "cp1252"
    best = from_bytes(sample[:8192]).best()
    try:
        return codecs.lookup(best.encoding).name if best else "cp1252"
    except LookupError:
        return "cp1252"


def utf8_chunks(stream: Stream, encoding: Encoding) -> Iterator[bytes]:
    """The rest of `stream` as UTF-8. What is UTF-8 already passes unchanged, single invalid bytes included."""
    stream.read(encoding.skip)
    if encoding.name == "utf-8":
        yield from iter(stream.take, b"")
        return
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    for chunk in iter(stream.take, b""):
        yield decoder.decode(chunk).encode("utf-8", "replace")
    yield decoder.decode(b"", True).encode("utf-8", "replace")


def decode_line(data: bytes, fallback: str) -> str:
    """One line: UTF-8, else in the encoding of the other programs that write to this log."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(fallback or "cp1252", "replace")
