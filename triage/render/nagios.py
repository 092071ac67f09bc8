"""One line and an exit code for monitoring: Nagios, Icinga, Zabbix, Slurm's health check.

Codes and form: Monitoring Plugins Development Guidelines, "Plugin Return Codes".
"""

from __future__ import annotations

from triage.model import Report
from triage.render.text import clean

STATES = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
_STATUS = {"healthy": 0, "suspect": 1, "fault": 2}


def status(report: Report) -> int:
    """0 healthy, 1 suspect, 2 fault, 3 nothing understood or nothing could be read."""
    if report.sources and not any(source.readable for source in report.sources):
        return 3
    return _STATUS.get(report.verdict, 3)


def line(state: int, text: str) -> str:
    """`TRIAGE CRITICAL - text`. A bar would begin performance data, so none is left in the text."""
    return f"TRIAGE {STATES[state]} - {clean(text).replace('|', '/')}\n"


def render(report: Report) -> str:
    """The verdict and the summary, with the id and the action of the root cause."""
    cause = report.findings[0] if report.findings and report.verdict in ("fault", "suspect") else None
    tail = f" [{cause.id}: {cause.action}]" if cause else ""
    return line(status(report), f"{report.summary}{tail}")
