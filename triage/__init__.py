"""Root-cause triage of the error logs of GPU and AI-training machines.

>>> from triage import analyze
>>> report = analyze(["crash.log", "dmesg.txt"])  # doctest: +SKIP
>>> report.findings[0].id  # doctest: +SKIP
'xid-79'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triage.library.loader import load_library
    from triage.model import Evidence, Finding, Missing, Report, Source
    from triage.pipeline import Options, analyze, analyze_text

__version__ = "0.1.0"
__all__ = [
    "Evidence", "Finding", "Missing", "Options", "Report", "Source", "analyze", "analyze_text", "load_library",
]  # fmt: skip

_HOMES = {
    "triage.pipeline": ("Options", "analyze", "analyze_text"),
    "triage.library.loader": ("load_library",),
    "triage.model": ("Evidence", "Finding", "Missing", "Report", "Source"),
}


def __getattr__(name: str) -> Any:
    """Public names are imported when first used, so that a command loads only what it needs."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'triage' has no attribute {name!r}")
