"""What a service is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field

from triage.serve.workers import Bounds

DAY = 86_400


@dataclass(frozen=True, slots=True)
class Settings:
    """`url` is where people reach the service, for links; empty: as the request came in.

    `text` and `upload` are bytes; `rate` counts analyses of one address, in the words of the package `limits`.
    """

    url: str = ""
    text: int = 10 << 20
    upload: int = 512 << 20
    files: int = 200
    rate: str = "60/minute"
    keep: float = 90 * DAY
    bounds: Bounds = field(default_factory=Bounds)

    def link(self, base: str, path: str) -> str:
        """The full address of a path of ours; `base` is that of the request."""
        return (self.url or base).rstrip("/") + path
