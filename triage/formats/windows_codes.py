"""Device problem codes, and whose they are.

Numbers and symbols are those of https://learn.microsoft.com/windows-hardware/drivers/install/device-manager-error-messages
"""

from __future__ import annotations

import re

from triage import lazy
from triage.formats.windows_sentences import codes_of_sentences
from triage.model import Value

_NUMBERS = (0, 1, 3, 9, 10, 12, 14, 16, 18, 19, 21, 22, 24, 28, 29, *range(31, 58))
_NAMES = (
    "NONE", "NOT_CONFIGURED", "OUT_OF_MEMORY", "INVALID_DATA", "FAILED_START", "NORMAL_CONFLICT", "NEED_RESTART",
    "PARTIAL_LOG_CONF", "REINSTALL", "REGISTRY", "WILL_BE_REMOVED", "DISABLED", "DEVICE_NOT_THERE",
    "FAILED_INSTALL", "HARDWARE_DISABLED", "FAILED_ADD", "DISABLED_SERVICE", "TRANSLATION_FAILED", "NO_SOFTCONFIG",
    "BIOS_TABLE", "IRQ_TRANSLATION_FAILED", "FAILED_DRIVER_ENTRY", "DRIVER_FAILED_PRIOR_UNLOAD",
    "DRIVER_FAILED_LOAD", "DRIVER_SERVICE_KEY_INVALID", "LEGACY_SERVICE_NO_DEVICES", "DUPLICATE_DEVICE",
    "FAILED_POST_START", "HALTED", "PHANTOM", "SYSTEM_SHUTDOWN", "HELD_FOR_EJECT", "DRIVER_BLOCKED",
    "REGISTRY_TOO_LARGE", "SETPROPERTIES_FAILED", "WAITING_ON_DEPENDENCY", "UNSIGNED_DRIVER", "USED_BY_DEBUGGER",
    "DEVICE_RESET", "CONSOLE_LOCKED", "NEED_CLASS_CONFIG", "GUEST_ASSIGNMENT_FAILED",
)  # fmt: skip
SYMBOLS: dict[int, str] = dict(zip(_NUMBERS, _NAMES, strict=True))
CODES = {f"CM_PROB_{symbol}": code for code, symbol in SYMBOLS.items()}

_WORD = r"(?:Code|CODE|代码|代碼|程式碼|Código|Codigo|Код|コード|코드|Codice|Kod|Kód|Koodi|Kode|Κωδικός|錯誤碼)"
NUMBER = lazy.pattern(rf"[(（]\s*{_WORD}\s*[:：]?\s*(\d{{1,2}})\s*[)）]")
# Most lines of a log hold none of these.
_HINT = lazy.pattern(_WORD + r"|code|código|код|problème|problema|проблемы|问题|問題")
_SPOKEN = lazy.pattern(r"(?i:(?:\b|fehler|error )code|代码|代碼|código|код|コード)\s*[:：]?\s*(\d{1,2})(?!\d|\.\d)")
_MANAGER = lazy.pattern(r"(?i)device manager|设备管理器|裝置管理員|Geräte-?Manager|Gestionnaire de périphériques|"
                      r"Administrador de dispositivos|Диспетчер устройств|デバイス ?マネージャー")  # fmt: skip
_PROCESS = lazy.pattern(r"(?i)\b(?:exit(?:ed|s|ing)?|process|command|npm|returned|child|subprocess|http|status code)\b")
# Programs on a card have codes of their own.
_PROGRAM = lazy.pattern(r"(?i)\b(?:cuda|cudnn|cublas|nccl|hip|opencl|vulkan|nvenc|xid|\w*coder|kernel)\b")
_LEAST_SPOKEN = 10  # smaller numbers are those of anything
_SENTENCE_END = lazy.pattern(r"[.。!！]['\"”»]?\s*$")
INSTANCE = lazy.pattern(r"\b((?:PCI|ROOT|ACPI|USB|HID|SWD|DISPLAY|HDAUDIO|SW|VMBUS|SCSI|STORAGE|UEFI|BTH\w*|INTELAUDIO)"
                       r"\\[^\s\\,;\"'<>|]+(?:\\[^\s\\,;\"'<>|)\]。]+)?)", re.IGNORECASE)  # fmt: skip
