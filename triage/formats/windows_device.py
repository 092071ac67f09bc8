"""Device problem codes in Device Manager texts of any language, pnputil, Get-PnpDevice, WMI and setupapi logs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from triage import lazy
from triage.formats.base import Format, record
from triage.formats.windows_codes import (
    ASIDE,
    BRACKET,
    CODES,
    GPU_CLASS,
    GPU_NAME,
    HELPER,
    INSTANCE,
    KEY,
    NUMBER,
    SETUP,
    about,
    code_in,
    code_of_sentence,
    code_of_value,
    contradiction,
    instance_in,
    with_class,
)
from triage.formats.windows_sentences import is_confirmed
from triage.model import Line, Record, Value

_SECTION = lazy.pattern(r"^>>>\s+\[(?:Device|Setup|Delete|Uninstall)")
_STATUS = lazy.pattern(r"\b0x([0-9A-Fa-f]{8})\b")
_PAIR = lazy.pattern(r"^\s*([^:：=\\]{1,40}?)\s*[:：=]\s*(.*?)\s*$")
_ROW = lazy.pattern(r"^(OK|Error|Degraded|Unknown)\s+(\S+)\s+(\S.*?)\s+([A-Z]+\\\S+)\s*$")
_PROBLEM = lazy.pattern(r"\bCM_PROB_[A-Z_]+\b")
_PROPERTY = lazy.pattern(
    r"^\s*(?:Status|Class|FriendlyName|Name|Caption|InstanceId|Problem|ConfigManagerErrorCode|Present|Availability|"
    r"DeviceID|PNPDeviceID|Node|Description|PSComputerName|AdapterCompatibility|Card name|AcceleratorCapabilities|"
    r"__GENUS)\s*[:=]"
)
_CSV_HEAD = lazy.pattern(r"(?i)\b(?:Problem|ConfigManagerErrorCode)\b")
_MOST_LINES = 80
_MOST_SENTENCE = 400
_OTHER_NAME = lazy.pattern(
    r"(?i)\b(?:realtek|bluetooth|wi-?fi|wireless|ethernet|camera|webcam|touchpad|fingerprint|printer|keyboard|mouse|"
    r"usb|audio|sata|nvme|thunderbolt|modem|hid)\b|unknown device|未知设备|未知裝置|Unbekanntes Gerät|WudfRd"
)
_MODEL = lazy.pattern(
    r"(?:(?:NVIDIA|AMD|Intel(?:\(R\))?) )?(?:(?:GeForce|Quadro|Tesla|Radeon|TITAN|Arc) )?(?:RTX |GTX |RX |Pro )?"
    r"(?:[A-Z]{1,2})?\d{2,4}(?:[A-Z]{1,3})?(?:-[A-Z\d-]+)?(?: (?:Ti|SUPER|XTX?|D|Ada|Laptop GPU))*"
)
_STATUS_OF = lazy.pattern(r"(?i)[(（]|status|状态|狀態|состояние|estado|\bof\b")


class WindowsDevice(Format):
    r"""One record per device, or per statement about a device.

        Instance ID:     PCI\VEN_10DE&DEV_1DB6&SUBSYS_124A10DE&REV_A1\4&1f3b7c52&0&0008
        Problem Code:    12 (0x0C) [CM_PROB_NORMAL_CONFLICT]

        NVIDIA GeForce RTX 3090: This device cannot start. (Code 10)

    Fields: device_code, symbol, device_name, instance_id, vendor, device_kind, ntstatus, status, gpu_model, and
    `doubt`: what in the text speaks against the code; `unproven`: it was read from words that no Windows confirmed.
    """

    name: ClassVar[str] = "windows-device"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if not text.strip():
            return None
        for reader in (_block, _csv_row, _table_row, _setupapi, _sentence):
            found = reader(lines, at)
            if found is not None:
                return found
        return None


def _make(lines: Sequence[Line], at: int, count: int, fields: dict[str, Value]) -> Record:
    own = lines[at : at + count]
    code = fields.get("device_code")
    if isinstance(code, int) and (doubt := contradiction(code, "\n".join(line.text for line in own))):
        fields["doubt"] = doubt
    return record(WindowsDevice.name, own, [line.text for line in own], None, **fields)


def _block(lines: Sequence[Line], at: int) -> Record | None:
    """A block of `heading: value` lines of pnputil, `Get-PnpDevice | Format-List`, WMI or dxdiag."""
    text = lines[at].text
    first = _PAIR.match(text) if ":" in text or "=" in text or "：" in text else None
    if not first or not (INSTANCE.match(first[2]) or _PROPERTY.match(text)):
        return None
    if _PROPERTY.match(text) and _inside(lines, at, first[1].lower()):
        return None  # of a block whose beginning was refused already
    pairs = list(_pairs(lines, at))
    if not pairs:
        return None
    values = [value for _, value in pairs]
    keys = {key.lower(): value for key, value in pairs}
    instance = next((found[1] for value in values if (found := INSTANCE.match(value))), "")
    code = _block_code(values, keys)
    if code is None and not (instance and INSTANCE.match(pairs[0][1])):
        return None
    fields = with_class(about(code, _block_name(pairs, keys), instance), values) | _state(keys, code)
    status = next((v for v in values if _STATUS.fullmatch(v)), "")
    if status and int(status, 16):
        fields["ntstatus"] = status
    return _make(lines, at, _length(lines, at), fields)


def _inside(lines: Sequence[Line], at: int, heading: str) -> bool:
    """Whether the properties above this one belong to the same device: none of them has its heading."""
    above = at - 1
    while above >= 0 and at - above < _MOST_LINES and _PROPERTY.match(lines[above].text):
        found = _PAIR.match(lines[above].text)
        if found and found[1].lower() == heading:
            return False
        above -= 1
    return above < at - 1


def _pairs(lines: Sequence[Line], at: int) -> Iterator[tuple[str, str]]:
    last: tuple[str, str] | None = None
    for line in lines[at : at + _length(lines, at)]:
        found = _PAIR.match(line.text)
        if found and not line.text.startswith("      "):
            if last:
                yield last
            last = (found[1], found[2])
        elif last:
            last = (last[0], last[1] + line.text.strip())
    if last:
        yield last


def _length(lines: Sequence[Line], at: int) -> int:
    """The number of lines up to the blank line, the second instance id, or the repeated heading that ends the block."""
    count = 1
    opening = (_PAIR.match(lines[at].text) or [""] * 3)[1].lower()
    while count < _MOST_LINES and at + count < len(lines):
        text = lines[at + count].text
        found = _PAIR.match(text)
        if not text.strip() or (not found and not text.startswith("    ")):
            break
        if found and INSTANCE.match(found[2]) and INSTANCE.match((_PAIR.match(lines[at].text) or [""] * 3)[2]):
            break
        if found and found[1].lower() == opening and _PROPERTY.match(text):
            break
        count += 1
    return count


def _block_code(values: Sequence[str], keys: dict[str, str]) -> int | None:
    told = [value for value in values if BRACKET.search(value)] + [v for key, v in keys.items() if KEY.match(key)]
    return next((code for value in told if (code := code_of_value(value)) is not None), None)


def _block_name(pairs: Sequence[tuple[str, str]], keys: dict[str, str]) -> str:
    for key in ("friendlyname", "name", "caption", "device description", "card name", "description"):
        if keys.get(key):
            return keys[key]
    # pnputil's headings are localized, their order is not: the description follows the instance id.
    return pairs[1][1] if len(pairs) > 1 and INSTANCE.match(pairs[0][1]) else ""


def _state(keys: dict[str, str], code: int | None) -> dict[str, Value]:
    present = keys.get("present", "").lower()
    if code == 45 or present == "false":
        return {"status": "phantom"}
    return {"status": "present"} if code is not None or keys.get("status") else {}


def _csv_row(lines: Sequence[Line], at: int) -> Record | None:
    """A row of `Get-PnpDevice | ConvertTo-Csv` or `wmic ... /format:csv`."""
    text = lines[at].text
    if "\\" not in text or ("," not in text and ";" not in text):
        return None
    for back in range(at - 1, max(-1, at - 400), -1):
        head = lines[back].text
        if not head.strip():
            return None
        if _CSV_HEAD.search(head) and not INSTANCE.search(head):
            break
    else:
        return None
    delimiter = ";" if head.count(";") > head.count(",") else ","
    try:
        names, cells = (next(csv.reader([row], delimiter=delimiter), []) for row in (head, text))
    except csv.Error:
        return None
    keys = dict(zip((name.strip().lower() for name in names), cells, strict=False))
    code = _block_code([], keys)
    if code is None:
        return None
    instance = instance_in(keys.get("instanceid") or keys.get("pnpdeviceid") or keys.get("deviceid") or text)
    return _make(lines, at, 1, about(code, _block_name([], keys), instance) | _state(keys, code))


def _table_row(lines: Sequence[Line], at: int) -> Record | None:
    found = _ROW.match(lines[at].text) if "\\" in lines[at].text else None
    if not found or not INSTANCE.match(found[4]):
        return None
    problem = _PROBLEM.search(found[0])
    code = CODES.get(problem[0]) if problem else None
    name = _PROBLEM.sub("", f"{found[2]} {found[3]}" if problem else found[3]).strip()
    fields = about(code, name, found[4])
    return _make(lines, at, 1, fields | {"status": "phantom" if found[1] == "Unknown" else found[1].lower()})


def _setupapi(lines: Sequence[Line], at: int) -> Record | None:
    text = lines[at].text
    found = SETUP.search(text) if "Device has problem" in text else None
    if not found:
        return None
    instance = instance_in(text)
    for back in range(at - 1, max(-1, at - 600), -1):
        if instance:
            break
        if _SECTION.match(lines[back].text):
            instance = instance_in(lines[back].text)
            break
    fields = about(int(found[1], 16), "", instance)
    status = _STATUS.search(text, found.end())
    if status and int(status[1], 16):
        fields["ntstatus"] = status[0]
    return _make(lines, at, 1, fields)


def _sentence(lines: Sequence[Line], at: int) -> Record | None:
    """A sentence of Device Manager with its code, which may stand on a line of its own below the sentence."""
    text = lines[at].text
    code, count = code_in(text), 1
    if code is None and at + 1 < len(lines) and text.rstrip()[-1:] in ".。!！":
        below = lines[at + 1].text
        if NUMBER.match(below.strip()):
            code, count = code_in(text + " " + below.strip()), 2
    unproven: dict[str, Value] = {}
    if code is None and len(text) < _MOST_SENTENCE:
        code = code_of_sentence(text)
        if code is not None and not is_confirmed(code, text):
            unproven = {"unproven": "sentence"}
    if code is None:
        return None
    name = _name_near(lines, at)
    fields = about(code, name, instance_in(text)) | unproven
    return _make(lines, at, count, fields | {"status": "phantom" if code == 45 else "present"})


def _name_near(lines: Sequence[Line], at: int) -> str:
    """The device that the line, or one of the three lines above it, names; empty when none does."""
    for back in range(at, max(-1, at - 4), -1):
        text = lines[back].text
        if back < at and (code_in(text) is not None or INSTANCE.search(text)):
            break  # that line speaks of its own device
        head = re.split(r"[:：\t|]", text, maxsplit=1)[0].strip(" -*>\"'")
        for known in (HELPER, ASIDE, GPU_NAME, GPU_CLASS, _OTHER_NAME):
            found = known.search(text)
            if found:
                whole = known.search(head) and len(head) < 60 and not _STATUS_OF.search(head)
                model = _MODEL.search(text)
                if whole:
                    return head
                return model[0] if model and known is GPU_NAME and GPU_NAME.search(model[0]) else found[0]
    return ""
