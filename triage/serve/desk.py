"""The core of the help desk: text or files in, a short safe answer out. The doors only carry it."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from triage.history import Entry, History, HistoryError, Kept, Seen
from triage.history.recurrence import changed_by
from triage.serve.analysis import Analysis, analyse, warm
from triage.serve.workers import Bounds, Job, Progress, TooLarge, Unusable, Workers

TEXT_MOST = 10 << 20  # bytes of a pasted text
FILES_MOST = 512 << 20  # bytes of one upload, all files together
NOT_KEPT = "The history of this help desk does not answer: this report is not kept, and earlier ones are not known."
_LOG = logging.getLogger("triage.desk")


@dataclass(frozen=True, slots=True)
class Answer:
    """A report (`render.json.as_dict`, redacted) with what the history knows of it.

    `kept` is None where the report was not kept, or could not be: then a note of it says so. `removed` counts what was
    redacted, by kind.
    """

    report: dict[str, Any]
    kept: Kept | None
    seen: Seen | None
    near: list[tuple[float, Entry]] = field(default_factory=list)
    removed: dict[str, int] = field(default_factory=dict)


class Desk:
    """Analyses in `workers` and keeps in `history`. All of it may be called from any thread."""

    def __init__(self, history: History, workers: Workers) -> None:
        self.history, self.workers = history, workers

    def text(
        self, text: str, *, scope: str = "", keep: bool = True, zone: float | None = None,
        progress: Progress | None = None,
    ) -> Answer:  # fmt: skip
        """The answer to a pasted text. Raises `AnalysisError` with a message for the sender."""
        if not text.strip():
            raise Unusable("nothing was pasted: paste the log, or name a file")
        if len(text) > TEXT_MOST:
            raise TooLarge(f"the text is larger than {TEXT_MOST >> 20} MiB: send it as a file")
        return self._answer(Job(text=text, zone=zone, salt=self.history.salt), scope, keep, progress)

    def files(
        self, paths: Sequence[Path], *, scope: str = "", keep: bool = True, zone: float | None = None,
        progress: Progress | None = None,
    ) -> Answer:  # fmt: skip
        """The answer to files of one incident, which all lie in or below one folder of the caller's."""
        job = Job(paths=tuple(str(path) for path in paths), zone=zone, salt=self.history.salt)
        return self._answer(job, scope, keep, progress)

    def _answer(self, job: Job, scope: str, keep: bool, progress: Progress | None) -> Answer:
        done: Analysis = self.workers.run(job, progress)
        try:
            seen = self.history.seen(done.report, scope)
            report = changed_by(done.report, seen)
            near = self.history.nearest(report, scope)
            kept = self.history.add(report, done.text, scope) if keep else None
        except HistoryError as error:  # a full disk must not hide the cause from who asks
            _LOG.error("%s", error)
            return Answer(done.report | {"notes": [NOT_KEPT, *done.report["notes"]]}, None, None, [], done.removed)
        return Answer(report, kept, seen, near, done.removed)

    def close(self) -> None:
        """Ends the workers and lets go of the history."""
        self.workers.close()
        self.history.close()


def open_desk(history: str | Path | None, workers: int = 2, bounds: Bounds | None = None) -> Desk:
    """A desk with processes of its own and a history at a path or URL; None keeps nothing beyond the process."""
    return Desk(History(history or "sqlite://"), Workers(analyse, workers, bounds, warm))
