"""Logs of a cause and its effect, made of the examples that the library holds of both."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import yaml

from triage import load_library

ROOT = Path(__file__).parent.parent
START = datetime(2026, 3, 11, 10, 0, 0, tzinfo=UTC)
_STAMP = re.compile(r"^\[ *\d+\.\d+\] ", re.MULTILINE)
_SYSLOG = re.compile(r"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ (?=[\w./@-]+(?:\[\d+\])?: )", re.MULTILINE)
_DEVICE = re.compile(
    r"(?<![0-9a-fA-F])[0-9a-fA-F]{4,8}:(?!2)[0-9a-fA-F]{2}:00\b|(?<=\[)[0-9a-f]{2}:00(?=\.0\])|(?<=SID )[0-9a-f]{2}00"
)
_GLOG = re.compile(r"^(\[?E)\d{4} \d\d:\d\d:\d\d(?=\.\d{6})", re.MULTILINE)
_EXCEPTION = re.compile(r"(?!nccl)[\w.]*(?:Error|Exception|Interrupt|Exit)\b(?:: |:?$)", re.MULTILINE)
_TRACEBACK = 'Traceback (most recent call last):\n  File "/app/train.py", line 212, in <module>\n    main()\n'
_PORT = re.compile(r"\b([0-9a-f]{4}:)(?!2)[0-9a-f]{2}(:01\.0)\b")


@dataclass(frozen=True)
class Place:
    """Where something happens: names that its lines carry."""

    host: str = "node01"
    rank: int = 3
    bus: str = "9d"
    pid: int = 41003
    ahead: float = 0.0  # seconds by which the clock of the host is wrong

    @property
    def uuid(self) -> str:
        return f"GPU-0000{self.bus}00-2222-3333-4444-555555555555"

    @property
    def local(self) -> int:
        return self.rank % 8

    def named(self, text: str) -> str:
        """The text of an example, told of this place."""

        def device(found: re.Match[str]) -> str:
            return {0: f"{self.bus}00", 1: f"{self.bus}:00"}.get(found[0].count(":"), f"0000:{self.bus}:00")

        if "SXid" not in text:  # a switch is no GPU
            text = _DEVICE.sub(device, text)
        text = _PORT.sub(lambda found: f"{found[1]}{int(self.bus, 16) - 1:02x}{found[2]}", text)
        text = re.sub(r"(?<![0-9a-f])3b000\b", f"{self.bus}000", text)
        text = re.sub(r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", self.uuid, text)
        text = re.sub(r"(?i)(\bpid(?:=|: | ?:|\(s\)\) | )|\[pid:|process |task [\w-]+:)\d{3,7}\b", rf"\g<1>{self.pid}", text)
        text = re.sub(r"\bGPU\d(?= )", f"GPU{self.local}", text)
        text = re.sub(r"\b(local_rank: )\d+", rf"\g<1>{self.local}", text)
        text = re.sub(r"\bnode7\b(?!<)", self.host, text)
        if re.match(r"\[Rank \d+\] ", text):
            text = f"[E0311 10:00:00.000000000 ProcessGroupNCCL.cpp:689] {text}"
        return re.sub(r"(\[Rank |on rank |on rank: )\d+", rf"\g<1>{self.rank}", text)


@dataclass
class Logs:
    """The files of an incident."""

    lines: dict[str, list[tuple[datetime, str]]] = field(default_factory=lambda: defaultdict(list))

    def say(self, seconds: float, text: str, place: Place) -> None:
        """What the lines of an example look like when they are printed that many seconds after the start."""
        when = START + timedelta(seconds=seconds + place.ahead)
        text = place.named(text)
        if re.match(r"GPU [0-9A-F]{8}:\S+\n|CA ", text):  # what a tool shows has no time
            self.lines[f"{place.host}/{'ibstat' if text[0] == 'C' else f'nvidia-smi-{place.bus}'}.txt"].append((when, text))
            return
        if _STAMP.match(text):
            source, head, text = "messages", f"+00:00 {place.host} kernel: ", _STAMP.sub("", text)
        elif _SYSLOG.match(text):
            source, head, text = "messages", f"+00:00 {place.host} ", _SYSLOG.sub("", text)
        else:
            source, head = f"rank{place.rank}.log", "000Z stderr F "
            text = _GLOG.sub(lambda found: f"{found[1]}{when:%m%d %H:%M:%S}", text)
            text = _TRACEBACK + text if _EXCEPTION.match(text) else text
        for number, line in enumerate(text.split("\n")):
            at = when + timedelta(microseconds=number)
            self.lines[f"{place.host}/{source}"].append((at, f"{at:%Y-%m-%dT%H:%M:%S.%f}{head}{line}"))

    def introduce(self, place: Place) -> None:
        """Who is who: the rank, its process and its GPU."""
        self.say(-3600, f"{place.host}:{place.pid}:{place.pid + 1000} [{place.local}] NCCL INFO ncclCommInitRankConfig comm 0x55d0 rank {place.rank} nranks 16 cudaDev {place.local} nvmlDev {place.local} busId {int(place.bus, 16) << 12:x} commId 0x8a1d5f4f0e1a7c2b - Init COMPLETE", place)
        self.say(-3600, f"[   10.000000] NVRM: GPU at PCI:0000:{place.bus}:00: {place.uuid}", place)
        self.say(-60, "step 120 loss 2.1", place)

    def write(self, folder: Path) -> Path:
        for name, lines in self.lines.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(line for _, line in sorted(lines, key=lambda pair: pair[0])) + "\n")
        return folder


@cache
def examples() -> dict[str, list[str]]:
    """The positive examples of every id; a row of a table without its own takes that of another row."""
    signatures = load_library().signatures.values()
    found: dict[str, list[str]] = defaultdict(list)
    tables: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for path in dict.fromkeys(one.path for one in signatures):
        data = yaml.load((ROOT / path).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        for one in data["examples"].get("match", ()):
            name = str(one.get("id") or data.get("id"))
            found[name].append(one["text"])
            tables[data.get("table", "")].append((name, one["text"]))
    for signature in signatures:
        number = re.search(r"(\d+)$", signature.id)
        if signature.table and signature.id not in found and number:
            for name, text in tables[signature.table]:
                old = re.search(r"(\d+)$", name)
                if old and re.search(rf"\b{old[1]}\b", text):
                    found[signature.id].append(re.sub(rf"\b{old[1]}\b", number[1], text))
                    break
    return found
