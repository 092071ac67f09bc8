"""The ports of InfiniBand and RoCE cards, as ibstat, ibstatus and ibv_devinfo list them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from triage import lazy
from triage.formats.base import Format, record
from triage.model import Line, Record

# ibstat: `CA 'mlx5_0'`; ibv_devinfo: `hca_id: mlx5_0`; ibstatus names card and port on one line.
_CARD = lazy.pattern(r"\s*(?:CA '(?P<ca>[\w.-]{1,40})'|hca_id:\s+(?P<id>[\w.-]{1,40}))\s*$")
_PORT = lazy.pattern(r"(?P<indent>\s+)[Pp]ort:?\s+(?P<port>\d{1,3}):?\s*$")
_STATUS = lazy.pattern(r"Infiniband device '(?P<card>[\w.-]{1,40})' port (?P<port>\d{1,3}) status:\s*$")
_FIELD = lazy.pattern(r"(?P<indent>\s+)(?P<name>[A-Za-z][\w ]{1,40}?)\s*:\s*(?P<value>.*?)\s*$")
# `PORT_DOWN (1)` (ibv_devinfo) and `1: DOWN` (ibstatus), in the words of ibstat.
_STATE = lazy.pattern(r"(?:PORT_)?(?:\d: )?(?:PORT_)?(?P<word>DOWN|INIT|ARMED|ACTIVE)\w*(?: \(\d\))?$")
_PHYSICAL = lazy.pattern(r"\d: (?P<word>\w+)$")
_WORDS = {"DOWN": "Down", "INIT": "Initializing", "ARMED": "Armed", "ACTIVE": "Active"}
_LONGEST = 40


class IbPort(Format):
    """A card and each of its ports, one record: each line of a port as `mlx5_0 port 1 / State : Down`.

        CA 'mlx5_0'
        \tCA type: MT4129
        \tPort 1:
        \t\tState: Active
        \t\tPhysical state: LinkUp
        \t\tLink layer: InfiniBand

    `ibv_devinfo` (`PORT_DOWN (1)`) and `ibstatus` (`1: DOWN`) read in the words of `ibstat`.
    """

    name: ClassVar[str] = "ib-port"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if text[:1] in "\t I" and text:
            if status := _STATUS.match(text):
                return self._port(lines, at, status["card"], status["port"], 0)
            if port := _PORT.match(text):
                card = _card(lines, at)
                return self._port(lines, at, card, port["port"], len(port["indent"])) if card else None
        if ("CA '" not in text and "hca_id" not in text) or not _CARD.match(text):
            return None
        end = _under(lines, at, len(text) - len(text.lstrip()))
        return record(self.name, lines[at:end], [line.text.strip() for line in lines[at:end]])

    def _port(self, lines: Sequence[Line], at: int, card: str, port: str, indent: int) -> Record:
        end = _under(lines, at, indent)
        texts = [f"{card} port {port}"]
        for line in lines[at + 1 : end]:
            found = _FIELD.match(line.text)
            texts.append(f"{texts[0]} / {_told(found['name'], found['value'])}" if found else line.text.strip())
        return record(self.name, lines[at:end], texts)


def _card(lines: Sequence[Line], at: int) -> str:
    """The name of the card above a port; empty where the listing begins in its middle."""
    for line in reversed(lines[max(0, at - 2 * _LONGEST) : at]):
        if found := _CARD.match(line.text):
            return found["ca"] or found["id"]
        if line.text.strip() and not line.text[:1].isspace():
            break
    return ""


def _under(lines: Sequence[Line], at: int, indent: int) -> int:
    """The end of the fields that stand deeper than line `at`; a port below a card is a record of its own."""
    end = at + 1
    while end < len(lines) and end - at < _LONGEST:
        found = _FIELD.match(lines[end].text)
        if not found or len(found["indent"]) <= indent or _PORT.match(lines[end].text):
            break
        end += 1
    return end


def _told(name: str, value: str) -> str:
    """`State : Down` of any of the three tools."""
    label = {"state": "State", "phys state": "Physical state", "phys_state": "Physical state"}.get(name, name)
    if label == "State" and (state := _STATE.match(value)):
        value = _WORDS[state["word"]]
    if label == "Physical state" and (physical := _PHYSICAL.match(value)):
        value = physical["word"]
    return f"{label} : {value}"
