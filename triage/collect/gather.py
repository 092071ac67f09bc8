"""Reads the items: each by itself, side by side, within one deadline; what cannot be read is told with its reason."""

from __future__ import annotations

import glob
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from triage.collect.items import MOST, Item
from triage.recheck import child
from triage.recheck.child import Limits

SECONDS = 50.0  # for all items together
_AT_ONCE = 4
_EMPTY = b"-- No entries --"  # journalctl's nothing


@dataclass(slots=True)
class Piece:
    """What came of an item: its `data`, or the `reason` why there is none. `origin` is the command or the files."""

    name: str
    origin: str
    data: bytes = b""
    reason: str = ""
    seconds: float = 0.0
    missed: bool = True  # whether it counts that it could not be read


def gather(items: Sequence[Item], seconds: float = SECONDS) -> list[Piece]:
    """One piece for each item, in their order, after at most about `seconds`."""
    until = time.monotonic() + seconds

    def read(item: Item) -> Piece:
        piece = _files(item) if item.paths else _command(item, until)
        piece.missed = not item.optional
        return piece

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return list(pool.map(read, items))


def _command(item: Item, until: float) -> Piece:
    """The output of the first command that answers; else the reason of the last."""
    began, piece = time.monotonic(), Piece(item.name, "")
    for command in item.commands:
        piece = Piece(item.name, " ".join(command))
        left = min(item.seconds, until - time.monotonic())
        if left <= 0:
            piece.reason = "no time was left for it"
            break
        try:
            done = child.run(command, Limits(left, output=MOST), {"LC_ALL": "C", "SYSTEMD_COLORS": "0"})
        except OSError as error:
            piece.reason = f"{command[0]}: {error.strerror}"
            continue
        said = (done.err.strip() or done.out.strip()).decode("utf-8", "replace").splitlines()
        if done.over and "printed more" not in done.over:
            piece.reason = f"{command[0]}: {done.over}"
        elif done.status and not done.out.strip():
            piece.reason = f"{command[0]}: {said[-1][:200] if said else f'exit status {done.status}'}"
        elif not done.out.strip() or done.out.startswith(_EMPTY):
            piece.reason = f"{command[0]} printed nothing" + (f" ({said[-1][:200]})" if said else "")
        else:
            piece.data = done.out
            break
    piece.seconds = time.monotonic() - began
    return piece


def _files(item: Item) -> Piece:
    """The files one below the other, each under its path."""
    began, parts, reasons = time.monotonic(), [], []
    for pattern in item.paths:
        for path in sorted(glob.glob(pattern)) or [pattern]:
            try:
                with Path(path).open("rb") as file:
                    parts.append(f"==> {path} <==\n".encode() + file.read(MOST))
            except OSError as error:
                reasons.append(f"{path}: {error.strerror}")
    reason = "" if parts else "; ".join(reasons)
    return Piece(item.name, ", ".join(item.paths), b"\n".join(parts), reason, time.monotonic() - began)


def logs(paths: Iterable[Path], most: int = 64 << 20) -> list[Piece]:
    """Logs that a person adds: files, or all files of a folder; of a long one the last `most` bytes."""
    pieces: list[Piece] = []
    for path in paths:
        files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        base = path.parent
        for file in files:
            piece = Piece("logs/" + file.relative_to(base).as_posix(), str(file))
            pieces.append(piece)
            try:
                with file.open("rb") as stream:
                    size = file.stat().st_size
                    stream.seek(max(0, size - most))
                    piece.data = stream.read(most)
                piece.reason = "" if piece.data else "the file is empty"
            except OSError as error:
                piece.reason = str(error.strerror)
    return pieces
