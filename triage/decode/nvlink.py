"""NVLink errors: the registers of Xid 74 (up to Hopper) and the sub-codes of Xid 144 to 150 (NVLink 5).

Layout of IntrInfo and registers: NVIDIA's Xid catalogue (analyzing-xid-catalog.html). Before R575 the unit stands in
bits 9:5 of IntrInfo, since then in bits 6:0; the reason of a link-down in bits 25:20. The printed unit makes that
question unnecessary, so it is looked at first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from triage import lazy
from triage.decode.nvlink_table import ROWS, SEVERITY, WORDS, Row
from triage.decode.phrases import Known, bits, capital, distinct, listed, some

IGNORED = "to be ignored"
SYMPATHETIC = "a sign that something else failed"
PARITY = "an ECC or parity error inside the chip, to be reported when it repeats on one link"
LINK = "maybe hardware: check and reseat the connection first"
# (register, bits, reading): WORKFLOW_NVLINK_ERR of the catalogue.
REGISTERS: tuple[tuple[int, tuple[int, ...], str], ...] = (
    (1, (0, 23, 30), IGNORED), (1, (1, 20), SYMPATHETIC), (1, (4, 5), PARITY),
    (1, (8, 9, 12, 16, 17, 24, 28), LINK), (1, (21, 22), "a marginal signal: other errors first, then the connection"),
    (1, (27, 29), "to be reported when it repeats"), (3, (0, 1, 2, 6), PARITY),
    (3, (13,), "not expected, to be reported"),
    (3, (16, 19), "a case for the field diagnostic when it repeats"), (3, (17, 18), "to be reported when it repeats"),
    (4, (16, 17), SYMPATHETIC), (4, (18,), "a sign that something else failed, but the fabric needs a reset"),
    (5, (18, 19, 21, 22, 24, 25, 27, 28), PARITY),
    (5, (20, 23, 26, 29), "a threshold of corrected errors, work can go on"),
)  # fmt: skip
ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh")
_74 = lazy.pattern(r"[Ll]ink (\d{1,3})\(((?:0x[0-9a-fA-F]{1,8}(?:, ?)?){1,7})\)")
_TRAIN = lazy.pattern(r"ailed to train link (\d{1,3}) to remote PCI:([0-9A-Fa-f:.]{7,16})")
_LINE = lazy.pattern(
    r"\b(14[4-9]|150), (?:[^\n]{0,120}?, )?((?:SAW|RLW|TLW|TREX|NVLPW|NETIR|MSE)\w*(?: Degraded)?) "
    r"(Fatal|Nonfatal|Non-fatal) XC\d+ i\d+ Link (-?\d{1,4}) \(0x([0-9a-fA-F]{1,8}) 0x([0-9a-fA-F]{1,8})"
)


@dataclass(frozen=True, slots=True)
class Event:
    """One line of Xid 144 to 150. `link` is -1 where no link is meant."""

    xid: int
    unit: str
    fatal: bool
    link: int
    info: int
    status: int

    @property
    def reason(self) -> int:
        return self.info >> 20 & 0x3F


def unit_codes(info: int) -> tuple[int, int]:
    """The unit code as drivers before R575 pack it, and as newer ones do."""
    return info >> 5 & 0x1F, info & 0x7F


def register_words(place: int, value: int) -> list[str]:
    """The readings of a register of Xid 74, `place` counted from 1; a bit that no row names is said so."""
    table = {bit: words for number, numbers, words in REGISTERS if number == place for bit in numbers}
    return [f"bit {bit} of the {ORDINALS[place]} register: {table.get(bit, 'not documented')}" for bit in bits(value)]


def registers(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 74."""
    found: list[str] = []
    links: list[str] = []
    for text in texts:
        if m := _TRAIN.search(text):
            found.append(f"Link {m[1]} could not be trained; its other end is {m[2]}.")
        if m := _74.search(text):
            links.append(m[1])
            values = [int(word, 16) for word in m[2].replace(" ", "").strip(",").split(",")]
            words = [w for place, value in enumerate(values, 1) for w in register_words(place, value)]
            if words:
                found.append(f"Link {m[1]}: {some(words, 3)}.")
    found = distinct(found)[:3]
    if len(distinct(links)) > 1:
        found.append(f"Links {some(distinct(links))} report: several at once speak for the GPU, the switch or the peer "
                     "rather than for one cable.")  # fmt: skip
    return found


def event(text: str) -> Event | None:
    m = _LINE.search(text)
    if not m:
        return None
    return Event(int(m[1]), m[2], m[3] == "Fatal", int(m[4]), int(m[5], 16), int(m[6], 16))


def rows(one: Event) -> list[Row]:
    """The rows of the table that the printed unit, the reason and the error status leave."""
    fitting = [row for row in ROWS if row.xid == one.xid and one.unit in row.units.split("/")]
    fitting = [row for row in fitting if not row.reasons or one.reason in row.reasons]
    return [row for row in fitting if not row.statuses or one.status in row.statuses]


def by_code(one: Event) -> str:
    """Both readings of the unit code, for a printed unit that the table does not know."""
    old, new = unit_codes(one.info)
    before = distinct(row.units.split("/")[0] for row in ROWS if row.xid == one.xid and row.old == old)
    since = distinct(row.units.split("/")[-1] for row in ROWS if row.xid == one.xid and row.new == new)
    return (f"its unit code means {listed(before) or f'{old}, not in the table'} to drivers before R575 "
            f"and {listed(since) or f'{new}, not in the table'} to newer ones")  # fmt: skip


def explain(texts: Sequence[str], known: Known) -> list[str]:
    """Xid 144 to 150."""
    events = [one for one in map(event, texts) if one is not None]
    if not events:
        return []
    first = events[0]
    where = f" on link {first.link}" if first.link >= 0 else ""
    fitting = rows(first)
    exact = {(row.severity, row.now, row.later) for row in fitting}
    if len(exact) != 1:
        why = f"reason {first.reason} with status 0x{first.status:x} is not in the table"
        if not any(first.unit in row.units.split("/") for row in ROWS if row.xid == first.xid):
            why = by_code(first)
        return [f"{first.unit}{where}, printed as {'fatal' if first.fatal else 'not fatal'}: {why}."]
    severity, now, later = exact.pop()
    if severity == "P":
        severity, now = ("F", "RESET_GPU") if first.fatal else ("N", "IGNORE")
    detail = f"reason {first.reason}" if fitting[0].reasons else f"status 0x{first.status:x}"
    found = [f"{first.unit}{where}, {detail}: {SEVERITY[severity]}."]
    now, later = WORDS.get(now, now), WORDS.get(later, later)
    found.append(f"NVIDIA's table asks now for {now}; when it comes back, for {later}.")
    links = distinct(str(one.link) for one in events if one.link >= 0)
    if len(links) > 1:
        found.append(f"{capital(str(len(links)))} links report it: {some(links, 6)}.")
    return found
