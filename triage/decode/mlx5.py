"""Words of the mlx5 network driver.

Health syndromes: hsynd_str in Linux drivers/net/ethernet/mellanox/mlx5/core/health.c. Command status: cmd_status_str in
cmd.c of the same folder. Work completion errors: enum ib_wc_status of include/rdma/ib_verbs.h. The six-digit
`syndrome (0x...)` of a failed command is internal to the firmware and has no public table.
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.decode.phrases import Known, some

HEALTH = {
    0x1: "an internal error of the firmware",
    0x7: "an embedded processor does not respond",
    0x8: "a hardware error that cannot be recovered",
    0x9: "the checksum of the firmware is wrong",
    0xA: "the card could not fetch its memory over PCIe",
    0xB: "a fatal hardware error",
    0xC: "the queue of asynchronous events ran over",
    0xD: "an error of an event queue",
    0xE: "an event queue that is not valid",
    0xF: "an error of the fast serial link (FFSER)",
    0x10: "the temperature is too high",
    0x12: "data that the card fetched over PCIe was already marked as bad",
}
STATUS = {
    0x1: "an internal error",
    0x2: "an operation that this firmware does not know",
    0x3: "a bad parameter",
    0x4: "the system is in a state that does not allow it",
    0x5: "a bad resource",
    0x6: "the resource is busy",
    0x8: "a limit is used up",
    0x9: "the resource is in a wrong state",
    0xA: "a bad index",
    0xF: "no resources left",
    0x10: "the queue pair is in a wrong state",
    0x30: "a bad packet",
    0x40: "a bad number of outstanding completions",
    0x50: "a wrong input length",
    0x51: "a wrong output length",
}
COMPLETION = {
    1: "a local length error",
    2: "a local error of the queue pair",
    4: "a local protection error: memory that is not registered",
    5: "flushed, because the queue pair had already failed: look for an earlier error",
    6: "a memory window bind error",
    7: "a bad answer from the other side",
    8: "a local access error",
    9: "the other side found the request invalid",
    10: "the other side does not allow access to its memory",
    11: "the other side failed while it carried out the request",
    12: "the other side did not acknowledge, after all retries: link, cable, switch or a dead peer",
    13: "the other side had no receive buffer ready, after all retries",
}
_SYNDROME = lazy.pattern(r"\bsynd(?:rome)? 0x([0-9a-fA-F]{1,8}): ")
_COMMAND = lazy.pattern(r"\b([A-Z][A-Z0-9_]+)\(0x[0-9a-fA-F]+\)[^\n]*? failed, status [^\n(]*\(0x([0-9a-fA-F]{1,8})\)"
                        r"(?:, syndrome \(0x([0-9a-fA-F]{1,8})\))?")  # fmt: skip
_WORK = lazy.pattern(r"WC error: (\d{1,6}), Message: ([^\n]+)")


def _named(table: dict[int, str], code: int) -> str:
    return table.get(code, f"code 0x{code:x}, not in the table")


def explain(texts: Sequence[str], known: Known) -> list[str]:
    found: list[str] = []
    for text in texts:
        if m := _SYNDROME.search(text):
            found.append(f"Health syndrome 0x{int(m[1], 16):x}: {_named(HEALTH, int(m[1], 16))}.")
        if m := _COMMAND.search(text):
            found.append(f"The firmware refused {m[1]}: {_named(STATUS, int(m[2], 16))}.")
            if m[3]:
                found.append(f"Its syndrome 0x{m[3]} is internal to the firmware; only the vendor can read it.")
        if m := _WORK.search(text):
            found.append(f"Work completion {m[1]}: {_named(COMPLETION, int(m[1]))}.")
    unique = list(dict.fromkeys(found))
    if len(unique) > 4:
        unique = [*unique[:3], f"Further: {some([s.split(':')[0] for s in unique[3:]])}."]
    return unique
