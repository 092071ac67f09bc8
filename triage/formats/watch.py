"""The time series that `triage collect --watch` writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from triage import clock, lazy
from triage.formats.base import Format, record
from triage.model import Line, Record

HEAD = "# triage watch 1"
GPU_COLUMNS = (
    "temperature", "power", "power_limit", "clock", "utilization", "memory_used", "reasons", "link_gen", "link_width",
    "replays", "ecc_corrected", "ecc_uncorrected", "remapped", "aer_corrected", "aer_nonfatal", "aer_fatal",
)  # fmt: skip
HOST_COLUMNS = ("memory_free", "load", "temperature", "xids")

_TIME = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"
_ROW = lazy.pattern(_TIME + r",(host|[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2})((?:,[-0-9.]*){4,16})$")
_DEVIATION = lazy.pattern(_TIME + r" watch: (host|\S+|GPU \d+) (.+)$")


class Watch(Format):
    """A sample of a GPU or of the host, or a deviation that was seen in it, one record each.

        # triage watch 1 gpu:temperature,power,... host:memory_free,load,temperature,xids
        2026-03-14T10:02:11Z,host,121394,31.2,48,0
        2026-03-14T10:02:11Z,0000:3b:00,71,688,700,1410,100,61002,4,5,16,0,0,0,0,0,0,0
        2026-03-14T10:02:11Z watch: 0000:3b:00 temperature: 86 C, before 71 C
    """

    name: ClassVar[str] = "watch"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if text.startswith(HEAD):
            return record(self.name, lines[at : at + 1], [""])
        if found := _ROW.match(text):
            return record(self.name, lines[at : at + 1], [""], clock.parse(found[1]))
        if found := _DEVIATION.match(text):
            return record(self.name, lines[at : at + 1], [f"watch: {found[2]} {found[3]}"], clock.parse(found[1]))
        return None
