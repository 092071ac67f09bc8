"""CUDA versions, driver branches and GPU generations.

First driver of a CUDA major version (minor version compatibility): CUDA Compatibility guide,
https://docs.nvidia.com/deploy/cuda-compatibility/. Generations: compute capability table of the CUDA C++ programming
guide. `found version 11040` is 1000 x major + 10 x minor (cudaDriverGetVersion).
"""

from __future__ import annotations

from collections.abc import Sequence

from triage import lazy
from triage.decode.phrases import Known, listed

FIRST_DRIVER = {11: 450, 12: 525, 13: 580}
# The first capability of a generation; Ada and Ampere share the major number 8, Turing and Volta 7.
_GENERATIONS = (
    (12, 0, "Blackwell (desktop and workstation)"), (10, 0, "Blackwell (data centre)"), (9, 0, "Hopper"),
    (8, 9, "Ada Lovelace"), (8, 0, "Ampere"), (7, 5, "Turing"), (7, 0, "Volta"), (6, 0, "Pascal"), (5, 0, "Maxwell"),
    (3, 0, "Kepler"), (2, 0, "Fermi"),
)  # fmt: skip
_FOUND = lazy.pattern(r"found version (\d{4,6})\)")
_HAS = lazy.pattern(r"with CUDA capability sm_(\d{2,3})[af]? is not compatible|"
                    r"of (?:compute|cuda) capability \(?(?:CC\)? )?(\d{1,2})\.(\d)\b")  # fmt: skip
_BUILT = lazy.pattern(r"supports CUDA capabilities ((?:(?:sm|compute)_\d+[af]?[ ,]*)+)")


def version(number: int) -> tuple[int, int]:
    """11040 -> (11, 4)."""
    return number // 1000, number % 1000 // 10


def number(major: int, minor: int) -> int:
    """(11, 4) -> 11040."""
    return major * 1000 + minor * 10


def generation(major: int, minor: int) -> str:
    """`Ampere` for 8.6; empty where the table does not say (a newer major, or 11.x)."""
    if major > 12 or major == 11:
        return ""
    for first, least, name in _GENERATIONS:
        if major == first and minor >= least:
            return name
    return ""


def capability(sm: int) -> tuple[int, int]:
    """sm_86 -> (8, 6), sm_120 -> (12, 0)."""
    return sm // 10, sm % 10


def explain(texts: Sequence[str], known: Known) -> list[str]:
    whole = "\n".join(texts)
    found = []
    old = _FOUND.search(whole)
    if old:
        major, minor = version(int(old[1]))
        found.append(f"The installed driver offers CUDA {major}.{minor} at most.")
        wanted = [f"CUDA {m} from {FIRST_DRIVER[m]}" for m in sorted(FIRST_DRIVER) if m > major]
        if wanted:
            found.append(f"Newer CUDA needs a newer driver branch: {listed(wanted)}.")
    has = _HAS.search(whole)
    if has:
        major, minor = capability(int(has[1])) if has[1] else (int(has[2]), int(has[3]))
        name = generation(major, minor)
        found.append(f"The GPU has compute capability {major}.{minor}{f', generation {name}' if name else ''}.")
    built = _BUILT.search(whole)
    if built:
        names = built[1].replace(",", " ").split()
        found.append(f"The build holds code for {listed(names)}.")
    return found