_VENDOR = lazy.pattern(r"PCI\\VEN_([0-9A-F]{4})", re.IGNORECASE)
# pnputil: `12 (0x0C) [CM_PROB_NORMAL_CONFLICT]`, cut or whole.
BRACKET = lazy.pattern(r"\b(\d{1,2}) ?\(0x([0-9A-Fa-f]{1,8})\)(?: ?\[(CM_PROB_\w+)\])?|\b(\d{1,2}) ?\[(CM_PROB_\w+)\]")
_SYMBOL = lazy.pattern(r"\bCM_PROB_[A-Z_]+\b")
# What Device Manager (the details of a device), pnputil and PowerShell call the code, and its value: eight digits are
# hexadecimal, as the details show it.
KEY = lazy.pattern(
    r"(?i)^(?:Device )?Problem ?code$|^ConfigManagerErrorCode$|^Problem$|^Gerätefehlercode$|^Fehlercode des Geräts$"
    r"|^Code (?:de |du )?problème$|^Código (?:de |del )?problema$|^Код (?:проблемы|ошибки устройства)$|^问题代码$"
    r"|^問題碼$|^問題(?:の)?コード$"
)
_VALUE = lazy.pattern(r"^(?:0x(?P<hex>[0-9A-Fa-f]{1,8})|(?P<long>[0-9A-Fa-f]{8})|(?P<number>\d{1,2}))$")
SETUP = lazy.pattern(r"not started: Device has problem: 0x([0-9a-fA-F]{1,2})\b")
GPU_NAME = lazy.pattern(
    r"(?i)\b(?:geforce|quadro|tesla|rtx|gtx|titan|radeon|instinct|firepro|intel\W{1,4}arc|(?:iris|uhd|hd) graphics)\b|"
    r"\b[AHLVBP]\d{2,3}0?0?-(?:PCIE|SXM|SXM\d)|\bP10[246]-\d{3}\b|\bCMP \d{2,3}HX\b|"
    r"\bnvidia (?:[AHLVTPB]\d{1,3}\w*|graphics)\b"
)
# Graphics inside a processor: no computation of interest runs there, and many people switch it off.
_INTEGRATED = lazy.pattern(r"(?i)\b(?:iris|uhd|hd)\b.{0,8} graphics\b|^amd radeon ?(?:\(tm\))? graphics$")
GPU_CLASS = lazy.pattern(
    r"(?i)display adapter|显示适配器|顯示卡|Grafikkart|carte graphique|видеоадаптер|ディスプレイ ?アダプター"
)
HELPER = lazy.pattern(r"(?i)\bnvpcf\b|platforms? controllers? and framework")
# The sound, USB and virtual functions of a card: no computation needs them.
ASIDE = lazy.pattern(
    r"(?i)\b(?:nvidia|amd|intel)\b.{0,30}\b(?:audio|usb|ucsi|type-c|smbus)\b|\bnvvhci|\bnvvad|high definition audio"
)
_DISPLAY_CLASS = "{4d36e968-e325-11ce-bfc1-08002be10318}"
_SOUND_OR_USB = ("{4d36e96c-e325-11ce-bfc1-08002be10318}", "{36fc9e60-c465-11cf-8056-444553540000}")


def symbol(code: int) -> str:
    """The name of a device problem code: 43 -> `CM_PROB_FAILED_POST_START`; empty for a number that has none."""
    return f"CM_PROB_{SYMBOLS[code]}" if code in SYMBOLS else ""


def code_in(text: str) -> int | None:
    """The device problem code that a text states: `(Code 43)` in any language, `12 (0x0C) [CM_PROB_...]`, `Problem
    code: 0000000C`, setupapi wording.

    A number in brackets counts only where a device sentence can stand: at the end of a sentence, alone, or
    beside a device; so `process exited (Code 1)` is none.
    """
    if "CM_PROB_" in text and (found := BRACKET.search(text)):
        return _bracketed(found)
    setup = SETUP.search(text) if "Device has problem" in text else None
    if setup:
        return int(setup[1], 16)
    if not _HINT.search(text):
        return None
    key, colon, value = re.sub("：", ":", text).partition(":")
    if colon and KEY.match(key.strip()) and key.strip().lower() != "problem":
        return code_of_value(value.strip())
    number = NUMBER.search(text)
    if number and int(number[1]) in SYMBOLS and not _PROCESS.search(text):
        before = text[: number.start()].rstrip(" \t\u00a0\u3000")
        if not before or _SENTENCE_END.search(before) or INSTANCE.search(text) or GPU_NAME.search(text):
            return int(number[1])
    spoken = _SPOKEN.search(text)
    if spoken is None or int(spoken[1]) not in SYMBOLS:
        return None
    card = int(spoken[1]) >= _LEAST_SPOKEN and GPU_NAME.search(text) and not _PROCESS.search(text)
    return int(spoken[1]) if _MANAGER.search(text) or (card and not _PROGRAM.search(text)) else None


