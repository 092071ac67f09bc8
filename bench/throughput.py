"""Large logs: `triage` beside `rg -f` with the same patterns (signatures) and beside drain3 (templates).

    python bench/throughput.py LOG [--lines N] [--runs N]

`triage` finds signatures, counts every line under a template and correlates; ripgrep only prints matching lines (of the
patterns that it takes: ASCII, without newlines); drain3 (with its usual masks) only clusters. Both are given the first
N lines: with so many patterns ripgrep takes minutes for 10 MB, and drain3's rate falls as it goes.
Runs take turns, on one core; the figures are medians of processor time (user and system), which a busy machine changes
less than the time on the wall. Since its clock changes too, each is also given in units of `sum(range(10**7))`, taken
between the runs. Ripgrep is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

_PATTERNS = """
from triage import load_library
print("\\n".join(p for p in load_library().table().anchors if p.isascii() and "|\\\\n" not in p))
"""
_DRAIN = """
import sys
from itertools import islice
from drain3 import TemplateMiner
from drain3.masking import MaskingInstruction
from drain3.template_miner_config import TemplateMinerConfig
config = TemplateMinerConfig()
config.masking_instructions = [MaskingInstruction(p, m) for p, m in (
    (r"((?<=[^A-Za-z0-9])|^)(([0-9a-f]{2,}:){3,}([0-9a-f]{2,}))((?=[^A-Za-z0-9])|$)", "ID"),
    (r"((?<=[^A-Za-z0-9])|^)(\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3})((?=[^A-Za-z0-9])|$)", "IP"),
    (r"((?<=[^A-Za-z0-9])|^)(0x[a-f0-9A-F]+)((?=[^A-Za-z0-9])|$)", "HEX"),
    (r"((?<=[^A-Za-z0-9])|^)([\\-\\+]?\\d+)((?=[^A-Za-z0-9])|$)", "NUM"))]
miner = TemplateMiner(config=config)
for line in islice(open(sys.argv[1], errors="replace"), int(sys.argv[2])):
    miner.add_log_message(line.rstrip())
"""


def run(command: list[str]) -> tuple[float, int]:
    """The processor time of a command in seconds, and its largest memory in MB."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3):
        sys.exit(f"failed with {process.returncode}: {' '.join(command)[:200]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def unit() -> float:
    """What the machine needs just now for a fixed piece of work."""
    began = time.process_time()
    sum(range(10**7))
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log")
    parser.add_argument("--lines", type=int, default=2_000, help="lines for drain3 and ripgrep")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    size = Path(options.log).stat().st_size / 1e6
    with tempfile.TemporaryDirectory() as folder:
        patterns = Path(folder, "patterns")
        with patterns.open("w") as out:  # by another process: a child begins with the memory of this one
            subprocess.run([sys.executable, "-c", _PATTERNS], stdout=out, check=True)
        few = Path(folder, "few.log")
        with open(options.log, "rb") as file:
            few.write_bytes(b"".join(islice(file, options.lines)))
        part = few.stat().st_size / 1e6
        commands = {"triage": ([sys.executable, "-m", "triage", options.log], size)}
        if rg := shutil.which("rg"):
            commands["rg -f"] = ([rg, "--no-unicode", "-n", "-f", str(patterns), str(few)], part)
        commands["drain3, masked"] = ([sys.executable, "-c", _DRAIN, options.log, str(options.lines)], part)
        with open(options.log, "rb") as file:  # from now on the file is in memory
            while file.read(1 << 20):
                pass
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        units: dict[str, list[float]] = {name: [] for name in commands}
        memory: dict[str, int] = {}
        for _ in range(options.runs):
            for name, (command, _) in commands.items():
                before = unit()
                used, memory[name] = run(command)
                seconds[name].append(used)
                units[name].append(used / (before + unit()) * 2)
    rates = {name: commands[name][1] / statistics.median(values) for name, values in seconds.items()}
    for name, rate in rates.items():
        per = statistics.median(units[name]) / commands[name][1] * 100
        print(
            f"{name:16} {rate:8.2f} MB/s  {rate / rates['triage']:6.2f} x triage  {per:8.1f} units per 100 MB"
            f"  {memory[name]:5d} MB of memory"
        )


if __name__ == "__main__":
    main()
