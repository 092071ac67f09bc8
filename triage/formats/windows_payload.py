"""What the payload of a Windows event holds, read without its (localized) sentence.

Payload names and positions: provider manifests of Windows 10 (https://github.com/repnz/etw-providers-docs);
bug check codes: https://learn.microsoft.com/windows-hardware/drivers/debugger/bug-check-code-reference2
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from triage import lazy
from triage.entities import hexadecimal
from triage.formats.windows_codes import SYMBOLS, about, code_in, contradiction, instance_in
from triage.model import Value

_LEVELS = {
    "critical": "1|critical|kritisch|critique|crítico|critico|критический|критическая ошибка|重大|严重|关键|위험",
    "error": "2|error|fehler|erreur|ошибка|エラー|错误|錯誤|errore|erro|błąd|오류|fout",
    "warning": "3|warning|warnung|avertissement|advertencia|предупреждение|警告|avviso|aviso|ostrzeżenie|"
    "경고|waarschuwing",
    "info": "0|4|information|informationen|informations|información|сведения|情報|信息|资讯|資訊|informazioni|"
    "informações|informacje|정보|informatie",
    "verbose": "5|verbose|ausführlich|commentaires|detallado|подробно|詳細|详细",
}
_LEVEL_OF = {word: level for level, words in _LEVELS.items() for word in words.split("|")}
_BUGCHECK = lazy.pattern(r"\b0x([0-9a-fA-F]{1,8}) ?\(" + ", ?".join([r"(0x[0-9a-fA-F]+)"] * 4))
_WER_NAME = lazy.pattern(r"\b(LiveKernelEvent|BlueScreen|BEX64|BEX|APPCRASH|AppHangB1|AppHangXProcB1|MoBEX|CLR20r3)\b")
_WER_CODE = lazy.pattern(
    r"(?m)^\W*(?:P1|Code|代码|代碼|Código|Код|コード|Codice|Sig\[0\]\.Value)\s*[:：=]\s*(?:0x)?([0-9a-fA-F]{1,8})\s*$"
)
_GPUID = lazy.pattern(r"(?i)\bGPUID: ?([0-9a-f]{1,5})\b")
_VIDEO = lazy.pattern(r"\\Device\\(?:Video\d+|UVM\w+|[0-9a-f]{8})")
_RECOVERY = lazy.pattern(r"GPU recovery action changed from \S+ \([^)]*\) to \S+ \(([^)]*)\)")
_DRIVER = lazy.pattern(r"\\Driver\\([\w.]+)")
_DISPLAY_DRIVER = lazy.pattern(r"\b(nvlddmkm|amdkm\w+|amdwddmg|amduw\w+|atikm\w+|igdkm\w+|igfxn?|igfx\w+)\b", re.ASCII)
_TRIPLE = lazy.pattern(r"0x([0-9A-Fa-f]+):0x([0-9A-Fa-f]+):0x([0-9A-Fa-f]+)")
_HUNGRY = lazy.pattern(r"([\w.+ -]{1,60}\.exe) ?[(（](\d+)[)）]\D{1,30}?(\d+)")
_EXE = lazy.pattern(r"([\w.+-]+\.exe)\b", re.IGNORECASE)
_MODULE = lazy.pattern(r"[:：]\s*([\w.+-]+\.(?:dll|exe|sys|pyd))\b", re.IGNORECASE)
_EXCEPTION = lazy.pattern(r"\b(?:0x)?([cC]0000[0-9a-fA-F]{3}|[eE]06[dD]7363|80000003|40000015)\b")
_HEX_VALUE = lazy.pattern(r"(?m)[:：]\s*0x([0-9A-Fa-f]{1,8})\s*$")
_SERVICE = lazy.pattern(r"(?m)\{[0-9a-fA-F-]{36}\}\s*$\s*^[^:：\n]+[:：]\s*(\S+)")
_SYSTEM_REPORTING = ("wer-systemerrorreporting", "bugcheck")


@dataclass(slots=True)
class Payload:
    """An event without its header: unnamed values in order, named values, and the text if one was rendered."""

    values: Sequence[str] = ()
    named: dict[str, str] = field(default_factory=dict)
    text: str = ""

    def get(self, name: str, position: int = -1) -> str:
        """The value called `name`, else the unnamed one at `position`, else an empty string."""
        if self.named.get(name):
            return self.named[name]
        return self.values[position] if 0 <= position < len(self.values) else ""

    @property
    def shown(self) -> str:
        """All values in one line, named ones as `name=value`."""
        return " | ".join([*self.values, *(f"{name}={value}" for name, value in self.named.items())])

    @property
    def joined(self) -> str:
        return "\n".join([self.text, *self.values, *self.named.values()])


def level(text: str) -> str:
    """`critical`, `error`, `warning`, `info` or `verbose` of a level number or localized word, else the word itself."""
    return _LEVEL_OF.get(text.strip().lower(), text.strip().lower())


def origin(provider: str) -> str:
    """One spelling for each provider: lower case, without `Microsoft-Windows-`, and `bugcheck` for its two names."""
    short = provider.strip().lower().removeprefix("microsoft-windows-")
    return "bugcheck" if short in _SYSTEM_REPORTING else short


def decode(provider: str, event_id: int, payload: Payload) -> dict[str, Value]:
    """Further fields of an event, such as bugcheck, device_code, ntstatus, pci, process, module, wer_event."""
    source = origin(provider)
    if source == "nvlddmkm":
        return _display_driver(payload)
    if source == "display":
        driver = _DISPLAY_DRIVER.search(payload.joined)
        return {"module": driver[1]} if driver else {}
    if source == "bugcheck":
        return _bugcheck(payload)
    if source == "kernel-power" and event_id == 41:
        return _kernel_power(payload)
    if source == "windows error reporting":
        return _error_report(payload)
    if source.startswith("kernel-pnp"):
        return _plug_and_play(event_id, payload)
    if source == "whea-logger":
        return _hardware_error(payload)
    if source == "resource-exhaustion-detector":
        return _hungry(payload)
    if source in ("application error", "application hang"):
        return _application(payload)
    code = code_in(payload.text)
    if code is None:
        return {}
    name = payload.text.split(":")[0].strip()
    fields = about(code, name if len(name) < 80 else "", instance_in(payload.text))
    doubt = contradiction(code, payload.text)
    return fields | {"doubt": doubt} if doubt else fields


def _display_driver(payload: Payload) -> dict[str, Value]:
    """GPUID is bus times 0x100 plus device, in hexadecimal: inferred from public logs, not documented."""
    fields: dict[str, Value] = {}
    gpu = _GPUID.search(payload.joined)
    if gpu:
        number = int(gpu[1], 16)
        fields |= {"gpuid": gpu[1], "pci": f"0000:{number >> 8 & 0xFF:02x}:{number & 0x1F:02x}"}
    video = _VIDEO.search(payload.joined)
    if video:
        fields["interface"] = video[0]
    recovery = _RECOVERY.search(payload.joined)
    if recovery:
        fields["recovery_action"] = recovery[1]
    return fields


def _bugcheck(payload: Payload) -> dict[str, Value]:
    found = _BUGCHECK.search(payload.get("param1") + "\n" + payload.joined)
    if not found:
        return {}
    fields: dict[str, Value] = {"bugcheck": hex(int(found[1], 16))}
    return fields | {f"p{i - 1}": hex(int(found[i], 16)) for i in range(2, 6)}


def _kernel_power(payload: Payload) -> dict[str, Value]:
    """BugcheckCode is decimal here; 0 means that nothing was captured, which is field `captured` 0."""
    code = payload.get("BugcheckCode", 0)
    if not code:
        found = re.search(r"BugcheckCode\W{1,3}(\d+|0x[0-9a-fA-F]+)", payload.joined)
        code = found[1] if found else ""
    try:
        number = int(code, 0) if code else 0
    except ValueError:
        return {}
    if not number:
        return {"captured": 0} if code else {}
    fields: dict[str, Value] = {"bugcheck": hex(number), "captured": 1}
    for i in range(1, 5):
        parameter = hexadecimal(payload.get(f"BugcheckParameter{i}", i))
        if parameter:
            fields[f"p{i}"] = parameter
    return fields


def _error_report(payload: Payload) -> dict[str, Value]:
    """Windows Error Reporting 1001: the third string is the event name, the sixth P1 (hexadecimal without 0x)."""
    name = payload.get("EventName", 2)
    code = payload.get("P1", 5)
    if not _WER_NAME.fullmatch(name):
        found = _WER_NAME.search(payload.joined)
        first = _WER_CODE.search(payload.joined)
        name, code = found[1] if found else "", first[1] if first else code
    fields: dict[str, Value] = {"wer_event": name} if name else {}
    number = hexadecimal(code) if name in ("LiveKernelEvent", "BlueScreen") and code else None
    if number and name == "LiveKernelEvent":
        fields["live_code"] = number
    elif number:
        fields["bugcheck"] = number
    elif name and code:
        fields["process"] = code
    return fields


def _plug_and_play(event_id: int, payload: Payload) -> dict[str, Value]:
    """Kernel-PnP 219 and 400 to 442. Problem may be 0 with a bad status, so both are read."""
    instance = payload.get("DeviceInstanceId") or payload.get("FailureName") or instance_in(payload.joined)
    driver = _DRIVER.search(payload.joined)
    numbers = [int(found, 16) for found in _HEX_VALUE.findall(payload.text)]
    problem = hexadecimal(payload.get("Problem")) if payload.get("Problem") else None
    code = int(problem, 16) if problem else next((n for n in numbers if n and n in SYMBOLS), 0)
    status = payload.get("Status") or next((f"0x{n:08X}" for n in numbers if n > 0x80000000), "")
    service = _SERVICE.search(payload.text)
    unit = payload.get("ServiceName") or (service[1] if service else "")
    fields = about(code if code and event_id != 219 else None, unit, instance)
    fields.pop("device_name", None)  # the unit only told a helper from the card
    if status and status.lower() not in ("0x0", "0", "0x00000000"):
        fields["ntstatus"] = status if status.lower().startswith("0x") else f"0x{int(status) & 0xFFFFFFFF:08X}"
    if unit or driver:
        fields["unit"] = unit or (driver[1] if driver else "")
    return fields


def _hardware_error(payload: Payload) -> dict[str, Value]:
    """The PCIe function of a WHEA record; behind a root port the device is on the secondary bus."""
    named = [hexadecimal(payload.get(name)) if payload.get(name) else None for name in ("Bus", "Device", "Function")]
    if payload.named and all(named):
        bus, device, function = (_number(payload.get(name)) for name in ("Bus", "Device", "Function"))
        second = _number(payload.get("SecondaryBus"))
    else:
        triples = [tuple(int(part, 16) for part in found) for found in _TRIPLE.findall(payload.text)]
        if not triples:
            return {}
        bus, device, function = triples[0]
        second = triples[1][0] if len(triples) > 1 else 0
    segment = _number(payload.get("Segment"))
    own = f"{segment:04x}:{bus:02x}:{device:02x}"
    if second:
        return {"root_port": f"{own}.{function}", "pci": f"{segment:04x}:{second:02x}:00"}
    return {"root_port": f"{own}.{function}"} if bus == 0 else {"pci": own}


def _number(text: str) -> int:
    try:
        return int(text, 0) if text else 0
    except ValueError:
        return 0


def _hungry(payload: Payload) -> dict[str, Value]:
    """Resource-Exhaustion-Detector 2004: the process that committed most."""
    found = _HUNGRY.search(payload.text)
    if found:
        return {"process": found[1].split()[-1], "pid": int(found[2]), "allocated": int(found[3])}
    fields: dict[str, Value] = {}
    if payload.get("Name"):
        fields["process"] = payload.get("Name")
    if payload.get("ID").isdigit():
        fields["pid"] = int(payload.get("ID"))
    return fields


def _application(payload: Payload) -> dict[str, Value]:
    """Application Error 1000 and Hang 1002; unnamed strings are application, version, stamp, module, ..., exception."""
    fields: dict[str, Value] = {}
    process = payload.get("AppName", 0) or (found[1] if (found := _EXE.search(payload.text)) else "")
    modules = _MODULE.findall(payload.text)
    module = payload.get("ModuleName", 3) or (modules[1] if len(modules) > 1 else "")
    code = _EXCEPTION.search(payload.get("ExceptionCode", 6) or payload.text)
    if process:
        fields["process"] = process
    if module and "." in module and not module[0].isdigit():
        fields["module"] = module
    if code:
        fields["ntstatus"] = f"0x{code[1].lower()}"
    return fields
