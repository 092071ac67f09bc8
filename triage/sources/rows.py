"""What an assembler takes and gives: texts with the numbers of their lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Row:
    """A text with the number of its line; `raw` is what a person sees on that line."""

    number: int
    text: str
    raw: str


class Assembler:
    """Base class: holds lines back until a message is complete."""

    def feed(self, rows: Iterable[Row], last: bool = False) -> list[Row]:
        """The rows that are complete after these; `last` gives out all. Numbers never go down."""
        raise NotImplementedError
