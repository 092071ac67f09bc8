"""The rows of NVIDIA's decode sheet for Xid 144 to 150 (NVLink 5).

Source: sheet "Xid 144-150 decode" of https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, compared
with the rules of leptonai/gpud. Columns: Xid, printed unit (old/new spelling), unit code before R575 and since,
reasons, error status words (none: any), severity (N non-fatal, F fatal, L fatal for the link, P as printed), what to do
now, what to do when it comes back.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    xid: int
    units: str
    old: int
    new: int
    reasons: tuple[int, ...]
    statuses: tuple[int, ...]
    severity: str
    now: str
    later: str


_FAR_END = (0x20, 0x21, 0x22, 0x23, 0x24, 0x25)
# fmt: off
ROWS: tuple[Row, ...] = tuple(Row(*row) for row in (
    (144, "SAW_MVB", 1, 1, (), (1,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (144, "SAW_MVB", 1, 1, (), (2, 0x10), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (144, "SAW_MVB", 1, 1, (), (4, 0x20), "N", "IGNORE", "IGNORE"),
    (144, "SAW_MVB", 1, 1, (), (8,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_CTRL", 3, 3, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_REMAP", 4, 4, (), (1, 2), "N", "XID_154_EVAL", "CONTACT_SUPPORT"),
    (145, "RLW_REMAP", 4, 4, (), (4, 8, 0x10, 0x20), "N", "XID_154_EVAL", "CHECK_NVLINK_FAILURE_FLOW"),
    (145, "RLW_REMAP", 4, 4, (), (0x40, 0x80), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (145, "RLW_REMAP", 4, 4, (), (0x100, 0x200), "N", "IGNORE", "IGNORE"),
    (145, "RLW_REMAP", 4, 4, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_RSPCOL", 5, 5, (), (1,), "N", "IGNORE", "IGNORE"),
    (145, "RLW_RSPCOL", 5, 5, (), (2,), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (145, "RLW_RSPCOL", 5, 5, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_RXPIPE", 6, 6, (), (1, 2), "P", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_RXPIPE", 6, 6, (), (4,), "P", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_RXPIPE", 6, 6, (), (8,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_RXPIPE", 6, 6, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_SRC_TRACK", 7, 7, (), (1, 0x10, 0x20), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (145, "RLW_SRC_TRACK", 7, 7, (), (2,), "N", "IGNORE", "IGNORE"),
    (145, "RLW_SRC_TRACK", 7, 7, (), (4, 8), "N", "XID_154_EVAL", "IGNORE"),
    (145, "RLW_SRC_TRACK", 7, 7, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (145, "RLW_TAGSTATE", 8, 8, (), (1, 0x10000), "N", "IGNORE", "IGNORE"),
    (145, "RLW_TAGSTATE", 8, 8, (), (2, 0x20000, 0x100000), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (145, "RLW_TAGSTATE", 8, 8, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_CTRL", 9, 9, (), (1,), "N", "IGNORE", "IGNORE"),
    (146, "TLW_CTRL", 9, 9, (), (2,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_CTRL", 9, 9, (), (4,), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (146, "TLW_CTRL", 9, 9, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_RX/TLW_RX_PIPE0", 10, 10, (), (1,), "N", "IGNORE", "IGNORE"),
    (146, "TLW_RX/TLW_RX_PIPE0", 10, 10, (), (2,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_RX/TLW_RX_PIPE0", 10, 10, (), (4,), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (146, "TLW_RX/TLW_RX_PIPE0", 10, 10, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_RX/TLW_RX_PIPE1", 10, 11, (), (1,), "N", "IGNORE", "IGNORE"),
    (146, "TLW_RX/TLW_RX_PIPE1", 10, 11, (), (2,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_RX/TLW_RX_PIPE1", 10, 11, (), (4,), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (146, "TLW_RX/TLW_RX_PIPE1", 10, 11, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_TX/TLW_TX_PIPE0", 11, 12, (), (1,), "N", "IGNORE", "IGNORE"),
    (146, "TLW_TX/TLW_TX_PIPE0", 11, 12, (), (2,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_TX/TLW_TX_PIPE0", 11, 12, (), (4,), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (146, "TLW_TX/TLW_TX_PIPE0", 11, 12, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_TX/TLW_TX_PIPE1", 11, 13, (), (1,), "N", "IGNORE", "IGNORE"),
    (146, "TLW_TX/TLW_TX_PIPE1", 11, 13, (), (2,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (146, "TLW_TX/TLW_TX_PIPE1", 11, 13, (), (4,), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (146, "TLW_TX/TLW_TX_PIPE1", 11, 13, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (147, "TREX", 12, 14, (), (1,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (147, "TREX", 12, 14, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (148, "NVLPW_CTRL/NVLPW", 0, 15, (), (0x80000000,), "N", "IGNORE", "CONTACT_SUPPORT"),
    (149, "NETIR/NETIR_INT", 0, 24, (), (), "L", "RESET_GPU", "SYMPATHETIC_REPORT_SOLO"),
    (149, "NETIR_BER_EVENT", 17, 19, (), (0, 1, 2, 3), "N", "IGNORE", "INVESTIGATE_LINK_SI_AND_CABLES"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (0,), (), "L", "RESET_GPU", "SYMPATHETIC_REPORT_SOLO"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (1,), (), "L", "RESET_GPU", "REPORT_ISSUE"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (2, 4, 0xa), (), "L", "RESET_GPU", "INVESTIGATE_LINK_SI"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (0xf, 0x11, 0x16), (), "L", "RESET_GPU", "INVESTIGATE_SW_USER"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (0x10, 0x12), (), "L", "RESET_GPU", "INVESTIGATE_SW_USER_LINK_SI"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (0x15,), (), "L", "RESET_GPU", "INVESTIGATE_PEER_DEVICE"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, _FAR_END, (), "L", "RESET_GPU", "INVESTIGATE_PEER_DEVICE"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (0x26,), (), "L", "IGNORE", "INVESTIGATE_SW_USER"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (0x28,), (), "F", "IGNORE", "INVESTIGATE_HOST"),
    (149, "NETIR_LINK_EVT/NETIR_LINK_DOWN", 14, 17, (42, 43), (), "L", "RESET_GPU", "INVESTIGATE_LINK_SI_AND_CABLES"),
    (149, "NETIR_MFDE_EVENT", 18, 20, (), (1, 4, 5, 7), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (149, "NETIR_MFDE_EVENT", 18, 20, (), (3,), "N", "IGNORE", "IGNORE"),
    (150, "MSE_WATCHDOG", 0, 0, (), (0,), "F", "RESET_GPU", "CONTACT_SUPPORT"),
    (150, "MSE Degraded", 0, 0, (), (0, 0xffffffff), "F", "RESET_GPU", "CONTACT_SUPPORT"),
))
# fmt: on
SEVERITY = {
    "N": "not fatal",
    "F": "fatal: all links of the GPU go down and its programs are stopped",
    "L": "fatal for the link: let the running jobs end, then reset the GPU",
    "P": "as fatal as the printed word says",
}
WORDS = {
    "IGNORE": "nothing",
    "RESET_GPU": "a reset of the GPU",
    "XID_154_EVAL": "what an Xid 154 beside it asks for, without one only a restart of the program",
    "CONTACT_SUPPORT": "a report to the vendor",
    "REPORT_ISSUE": "a report to the vendor if it is seen more than once a day",
    "CHECK_NVLINK_FAILURE_FLOW": "first a look whether a link of the partition went down in the 30 s before",
    "SYMPATHETIC_REPORT_SOLO": "a look at the error that came with it, or a report to the vendor if it is alone",
    "INVESTIGATE_LINK_SI": "a check of the signal quality of the link",
    "INVESTIGATE_LINK_SI_AND_CABLES": "a check of the signal quality of the link and of its cables",
    "INVESTIGATE_SW_USER": "the question who or what took the link down on purpose",
    "INVESTIGATE_SW_USER_LINK_SI": "the question who took the link down, and a check of its signal quality",
    "INVESTIGATE_PEER_DEVICE": "a look at the other end of the link, which is the suspect",
    "INVESTIGATE_HOST": "a look at the other logs of the host: this line is probably secondary",
}