def code_of_value(value: str) -> int | None:
    """The code that a property names: `12 (0x0C) [CM_PROB_...]`, `CM_PROB_...`, `12`, `0x0C` or `0000000C`."""
    if value in CODES:
        return CODES[value]
    if found := BRACKET.search(value):
        return _bracketed(found)
    found = _VALUE.match(value)
    if found is None:
        return None
    code = int(found["number"]) if found["number"] else int(found["hex"] or found["long"], 16)
    return code if code in SYMBOLS else None


def _bracketed(found: re.Match[str]) -> int | None:
    """The number, else the symbol, of pnputil's form."""
    number, name = int(found[1] or found[4]), found[3] or found[5] or ""
    return number if number in SYMBOLS else CODES.get(name)


def contradiction(code: int, text: str) -> str:
    """What in the text speaks against a code: a symbol, a hexadecimal number or a sentence of another one; else empty.

    A device that is not connected (45) may show the sentence of what it had before.
    """
    name = _SYMBOL.search(text)
    if name and CODES.get(name[0], code) != code:
        return f"the number says code {code}, but {name[0]} is code {CODES[name[0]]}"
    pair = BRACKET.search(text)
    if pair and pair[2] and int(pair[2], 16) != int(pair[1]):
        return f"code {pair[1]} and 0x{pair[2]} are two codes"
    spoken = codes_of_sentences(text)
    if spoken and code not in (*spoken, 45):
        return f"the number says code {code}, but the sentence is that of code {spoken[0]}"
    return ""


def code_of_sentence(text: str) -> int | None:
    """The code whose sentence stands in `text`, where no number does."""
    return next(iter(codes_of_sentences(text)), None)


def about(code: int | None, name: str, instance: str) -> dict[str, Value]:
    """The fields that say which device it is. `device_kind` is gpu, helper, other or unknown, and always there.

    A helper is a further device of the graphics vendor (nvpcf) without which the GPU still works. Its sound and USB
    functions are `other`.
    """
    vendor_match = _VENDOR.search(instance)
    vendor = vendor_match[1].lower() if vendor_match else ""
    fields: dict[str, Value] = {}
    if code is not None:
        fields |= {"device_code": code, "symbol": symbol(code)}
    if name:
        fields["device_name"] = name
    if instance:
        fields["instance_id"] = instance
    if vendor:
        fields["vendor"] = vendor
    fields["device_kind"] = _kind(name, instance, vendor)
    if GPU_NAME.search(name):
        fields["gpu_model"] = name
    return fields


def with_class(fields: dict[str, Value], values: list[str]) -> dict[str, Value]:
    """`fields` with device_kind corrected by the device class, where `values` name it (its GUID is never localized)."""
    classes = [value.lower() for value in values if value.startswith("{") or value == "Display"]
    if not classes or not str(fields.get("instance_id", "")).upper().startswith("PCI\\"):
        return fields
    display = _DISPLAY_CLASS in classes or "display" in classes
    if display and fields["device_kind"] == "other" and not _INTEGRATED.search(str(fields.get("device_name", ""))):
        return fields | {"device_kind": "gpu"}
    if fields["device_kind"] in ("gpu", "helper") and any(one in classes for one in _SOUND_OR_USB):
        return fields | {"device_kind": "other"}
    if not display and fields["device_kind"] == "gpu":
        return fields | {"device_kind": "helper"}
    return fields


def instance_in(text: str) -> str:
    """The first device instance id in `text`, or an empty string."""
    found = INSTANCE.search(text)
    return found[1].rstrip(".") if found else ""


def _kind(name: str, instance: str, vendor: str) -> str:
    if HELPER.search(name) or HELPER.search(instance):
        return "helper"
    if ASIDE.search(name) or _INTEGRATED.search(name):
        return "other"
    if GPU_NAME.search(name) or (GPU_CLASS.search(name) and not instance):
        return "gpu"
    if vendor:
        # An Intel or AMD id alone is as often a bridge or a USB controller, so only their names decide.
        return "gpu" if vendor == "10de" else "other"
    if instance or name:
        return "other"  # neither the vendor's id nor a model name speaks for a graphics card
    return "unknown"
