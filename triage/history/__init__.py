"""Earlier reports: `History` keeps them and finds those like a new one."""

from triage.history.store import DAY, KEEP, MARKS, Entry, History, HistoryError, Kept, Mark, Seen

__all__ = ["DAY", "KEEP", "MARKS", "Entry", "History", "HistoryError", "Kept", "Mark", "Seen"]
