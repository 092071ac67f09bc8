"""The same line in several logs of one machine is one event: kern.log, syslog, journal, dmesg, a bug report of all.

Copies are never repetitions. What proves a copy is the same text from the same machine at the same time, in another
file; where times are not known, nothing is taken for a copy.
"""

from __future__ import annotations

import bisect
from collections import defaultdict
from collections.abc import Sequence

from triage.identity import values
from triage.model import Match, Stamp

_LOOSE, _EXACT = 2.0, 0.002  # seconds between two logs of one line: syslog has whole ones, a job's log is copied
_MACHINE = ("kernel", "syslog")
_WHO = ("host", "pod", "rank", "local_rank")


def distinct(matches: Sequence[Match], times: dict[int, Stamp | None]) -> list[Match]:
    """The matches without those that only show a line again which another source holds, too; in their order."""
    if len({match.record.source for match in matches}) < 2:
        return list(matches)
    texts: dict[str, dict[str, list[Match]]] = defaultdict(lambda: defaultdict(list))
    for match in matches:
        texts[match.record.text][match.record.source].append(match)
    dropped: set[int] = set()
    for by_source in texts.values():
        kept: list[tuple[float, Match]] = []
        for own in sorted(by_source.values(), key=lambda own: (-len(own), own[0].order)):
            fresh = [(now.seconds, m) for m in own if (now := times.get(id(m.record))) and now.kind != "boot"]
            dropped.update(id(m) for seconds, m in fresh if _is_copy(seconds, m, kept))
            kept = sorted((*kept, *(pair for pair in fresh if id(pair[1]) not in dropped)), key=lambda pair: pair[0])
    return [match for match in matches if id(match) not in dropped]


def _is_copy(seconds: float, match: Match, kept: Sequence[tuple[float, Match]]) -> bool:
    near = _LOOSE if match.record.format in _MACHINE else _EXACT
    at = bisect.bisect_left(kept, seconds - near, key=lambda pair: pair[0])
    while at < len(kept) and kept[at][0] <= seconds + near:
        other = kept[at][1]
        if other.record.source != match.record.source and not _differ(match, other):
            return True
        at += 1
    return False


def _differ(a: Match, b: Match) -> bool:
    pairs = ((values(a.entities, key), values(b.entities, key)) for key in _WHO)  # type: ignore[arg-type]
    return any(mine and other and mine != other for mine, other in pairs)
