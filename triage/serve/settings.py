"""What a service is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field

from triage.history import KEEP
from triage.serve.desk import FILES_MOST, TEXT_MOST
from triage.serve.workers import Bounds


@dataclass(frozen=True, slots=True)
class Settings:
    """`url` is where people reach the service, for links; empty: as the request came in.

    `text` and `upload` are bytes; `rate` counts analyses of one address, in the words of the package `limits`.
    """

    url: str = ""
    text: int = TEXT_MOST
    upload: int = FILES_MOST
    files: int = 200
    rate: str = "60/minute"
    keep: float = KEEP
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def body(self) -> int:
        """Bytes of a body that is held in memory: a text with all its escapes."""
        return 4 * self.text

    def link(self, base: str, path: str) -> str:
        """The full address of a path of ours; `base` is that of the request."""
        return (self.url or base).rstrip("/") + path
