"""A bug report as nvidia-bug-report.sh writes it (drivers 535 to 580): every section piped through a gzip of its own."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Sequence
from pathlib import Path

RULE = "_" * 44
GPU = "GPU-3f1c2a4e-7b60-4f0e-9f5a-1d2c3b4a5e6f"
OLD = "Apr 24 03:11:09 gpu-07 kernel: NVRM: Xid (PCI:0000:5e:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000b19c03a0) marked for remapping, reset gpu to activate."
MESSAGES = (
    f"NVRM: GPU at PCI:0000:3b:00: {GPU}",
    "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    "NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
)
# The RTC was read 40 s late; the machine stands in UTC+2.
RING = (
    "[    0.000000] Linux version 5.15.0-113-generic (buildd@lcy02) #123-Ubuntu SMP",
    "[    2.101223] rtc_cmos 00:04: setting system clock to 2031-05-01T06:23:20 UTC (1935383000)",
    "[106746.112233] pcieport 0000:3a:01.0: AER: Uncorrected (Fatal) error message received from 0000:3b:00.0",
    "[106746.112250] nvidia 0000:3b:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Data Link Layer, (Receiver ID)",
    "[106746.112251] nvidia 0000:3b:00.0:   device [10de:2330] error status/mask=00000020/00000000",
    "[106746.112252] nvidia 0000:3b:00.0:    [ 5] SDES                   (First)",
    *(f"[106756.30{i}000] {message}" for i, message in enumerate(MESSAGES)),
)
SYSLOG = tuple(f"May  2 14:01:58 gpu-07 kernel: {message}" for message in MESSAGES)
BLOB = "\n".join(base64.b64encode(bytes((7 * i + j) % 256 for j in range(57))).decode() for i in range(40))


def sections(*, end: bool = True, zone: str = "+0200", flags: str = "", more: Sequence[str] = ()) -> list[str]:
    """The text of each section, in the order of the script."""
    copies = {
        "/var/log/messages": (),
        "/var/log/kern.log": (OLD, *SYSLOG),
        "journalctl -b -0": SYSLOG,
        "journalctl -b -1": (OLD,),
    }
    scan = "".join(f"  {name}:\n" + "".join(line + "\n" for line in lines) + "\n" for name, lines in copies.items())
    listed = f"*** ls: -r--r--r-- 1 root root 0 2031-05-02 14:20:12.118000000 {zone} /proc/driver/nvidia/./version"
    texts = [
        f"Start of NVIDIA bug report log file.  Please include this file, along\nwith a detailed description of your problem\n\n"
        f"nvidia-bug-report.sh Version: 37062940\n\nDate: Fri May  2 14:20:11 CEST 2031\n"
        f"uname: Linux gpu-07 5.15.0-113-generic #123-Ubuntu SMP x86_64 GNU/Linux\ncommand line flags: {flags}",
        f"*** /proc/driver/nvidia/./version\n{listed if zone else ''}\n"
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build",
        "*** /etc/modprobe.d/nvidia.conf does not exist",
        "modinfo nvidia | grep vermagic\n\nparm:           NVreg_EnableGpuFirmware:int\ndescription:    error recovery, fatal errors",
        "Scanning kernel log files for NVIDIA kernel messages:\n\n" + scan,
        "dmesg:\n\n" + "\n".join(RING),
        f'base64 "/var/tmp/nvidia-debugdump.zip"\n\n{BLOB}',
        *more,
        *(["End of NVIDIA bug report log file."] if end else []),
    ]
    return [f"{RULE}\n\n{text}\n\n" for text in texts]


def write(path: Path, parts: Sequence[str]) -> Path:
    """The sections as a gzip of many members."""
    path.write_bytes(b"".join(gzip.compress(part.encode()) for part in parts))
    return path
