"""Large logs: `triage` beside `rg -f` with the same patterns (signatures) and beside drain3 (templates).

    python bench/throughput.py LOG [--lines N]

`triage` finds signatures, counts every line under a template and correlates; ripgrep only prints matching lines;
drain3 (with its usual masks) only clusters, and is given the first N lines since its rate falls as it goes.
Runs take turns; the figures are medians of three.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from triage import load_library

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


def run(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log")
    parser.add_argument("--lines", type=int, default=20_000, help="lines for drain3")
    options = parser.parse_args()
    size = Path(options.log).stat().st_size / 1e6
    with open(options.log, "rb") as file:
        part = sum(len(line) for line in islice(file, options.lines)) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        patterns = Path(folder, "patterns")
        patterns.write_text("\n".join(load_library().table().anchors))
        commands = {"triage": ([sys.executable, "-m", "triage", options.log], size)}
        if rg := shutil.which("rg"):
            commands["rg -f"] = ([rg, "-n", "-f", str(patterns), options.log], size)
        commands["drain3, masked"] = ([sys.executable, "-c", _DRAIN, options.log, str(options.lines)], part)
        Path(options.log).read_bytes()  # from now on the file is in memory
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(3):
            for name, (command, _) in commands.items():
                times[name].append(run(command))
    rates = {name: commands[name][1] / statistics.median(values) for name, values in times.items()}
    for name, rate in rates.items():
        print(f"{name:16} {rate:8.2f} MB/s  {rate / rates['triage']:6.2f} x triage")


if __name__ == "__main__":
    main()
