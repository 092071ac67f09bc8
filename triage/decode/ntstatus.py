"""Windows status words (NTSTATUS), signed and unsigned.

Symbols: ntstatus.h of the Windows SDK, [MS-ERREF] section 2.3.1. Only those that meet a GPU machine.
"""

from __future__ import annotations

SYMBOLS: dict[int, tuple[str, str]] = {
    0x00000000: ("STATUS_SUCCESS", "no error"),
    0xC0000001: ("STATUS_UNSUCCESSFUL", "failed, without saying why"),
    0xC0000005: ("STATUS_ACCESS_VIOLATION", "native code used an address that it must not use"),
    0xC0000008: ("STATUS_INVALID_HANDLE", "a handle that is not valid"),
    0xC000000D: ("STATUS_INVALID_PARAMETER", "a parameter that the driver does not accept"),
    0xC000000E: ("STATUS_NO_SUCH_DEVICE", "the device is not there"),
    0xC0000017: ("STATUS_NO_MEMORY", "not enough memory"),
    0xC000001D: ("STATUS_ILLEGAL_INSTRUCTION", "the processor does not know an instruction"),
    0xC0000034: ("STATUS_OBJECT_NAME_NOT_FOUND", "a name was not found"),
    0xC000007B: ("STATUS_INVALID_IMAGE_FORMAT", "a file that is no valid program, or one of the wrong architecture"),
    0xC000009A: ("STATUS_INSUFFICIENT_RESOURCES", "not enough resources of the system"),
    0xC000009C: ("STATUS_DEVICE_DATA_ERROR", "the device could not read or write its data"),
    0xC000009D: ("STATUS_DEVICE_NOT_CONNECTED", "the device is not connected"),
    0xC00000B5: ("STATUS_IO_TIMEOUT", "the time for an operation ran out"),
    0xC00000BB: ("STATUS_NOT_SUPPORTED", "not supported"),
    0xC00000E5: ("STATUS_INTERNAL_ERROR", "an internal error"),
    0xC00000FD: ("STATUS_STACK_OVERFLOW", "the stack ran over"),
    0xC0000135: ("STATUS_DLL_NOT_FOUND", "a library file was not found"),
    0xC0000139: ("STATUS_ENTRYPOINT_NOT_FOUND", "a library lacks a function that was wanted"),
    0xC000013A: ("STATUS_CONTROL_C_EXIT", "ended by Ctrl-C or by closing the window"),
    0xC0000142: ("STATUS_DLL_INIT_FAILED", "a library could not be started"),
    0xC0000182: ("STATUS_DEVICE_CONFIGURATION_ERROR", "the device or its driver is configured wrongly"),
    0xC0000185: ("STATUS_IO_DEVICE_ERROR", "the device reported an error"),
    0xC0000225: ("STATUS_NOT_FOUND", "not found"),
    0xC0000365: ("STATUS_FAILED_DRIVER_ENTRY", "the start routine of the driver failed"),
    0xC0000374: ("STATUS_HEAP_CORRUPTION", "the heap of the program was damaged"),
    0xC0000409: ("STATUS_STACK_BUFFER_OVERRUN", "the program ended itself at once (fail-fast or abort)"),
    0xC0000428: ("STATUS_INVALID_IMAGE_HASH", "the signature of the file is not accepted"),
    0xC0000490: ("STATUS_PNP_NO_COMPAT_DRIVERS", "no driver fits"),
    0xC00002B6: ("STATUS_DEVICE_REMOVED", "the device was removed"),
    0x80000003: ("STATUS_BREAKPOINT", "a breakpoint was hit"),
}
SEVERITY = ("success", "information", "warning", "error")


def unsigned(code: int) -> int | None:
    """The status of an exit code that looks like one, signed or not: -1073741819 -> 0xc0000005; else None."""
    value = code & 0xFFFFFFFF
    if not -(2**31) <= code < 2**32 or value >> 30 != 3 or value >> 28 != 0xC:
        return None
    return value


def words(status: int) -> str:
    """`0xC0000428 STATUS_INVALID_IMAGE_HASH, the signature of the file is not accepted`; unknown ones say only that."""
    value = status & 0xFFFFFFFF
    if value in SYMBOLS:
        symbol, text = SYMBOLS[value]
        return f"0x{value:08X} {symbol}, {text}"
    return f"0x{value:08X}, a status of kind {SEVERITY[value >> 30]} that the table does not hold"
