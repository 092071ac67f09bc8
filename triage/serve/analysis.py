"""What a worker process does with one log: redact, analyse, and give the report as plain data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triage.serve.workers import Job, Progress


@dataclass(frozen=True, slots=True)
class Analysis:
    """A redacted report (`render.json.as_dict`), the redacted text (of a paste), and how much was removed, by kind."""

    report: dict[str, Any]
    text: str
    removed: dict[str, int]


def analyse(job: Job, progress: Progress) -> Analysis:
    """The analysis of a job. Names in it are pseudonyms under the salt of the job, secrets are gone.

    A text is redacted before it is read, so that nothing of it is left anywhere. Files may be huge: of them only
    what the report quotes is kept, and that is redacted.
    """
    from triage.pipeline import Options, analyze, analyze_text
    from triage.redact import Redactor
    from triage.redact.report import redact_report
    from triage.render.json import as_dict

    redactor = Redactor(bytes.fromhex(job.salt) if job.salt else None)
    sizes = {name: _size(name) for name in job.paths}
    whole = sum(sizes.values())
    done: dict[str, int] = {}

    def step(name: str, read: int, _size: int) -> None:
        done[name] = read
        progress(min(sum(done.values()), whole), whole)

    options = Options(zone=job.zone, progress=step if whole else None)
    if job.text is not None:
        text = redactor.redact(job.text)
        report = analyze_text(text, "paste", options=options)
    else:
        text = ""
        report = analyze(_relative(job.paths), options=options)
    report = redact_report(report, redactor)
    return Analysis(as_dict(report), text, dict(redactor.counts))


def warm() -> None:
    """Loads what every analysis needs."""
    from triage.pipeline import analyze_text
    from triage.redact import Redactor
    from triage.redact.report import redact_report

    redactor = Redactor()
    redact_report(analyze_text(redactor.redact("NVRM: Xid (PCI:0000:3b:00): 79, pid=1")), redactor)


def _relative(paths: Sequence[str]) -> list[str]:
    """The names of files as people gave them: all lie in one folder, which becomes the working folder."""
    if paths:
        os.chdir(os.path.commonpath([str(Path(path).parent) for path in paths]))
    return [os.path.relpath(path) for path in paths]


def _size(path: str) -> int:
    return os.stat(path).st_size
