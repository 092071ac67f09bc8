"""Any stream -> its sources: packings and archives are opened to any sensible depth, by content."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from triage.model import Source, no_blocks
from triage.sources.blocks import lines_source, text_source
from triage.sources.kinds import binary_reason, kind_of
from triage.sources.sections import is_bug_report, report_sources
from triage.sources.streams import CHUNK, DEPTH_MOST, HEAD, Budget, Stream, reason

_EVTX_MOST, _DUMP_MOST = 1 << 30, 256 << 20


def unreadable(name: str, why: str, size: int = 0) -> Source:
    """A source that only says why it could not be read."""
    return Source(name, no_blocks, note=f"{name} {why}", readable=False, size=size)


def open_stream(stream: Stream, name: str, budget: Budget, depth: int = 0, path: str = "") -> Iterator[Source]:
    """The sources in `stream`: one for text, one for each member of an archive."""
    head = stream.peek(HEAD)
    if not head:
        why = f"gave no text: it {stream.notes[0]}" if stream.notes and depth else "; ".join(stream.notes) or "is empty"
        yield unreadable(name, why, stream.size)
        return
    kind = kind_of(head)
    if kind == "text" and is_bug_report(head):
        yield from report_sources(stream, name, path)
    elif kind == "text":
        yield text_source(stream, name, path)
    elif kind in ("dump", "pickle"):
        yield _dump(stream, name, path, kind == "pickle")
    elif kind == "binary":
        yield unreadable(name, binary_reason(head) or "is binary", stream.size)
    elif depth >= DEPTH_MOST:
        yield unreadable(name, f"is nested more than {DEPTH_MOST} archives deep; extract it and give the folder")
    elif kind == "evtx":
        yield _event_log(stream, name)
    elif kind == "tar":
        from triage.sources.archives import tar_members

        yield from tar_members(stream, name, budget, depth)
    elif kind == "zip":
        from triage.sources.archives import zip_members

        yield from zip_members(stream, name, budget, depth, path if depth == 0 else "")
    else:
        from triage.sources.packed import decompressed

        inner = decompressed(kind, stream, budget)
        inner.size = stream.size
        yield from open_stream(inner, name, budget, depth + 1, path)


def _dump(stream: Stream, name: str, path: str, pickled: bool) -> Source:
    """The lines that stand for a dump; of JSON that only begins like one, the text itself."""
    from triage.sources.dumps import dump_source

    data = b"".join(_up_to(stream, _DUMP_MOST))
    found = dump_source(data, name, path, pickled)
    if isinstance(found, Source):
        found.note = "; ".join(filter(None, [*stream.notes, found.note]))
        return found
    if pickled:
        return unreadable(name, found, stream.size)
    return text_source(Stream(chain([data], iter(stream.take, b"")), stream.size, stream.notes), name, path)


def _event_log(stream: Stream, name: str) -> Source:
    data = b"".join(_up_to(stream, _EVTX_MOST))
    if stream.peek(1):
        stream.note("is larger than 1 GB; the rest was not read")
    try:
        from triage.sources.evtx import evtx_lines

        lines, note = evtx_lines(data, name)
    except ImportError:
        why = "needs the package evtx, which is not installed: `pip install evtx`, or export the log as XML"
        return unreadable(name, why, len(data))
    except Exception as error:  # a native parser on hostile bytes: whatever it raises, the run goes on
        return unreadable(name, f"is a damaged event log ({reason(error)}); export it again", len(data))
    notes = "; ".join([*stream.notes, *([note] if note else [])])
    if not lines:
        return unreadable(name, notes or "holds no event", len(data))
    return lines_source(lines, name, notes, len(data))


def _up_to(stream: Stream, most: int) -> Iterator[bytes]:
    while most > 0 and (chunk := stream.read(min(CHUNK, most))):
        most -= len(chunk)
        yield chunk
