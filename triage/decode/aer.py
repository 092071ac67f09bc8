"""PCI Express errors as the kernel prints them (AER), firmware-first records and Windows WHEA words among them.

Bits: Linux include/uapi/linux/pci_regs.h (PCI_ERR_COR_*, PCI_ERR_UNC_*). Names of the lines `[ 5] SDES`: the tables
aer_correctable_error_string and aer_uncorrectable_error_string of drivers/pci/pcie/aer.c, since 5.9 the short ones of
lspci, before that the long ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from triage import lazy
from triage.decode import pci, tlp
from triage.decode.phrases import Known, capital, listed, named

Kind = Literal["corrected", "uncorrected"]
CORRECTED = {
    0: "the receiver could not make out what came over the lanes (receiver error)",
    6: "a packet arrived damaged and was sent again (bad TLP)",
    7: "a link-control packet arrived damaged (bad DLLP)",
    8: "a packet was sent again until the counter ran over (replay rollover)",
    12: "no acknowledgement came in time and the packet was sent again (replay timeout)",
    13: "an uncorrected error that its receiver chose to report as harmless (advisory non-fatal)",
    14: "the device corrected an error inside itself",
    15: "more errors came than the header log holds",
}
UNCORRECTED = {
    0: "an undefined error (old link training bit)",
    4: "the two ends of the link lost the protocol between them (data link protocol)",
    5: "the link went down without being asked to (surprise down)",
    12: "data came that its sender had already marked as bad (poisoned TLP)",
    13: "the accounting of buffer space broke (flow control protocol)",
    14: "a request got no answer in time (completion timeout)",
    15: "the target refused to carry out a request (completer abort)",
    16: "an answer came that nobody waited for (unexpected completion)",
    17: "more came than the receiver had room for (receiver overflow)",
    18: "a packet broke the rules of its format (malformed TLP)",
    19: "the end-to-end checksum of a packet was wrong (ECRC)",
    20: "a request went to something that does not accept it (unsupported request)",
    21: "access control blocked a request, such as one from device to device (ACS violation)",
    22: "the device had an error inside itself (uncorrectable internal error)",
    23: "a multicast packet was blocked",
    24: "an atomic operation was blocked on its way out",
    25: "a packet with a prefix was blocked",
    26: "bad data was stopped on its way out (poisoned TLP blocked)",
}
# Both generations of the names in the detail lines, lower case, for a block whose severity line is missing.
NAMES: dict[str, tuple[Kind, int]] = {
    **{name: ("corrected", bit) for name, bit in (
        ("rxerr", 0), ("receiver error", 0), ("badtlp", 6), ("bad tlp", 6), ("baddllp", 7), ("bad dllp", 7),
        ("rollover", 8), ("relay_num rollover", 8), ("replay_num rollover", 8), ("timeout", 12),
        ("replay timer timeout", 12), ("nonfatalerr", 13), ("advisory non-fatal", 13), ("corrinterr", 14),
        ("corrected internal error", 14), ("headerof", 15), ("header log overflow", 15),
    )},
    **{name: ("uncorrected", bit) for name, bit in (
        ("undefined", 0), ("dlp", 4), ("data link protocol", 4), ("sdes", 5), ("surprise down error", 5), ("tlp", 12),
        ("poisoned tlp", 12), ("fcp", 13), ("flow control protocol", 13), ("cmpltto", 14), ("completion timeout", 14),
        ("cmpltabrt", 15), ("completer abort", 15), ("unxcmplt", 16), ("unexpected completion", 16), ("rxof", 17),
        ("receiver overflow", 17), ("malftlp", 18), ("malformed tlp", 18), ("ecrc", 19), ("unsupreq", 20),
        ("unsupported request", 20), ("acsviol", 21), ("acs violation", 21), ("uncorrinterr", 22),
        ("uncorrectable internal error", 22), ("blockedtlp", 23), ("mc blocked tlp", 23), ("atomicopblocked", 24),
        ("atomicop egress blocked", 24), ("tlpblockederr", 25), ("tlp prefix blocked error", 25),
        ("poisontlpblocked", 26), ("poisoned tlp egress blocked", 26),
    )},
}  # fmt: skip
AGENTS = {
    "Receiver ID": "as the receiver", "Requester ID": "as the one that had asked",
    "Completer ID": "as the one that had to answer", "Transmitter ID": "as the sender",
}  # fmt: skip
_BDF = r"([0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7])"
_BUS = lazy.pattern(rf"{_BDF}(?::pcie\d+)?: (?:AER: )?(?:PCIe|CXL) Bus Error: severity=(Uncorrect|Correct)[^,\n]*"
                    r"(?:, type=([\w ]+?)(?: Layer)?)?,[^\n]*?(?:\(([A-Z][a-z]+ ID)\)|$)", re.MULTILINE)  # fmt: skip
_STATUS = lazy.pattern(rf"{_BDF}(?::pcie\d+)?: (?:AER: )?\s*device \[([0-9a-fA-F]{{4}}):([0-9a-fA-F]{{4}})\] "
                       r"error status/mask=([0-9a-fA-F]{8})/([0-9a-fA-F]{8})")  # fmt: skip
_DETAIL = lazy.pattern(rf"{_BDF}(?::pcie\d+)?: (?:AER: )?\s*\[ ?(\d{{1,2}})\] ?([A-Za-z][\w -]*?)\s*(?:\(First\))?\s*$",
                       re.MULTILINE)  # fmt: skip
_FIRMWARE = lazy.pattern(r"\baer_(un)?cor(?:rectable)?_status: 0x([0-9a-fA-F]{1,8})"
                         r"(?:, aer_(?:un)?cor\w*_mask: 0x([0-9a-fA-F]{1,8}))?")  # fmt: skip
_WINDOWS = lazy.pattern(r"\b(Unc|C)orrectable ?ErrorStatus\W{1,4}(?:0x)?([0-9a-fA-F]{1,8})\b")


def words(kind: Kind, status: int, mask: int = 0) -> list[str]:
    """What the bits of a status word mean, those that are not masked; an unknown bit by its number."""
    return named(status & ~mask, CORRECTED if kind == "corrected" else UNCORRECTED)


def reports(text: str) -> list[tuple[str, Kind, int, str]]:
    """(address, kind, bits that are not masked, vendor words) of each status word in a record."""
    kinds: dict[str, Kind] = {m[1]: "corrected" if m[2] == "Correct" else "uncorrected" for m in _BUS.finditer(text)}
    seen: dict[str, tuple[Kind, int]] = {}
    for line in _DETAIL.finditer(text):
        known = NAMES.get(line[3].lower())
        if known and known[1] == int(line[2]):
            kinds.setdefault(line[1], known[0])
            kind, old = seen.get(line[1], (known[0], 0))
            seen[line[1]] = (kind, old | 1 << known[1])
    found: list[tuple[str, Kind, int, str]] = []
    for m in _STATUS.finditer(text):
        if m[1] in kinds:
            whose = pci.device(int(m[2], 16), int(m[3], 16))
            part = pci.function(int(m[2], 16), int(m[1][-1]))
            whose += f", its {part} function" if part and m[1][-1] != "0" else ""
            found.append((m[1], kinds[m[1]], int(m[4], 16) & ~int(m[5], 16), whose))
    listed_already = {one[0] for one in found}
    found += [(bdf, kind, value, "") for bdf, (kind, value) in seen.items() if bdf not in listed_already]
    for m in _FIRMWARE.finditer(text):
        found.append(("", "uncorrected" if m[1] else "corrected", int(m[2], 16) & ~int(m[3] or "0", 16), ""))
    for m in _WINDOWS.finditer(text):
        found.append(("", "uncorrected" if m[1] == "Unc" else "corrected", int(m[2], 16), ""))
    return [one for one in found if one[2]]


def explain(texts: Sequence[str], known: Known) -> list[str]:
    """The bits by device, the layer and the role in which it was seen, the packet."""
    tally: Counter[tuple[str, Kind, int]] = Counter()
    whose: dict[str, str] = {}
    for text in texts:
        for bdf, kind, value, vendor in reports(text):
            tally[bdf, kind, value] += 1
            whose[bdf] = whose.get(bdf) or vendor
    found = []
    for (bdf, kind, value), count in tally.most_common(2):
        where = f"{bdf} ({whose[bdf]})" if bdf and whose[bdf] else bdf or "the device"
        times = f", {count} times" if count > 1 else ""
        found.append(f"{capital(where)} reports{times}: {listed(words(kind, value))}.")
    found += [s for s in (_seen(texts), next(filter(None, map(tlp.sentence, texts)), "")) if s]
    return found


def shared(places: Mapping[str, str]) -> str:
    """What several devices that report have in common; `places` gives the port above each of them.

    Functions on one bus have the same bridge above them (PCI-to-PCI Bridge Architecture Specification), so two ports on
    one bus hang below the same switch or root complex.
    """
    ports = sorted(set(places.values()))
    if len(places) < 2 or not ports:
        return ""
    if len(ports) == 1:
        return (f"{len(places)} devices report below the port {ports[0]}: {listed(sorted(places))}. What they share "
                "(that port, its riser, switch or power) comes before any one of them.")  # fmt: skip
    if len({port.rsplit(":", 1)[0] for port in ports}) == 1:
        return (f"The ports {listed(ports)} report together and lie on one bus: look first at the switch or root "
                "complex above them, and at their common power.")  # fmt: skip
    return ""


def _seen(texts: Sequence[str]) -> str:
    """`0000:80:02.0 saw it in the transaction layer, as the receiver.`"""
    for text in texts:
        for m in _BUS.finditer(text):
            layer = (m[3] or "").strip().lower()
            if layer == "inaccessible":
                return f"{m[1]} could not be read any more when the kernel wanted the details."
            if layer in ("physical", "data link", "transaction"):
                agent = AGENTS.get(m[4] or "", "")
                return f"{m[1]} saw it in the {layer} layer{f', {agent}' if agent else ''}."
    return ""
