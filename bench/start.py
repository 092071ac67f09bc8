"""How long `triage` takes for a 200-line paste, as a whole process, beside `rg -f` with the same patterns.

    python bench/start.py [LOG] [--runs N]

Prints the median of each and their ratio. The pattern cache is warm; ripgrep is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from triage import load_library

ROOT = Path(__file__).resolve().parent.parent


def seconds(command: list[str], runs: int) -> float:
    """The median wall time of a command over some runs."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", nargs="?", default=str(ROOT / "fixtures" / "healthy" / "x4-ok" / "x4-ok.log"))
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paste = Path(folder, "paste.log")
        paste.write_text("".join(Path(options.log).read_text(errors="replace").splitlines(keepends=True)[:200]))
        patterns = Path(folder, "patterns")
        patterns.write_text("\n".join(load_library().table().anchors))
        triage = [sys.executable, "-m", "triage"]
        commands = {
            "triage FILE": [*triage, str(paste)],
            "triage --format json FILE": [*triage, "analyze", "--format", "json", str(paste)],
        }
        if rg := shutil.which("rg"):
            commands["rg -f (same patterns)"] = [rg, "-n", "-f", str(patterns), str(paste)]
        subprocess.run(commands["triage FILE"], capture_output=True, check=False)  # warms the cache
        found = {name: seconds(command, options.runs) for name, command in commands.items()}
    base = found.get("rg -f (same patterns)")
    for name, value in found.items():
        print(f"{name:28} {value:6.3f} s" + (f"  {value / base:5.1f} x rg" if base else ""))
    print(f"peak memory of a run: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
