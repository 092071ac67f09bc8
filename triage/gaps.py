"""What is not there and should be: the log of a rank, the end of a log, the answer of a tool, the beginning of a ring.

A gap is no fault. It is told with the command that closes it, and only where the rest of the input shows that something
was there: other ranks of the same job, lines that used to come every second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from statistics import median

from triage import advise, clock, lazy
from triage.identity import Identities, values
from triage.incidents import Group
from triage.model import Entities, Match, Missing, Record, Report, Source, Stamp, Value
from triage.naming import Family, Names

_MOST = 3  # gaps of one kind that are told
_REGULAR = 10  # stamped lines from which a log shows how often it speaks
_LATEST = 60  # of these the last count
_QUIET, _TIMES = 120.0, 5.0  # seconds, and longest pauses of its own, that a log must be silent; judgement
_NEAR = 120.0  # seconds beyond its first and last line for which a log still speaks
_RING = 60.0  # seconds since boot; a ring that begins later has lost its beginning
_SHORT = 12  # characters of a line that may be the beginning of another one
_DONE = lazy.pattern(
    r"(?i)\b(?:done|finished|completed?|exit(?:ing|ed)?|shut(?:ting)? ?down|destroy\w*|stopped|closing|success\w*)\b"
)
_PASTED = ("paste", "-")  # people copy what they need
_SAFE_PATH = lazy.pattern(r"[\w./@+=,*-]{1,300}", re.ASCII)
# A tool that asks the driver: without an answer, it or the collector's patience ended.
_ASKS_DRIVER = lazy.pattern(r"nvidia-smi(?:[_.-][^/]*)?$")
_OF_RANKS = ("rank-lagging", "rank-missing", "rank-exited-early", "fr-dump-missing")  # they say who, not why


def find(
    report: Report, sources: Sequence[Source], records: Sequence[Record], matches: Sequence[Match], names: Names,
    identities: Identities,
) -> list[Missing]:  # fmt: skip
    """The gaps that matter for this report, the most telling first."""
    top = report.findings[0] if report.findings else None
    found: list[Missing] = []
    if top is None or top.role == "unknown" or top.confidence == "possible" or top.id in _OF_RANKS:
        ids = {one.id for one in report.findings}
        spoken = {match.record.source for match in matches if match.id in ids}
        found += _ends(sources, records, names, spoken, identities, top is None)
        found += _ranks(matches, names, identities) if top is not None else ()
    if top is not None and top.role == "unknown":
        found += _beginnings(records)
    return [*found, *_strangers(records, matches), *_sections(sources), *_answers(sources)]


def covered(records: Sequence[Record], form: str, one: Group) -> bool:
    """Whether records of this format were taken on the host and around the time of a finding, as far as both are known.

    A ring of the kernel that has lost its beginning, and whose times nothing ties to those of the finding, covers none.
    """
    hosts = {_label(host) for host in values(one.entities, "host")}
    own = [r for r in records if r.format == form and (not hosts or _label(r.fields.get("host", "")) in ("", *hosts))]
    times = [t.seconds for r in own if (t := r.time) is not None and t.kind != "boot"]
    if not times or one.first is None or one.first.kind == "boot":
        return any(r.time is None or r.time.kind != "boot" or r.time.seconds <= _RING for r in own)
    return min(times) - _NEAR <= one.first.seconds <= max(times) + _NEAR


def _ranks(matches: Sequence[Match], names: Names, identities: Identities) -> Iterator[Missing]:
    """The ranks of which neither a file nor a line is there, where each of the others has its file."""
    sizes = [n for match in matches if isinstance(n := match.entities.get("_nranks"), int)]
    for family in names.families:
        own = set(family.ranks.values())
        told = max(sizes, default=0) if family.key == "rank" else 0
        heard = own | (names.heard if family.key == "rank" else set())
        size = max(told, max(own) + 1)
        absent = [rank for rank in range(size) if rank not in heard]
        if len(own) < 2 or not absent or len(absent) > (len(own) if told else len(own) // 2):
            continue  # only some were given, or nothing is missing
        label = family.key.replace("_", " ")
        for rank in absent[:_MOST]:
            why = f"the logs of {len(own)} of {size} ranks are here; one that dies first may say nothing"
            yield Missing(_where(family, label, rank, identities), why, _fetch(family, rank))
        if len(absent) > _MOST:
            yield Missing(f"logs of {len(absent) - _MOST} more ranks", "they have no file either")


def _where(family: Family, label: str, rank: int, identities: Identities) -> str:
    known: Entities = {family.key: rank}
    identities.complete(known)
    host = known.get("host")
    return f"log of {label} {rank} ({family.path(rank)})" + (f" on {host}" if isinstance(host, str) else "")


def _fetch(family: Family, rank: int) -> str:
    """The command that yields the log of a rank: of a pod the one before its restart."""
    path = family.path(rank)
    if pod := family.pod(rank):
        return advise.shell_line(["kubectl", "logs", pod, "--previous"])
    return advise.shell_line(["find", ".", "-path", f"*/{path}"]) if _SAFE_PATH.fullmatch(path) else ""


def _ends(
    sources: Sequence[Source], records: Sequence[Record], names: Names, spoken: set[str], identities: Identities,
    healthy: bool,
) -> Iterator[Missing]:  # fmt: skip
    """Logs that fell silent while those beside them went on, though they used to speak often."""
    own: dict[str, list[Record]] = {}
    for record in records:
        own.setdefault(record.source, []).append(record)
    cut = {s.name for s in sources if s.cut and s.name not in _PASTED and _torn(own.get(s.name, ()))}
    told = 0
    for family in names.families:
        lasts = {name: last for name in family.ranks if (last := _last(own.get(name, ()))) is not None}
        if len(set(family.ranks.values())) < len(family.ranks):
            continue  # several files of one rank: older ones end before newer ones
        for name, last in sorted(lasts.items(), key=lambda item: item[1].seconds):
            others = [other.seconds for peer, other in lasts.items() if peer != name]
            silence = median(others) - last.seconds if len(others) > healthy else 0.0
            if name in spoken or told >= _MOST or not _fell_silent(own[name], silence):
                continue
            told += 1
            torn = ", in the middle of a line" if name in cut else ""
            cut.discard(name)
            why = f"it ends at {clock.iso(last)}{torn}, {silence:,.0f} s before those beside it, without a word on why"
            yield Missing(f"what ended {_short(name)}{_on(own[name], identities)}", why, _around(last))
    for name in sorted(cut - spoken)[:_MOST]:
        last = _last(own[name])
        why = "its last line is cut: the copy is not whole, or the process or the machine ended while it was written"
        yield Missing(f"the end of {_short(name)}{_on(own[name], identities)}", why, _around(last) if last else "")


def _fell_silent(own: Sequence[Record], silence: float) -> bool:
    times = [t.seconds for record in own if (t := record.time) is not None and t.kind != "boot"][-_LATEST:]
    if len(times) < _REGULAR or silence <= _QUIET or any(_DONE.search(record.text) for record in own[-3:]):
        return False
    return silence > _TIMES * max(b - a for a, b in pairwise(times))


def _last(own: Sequence[Record]) -> Stamp | None:
    return next((t for record in reversed(own) if (t := record.time) is not None and t.kind != "boot"), None)


def _torn(own: Sequence[Record]) -> bool:
    """Whether the last line is the beginning of what earlier lines say whole."""
    if len(own) < _REGULAR:
        return False
    last = _masked(own[-1])
    if len(last) < _SHORT or "%|" in last:  # a progress bar is drawn over and over
        return False
    return sum(whole.startswith(last) and len(whole) > len(last) + 1 for whole in map(_masked, own[-_LATEST:-1])) > 2


def _masked(record: Record) -> str:
    return re.sub(r"\d+", "0", record.text)


def _on(own: Sequence[Record], identities: Identities) -> str:
    """` on node07`, where the lines tell it, or the rank of the file."""
    fields = own[-1].fields
    known: Entities = {k: int(v) if k == "rank" else v for k in ("host", "rank") if (v := fields.get(k)) is not None}
    identities.complete(known)
    return f" on {known['host']}" if isinstance(known.get("host"), str) else ""


def _around(last: Stamp) -> str:
    known: Entities = {"time": clock.iso(last)}
    return advise.fill_text('journalctl _TRANSPORT=kernel --since "{time-5m}"', known)


def _strangers(records: Sequence[Record], matches: Sequence[Match]) -> Iterator[Missing]:
    """Logs of a job and of a kernel that name no common host: inside a container the host is called like the pod."""
    kernel = {_label(host) for r in records if r.format == "kernel" and (host := r.fields.get("host"))}
    job = {str(m.entities["host"]) for m in matches if m.record.format == "nccl" and "host" in m.entities}
    if kernel and job and kernel.isdisjoint(map(_label, job)):
        one, other = sorted(job)[0], sorted(kernel)[0]
        why = f"the job names no host of which a kernel log is here ({other}), so the two were not joined"
        yield Missing(f"the node on which {one} ran", why, "kubectl get pods -o wide")


def _sections(sources: Iterable[Source]) -> Iterator[Missing]:
    for source in sources:
        if source.cut and "/" not in source.cut and " ends inside of " in f" {source.note}":
            why = f"it ends inside of {source.cut!r}: a GPU that does not answer hangs the script there"
            command = "nvidia-bug-report.sh --safe-mode --extra-system-data"
            yield Missing(f"the rest of {_short(source.name)}", why, command)


def _answers(sources: Sequence[Source]) -> Iterator[Missing]:
    """An empty file of nvidia-smi in what somebody collected: the tool did not answer, so a GPU may hang."""
    empty = [s for s in sources if not s.readable and "is empty" in s.note and _ASKS_DRIVER.search(s.name)]
    if empty:
        names = ", ".join(dict.fromkeys(_short(source.name) for source in empty[:_MOST]))
        why = "empty: the tool did not answer in the time that it was given, so a GPU or its driver may hang"
        yield Missing(f"the output of nvidia-smi ({names})", why, "timeout 60 nvidia-smi -q")


def _beginnings(records: Sequence[Record]) -> Iterator[Missing]:
    """A kernel ring whose first lines were overwritten: what set off the rest may have stood there."""
    first: dict[str, Record] = {}
    for record in records:
        if record.format == "kernel" and record.time is not None:
            first.setdefault(record.source, record)
    for name, record in first.items():
        boot = re.match(r"\[\s*(\d+)\.\d+\]", record.lines[0].text)
        if boot and int(boot[1]) > _RING and "Linux version" not in record.text:
            why = f"{_short(name)} begins {int(boot[1]):,} s after boot: what came before was overwritten or left out"
            yield Missing("the earlier kernel lines of this boot", why, "journalctl _TRANSPORT=kernel -b --no-pager")
            return


def _label(host: Value) -> str:
    """`node07` of `node07.cluster.local`."""
    return str(host).split(".")[0].lower()


def _short(name: str) -> str:
    """The last part of a name, and its folder where many folders hold a file of that name."""
    parts = name.replace("!", "/").split("/")
    return "/".join(parts[-2:])
