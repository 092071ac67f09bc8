"""What of a generated log is found: planted incidents by line, and decoys that must stay silent.

    python bench/recall.py LOG LOG.truth.json [LABELS]

The truth file lists the planted incidents (`incidents: [{kind, line, ...}]`); the labels file names the shape of each
line, and shapes beginning with `decoy-` must not be reported.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

from triage import load_library
from triage.match import Matcher
from triage.pipeline import index_of
from triage.reading import read_source
from triage.sources import open_inputs


def reported(log: str) -> tuple[set[int], float]:
    """The lines of all records on which a signature other than a fact holds, and the seconds that it took."""
    library = load_library()
    index = index_of(library)
    began = time.perf_counter()
    lines: set[int] = set()
    for source in open_inputs([log]):
        reading = read_source(source, index)
        for match in Matcher(library, index).match(reading.records):
            if library.signatures[match.id].role != "context":
                lines |= {line.number for line in match.record.lines}
    return lines, time.perf_counter() - began


def main() -> None:
    log, truth = sys.argv[1:3]
    data = json.loads(Path(truth).read_text())
    planted = data["incidents"] if isinstance(data, dict) else data
    lines, seconds = reported(log)
    missed = [one for one in planted if one["line"] not in lines]
    print(f"{len(planted) - len(missed)} of {len(planted)} planted incidents found with their line, {seconds:.1f} s")
    for kind, number in Counter(one["kind"] for one in missed).most_common():
        print(f"  missed {number} x {kind}, e.g. line {next(o['line'] for o in missed if o['kind'] == kind)}")
    if len(sys.argv) > 3:
        with open(sys.argv[3]) as labels:
            decoys = [n for n, label in enumerate(labels, 1) if label.startswith("decoy-")]
        wrong = [n for n in decoys if n in lines]
        print(f"{len(wrong)} of {len(decoys)} decoys reported {wrong[:10]}")


if __name__ == "__main__":
    main()
