"""How long the hook takes for 500 incident reports, in two processes as pre-commit starts it, and what redaction costs.

    python bench/reports.py [COUNT]

The reports are those of fixtures/incidents, each copied under other names with other hosts, so that no log is the same.
Prints wall and processor time; the promise is 500 reports in less than 20 s of wall time on two cores.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def copies(folder: Path, count: int) -> list[Path]:
    """So many reports, made of the right ones among the fixtures."""
    planted = (ROOT / "fixtures" / "incidents" / "planted.yaml").read_text()
    right = [path for path in sorted((ROOT / "fixtures" / "incidents").glob("*.md")) if path.name not in planted]
    made = []
    for number in range(count):
        text = right[number % len(right)].read_text().replace("node07", f"node{number:03d}")
        made.append(folder / f"{number:03d}.md")
        made[-1].write_text(text)
    return made


def check(paths: list[Path]) -> None:
    """The command behind the hook over two halves at the same time."""
    command = [sys.executable, "-m", "triage", "report", "check"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    halves = (paths[0::2], paths[1::2])
    running = [subprocess.Popen([*command, *map(str, half)], env=environment) for half in halves]
    assert [process.wait() for process in running] == [0, 0]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".git").mkdir()
        paths = copies(folder, count)
        check(paths[:4])  # the caches of the library
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        check(paths)
        wall = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{count} reports in two processes: {wall:.1f} s wall, {used:.1f} s of processor")
    sys.path.insert(0, str(ROOT))
    from triage.redact import Redactor

    logs = sorted((ROOT / "fixtures").rglob("*.log"))
    text = "".join(path.read_text(errors="replace") for path in logs)
    Redactor(b"k").redact(text[:1000])
    began = time.process_time()
    Redactor(b"k").redact(text)
    print(f"redaction: {len(text) / 1e6 / (time.process_time() - began):.2f} MB/s over {len(text) / 1e6:.1f} MB of fixtures")


if __name__ == "__main__":
    main()
