"""SXid: errors of an NVSwitch. The number names the unit; the printed word says how far the damage goes.

Format: src/common/nvswitch/kernel/inc/common_nvswitch.h of the NVIDIA open driver; groups of numbers: the NVSWITCH_ERR
enumeration beside it. Fatal and non-fatal: NVIDIA Fabric Manager user guide, appendix on SXid.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.decode.phrases import Known, distinct, some

GROUPS = {
    10: "the host interface of the switch", 11: "the entry of a port", 12: "the exit of a port",
    13: "the state tracking of a port", 14: "the state tracking of a port", 15: "the routing of a port",
    16: "a port", 17: "the link control", 18: "the link interface", 19: "the transaction layer of a link",
    20: "the data link and physical layer of a link", 21: "the crossbar", 22: "the link microcontroller (MINION)",
    23: "the crossbar", 24: "the request tracking of a port", 25: "the link interface",
    26: "the controller of the switch (SOE)", 27: "the cable module controller", 28: "the heat of an optical module",
    29: "the multicast state of a port", 30: "the reduction state of a port",
}  # fmt: skip
_LINE = lazy.pattern(r"SXid \([^)\n]*\): (\d{5}), (?:(Fatal|Non-fatal), )?(?:Link (\d{1,3}) )?([^\n]*)")


def group(number: int) -> str:
    return GROUPS.get(number // 1000, f"unit group {number // 1000}, which the table does not hold")


def explain(texts: Sequence[str], known: Known) -> list[str]:
    lines = [m for text in texts for m in _LINE.finditer(text)]
    if not lines:
        return []
    links = distinct(m[3] for m in lines if m[3])
    where = f" of link {some(links)}" if len(links) == 1 else f", on links {some(links)}" if links else ""
    found = [f"It comes from {group(int(lines[0][1]))}{where}."]
    printed = {m[2] for m in lines}
    if "Fatal" in printed:
        found.append("Printed as fatal: the port, or the whole fabric, carries no traffic until a reset.")
    elif "Non-fatal" in printed:
        found.append("Printed as non-fatal: that speaks of the fabric; the GPU on the port can still lose its traffic.")
    if any("(First)" in m[4] for m in lines):
        found.append("(First) marks the error that its unit latched before all others.")
    return found
