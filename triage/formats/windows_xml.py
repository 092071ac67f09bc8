"""The XML of a Windows event, read by pattern since pasted XML is often cut or unescaped."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from triage import lazy
from triage.formats.windows_payload import Payload
from triage.model import Line

_MOST_LINES = 400
_PROVIDER = lazy.pattern(r"<Provider\b[^>]*?\bName=(['\"])(.*?)\1")
_ID = lazy.pattern(r"<EventID\b[^>]*>\s*(\d+)\s*<")
_LEVEL = lazy.pattern(r"<Level>\s*(\d+)\s*<")
_TIME = lazy.pattern(r"<TimeCreated\b[^>]*?\bSystemTime=(['\"])(.*?)\1")
_COMPUTER = lazy.pattern(r"<Computer>\s*([^<]+?)\s*<")
_MESSAGE = lazy.pattern(r"<Message>(.*?)</Message>", re.DOTALL)
_DATA = lazy.pattern(r"<Data(?:\s+Name=(['\"])(?P<name>.*?)\1)?\s*(?:/>|>(?P<value>.*?)</Data>)", re.DOTALL)
_LEAF = lazy.pattern(r"<(\w+)(?:\s[^<>]*)?>([^<>]+)</\1>")


@dataclass(slots=True)
class XmlEvent:
    provider: str
    event_id: int
    level: str
    time: str
    host: str
    payload: Payload = field(default_factory=Payload)

    @property
    def header(self) -> dict[str, str]:
        """The header values by field name, as text."""
        return {
            "provider": self.provider, "event_id": str(self.event_id), "level": self.level, "time": self.time,
            "host": self.host,
        }  # fmt: skip


def event_lines(lines: Sequence[Line], at: int) -> int:
    """How many lines the `<Event>` that begins at `lines[at]` takes; 0 when it does not end."""
    for count in range(1, min(_MOST_LINES, len(lines) - at) + 1):
        text = lines[at + count - 1].text
        if "</Event>" in text:
            return count
        if count > 1 and re.search(r"<Event[ >]", text):
            return 0
    return 0


def parse(text: str) -> XmlEvent | None:
    """The event in `text`; None without provider and id."""
    provider, number = _PROVIDER.search(text), _ID.search(text)
    if not provider or not number:
        return None
    level, time, computer = _LEVEL.search(text), _TIME.search(text), _COMPUTER.search(text)
    message = _MESSAGE.search(text)
    values: list[str] = []
    named: dict[str, str] = {}
    body = text.split("</System>", 1)[-1].split("<RenderingInfo", 1)[0]
    for found in _DATA.finditer(body):
        value = html.unescape(found["value"] or "").strip()
        if found["name"]:
            named[found["name"]] = value
        else:
            values.append(value)
    if "<UserData" in body:
        for leaf, value in _LEAF.findall(body):
            named.setdefault(leaf, html.unescape(value).strip())
    rendered = html.unescape(message[1]).replace("\r", "") if message else ""
    return XmlEvent(
        html.unescape(provider[2]), int(number[1]), level[1] if level else "", time[2] if time else "",
        computer[1] if computer else "", Payload(values, named, rendered),
    )  # fmt: skip
