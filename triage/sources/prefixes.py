"""Prefixes that launchers and collectors put before each line of a job: rank, worker, pod, container.

What is unmistakable by itself is always taken off. What other text may look like (`3: `, `node07: `, `web  | `,
`> `) is taken off only where most lines of the source have it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from triage import lazy
from triage.sources.stamps import is_stamped

Fields = dict[str, str]

# torch: `[rank3]:` by the excepthook and the C++ logger; torchrun --tee: `[default4]:`, role name and local rank.
_RANK = lazy.pattern(r"\[(rank|default|trainer|worker)([0-9]{1,6})\]: ?")
# Open MPI -tag-output: `[job,rank]<stream>:`; the launcher of SageMaker: `[1,mpirank:3,algo-2]<stderr>:`.
_MPI = lazy.pattern(r"\[[0-9]+,(?:mpirank:)?([0-9]+)(?:,([\w.-]+))?\]<std(?:err|out|diag)>:")
_POD = lazy.pattern(r"\[pod/([\w.-]+)/([\w.-]+)\] ?")
# Ray and vLLM: `(RayTrainWorker pid=123, ip=10.0.0.1) `, `(EngineCore_DP0 pid=24880) `, `(Worker(rank=3) pid=8) `.
_ACTOR = lazy.pattern(
    r"\((?:([A-Za-z_][\w.:<>-]{0,80}(?:\([^()]{0,60}\))?(?:\.[\w.<>]{1,80})?) )?"
    r"pid=([0-9]+)(?:, ip=([0-9a-fA-F.:]+))?\)(?: |$)"
)
_DAEMON = lazy.pattern(r"\((raylet|gcs_server|autoscaler)(?: \+[0-9hms]+)?(?:, ip=([0-9a-fA-F.:]+))?\)(?: |$)")
_ACTOR_RANK = lazy.pattern(r"\brank=([0-9]+)")

_SRUN = lazy.pattern(r" *([0-9]{1,6}): ?")
_NODE = lazy.pattern(r"([a-z][a-z0-9.-]*[0-9][a-z0-9.-]*): ")
_NOT_NODE = lazy.pattern(
    r"(?:eth|ens|eno|enp|ib|gpu|cuda|nvme|sd|mlx|step|epoch|iter|layer|line|stage|nv|dev|tty|cpu)[0-9]"
)
_SERVICE = lazy.pattern(r"([A-Za-z][\w.-]{2,60}) *\| ?")
_QUOTE = lazy.pattern(r">(?!>>) ?")
_ACTIONS = lazy.pattern(r"[^\t]{1,200}\t[^\t]{1,200}\t\ufeff?(?=[0-9]{4}-[0-9]{2}-[0-9]{2}T)")


@dataclass(slots=True, frozen=True)
class Layout:
    """Which doubtful prefixes the lines of a source have."""

    quoted: bool = False
    labelled: bool = False
    nodes: bool = False
    services: bool = False
    actions: bool = False
    stamped: bool = False

    @property
    def doubtful(self) -> bool:
        """Whether there is any prefix that only the other lines tell."""
        return self.quoted or self.labelled or self.nodes or self.services or self.actions


PLAIN = Layout()


def layout_of(texts: Sequence[str]) -> Layout:
    """The doubtful prefixes that most of `texts` (the first lines of a source, colours removed) share."""
    full = [text for text in texts if text.strip()]
    quoted = len(full) >= 2 and _share(_QUOTE, full) > 0.6
    if quoted:
        full = [_QUOTE.sub("", text, count=1) for text in full]
    full = [text for text in (peel(text, {}) for text in full) if text]
    actions = len(full) > 1 and _share(_ACTIONS, full) > 0.6
    return Layout(quoted, _labelled(full), _nodes(full), _services(full), actions, is_stamped(full))


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> float:
    return sum(1 for text in texts if pattern.match(text)) / len(texts)


def _labelled(texts: Sequence[str]) -> bool:
    """`srun -l`: task numbers come back; a numbered listing only counts up."""
    labels = [found[1] for text in texts if (found := _SRUN.match(text))]
    return len(labels) >= 3 and len(labels) > 0.6 * len(texts) and len(set(labels)) < len(labels)


def _nodes(texts: Sequence[str]) -> bool:
    names = Counter(found[1] for text in texts if (found := _NODE.match(text)) and not _NOT_NODE.match(text))
    total = sum(names.values())
    return total >= 4 and total >= 0.8 * len(texts) and total >= 2 * len(names)


def _services(texts: Sequence[str]) -> bool:
    """`docker compose logs`: the bars stand in one column; a table has more of them."""
    found = [(match, text) for text in texts if (match := _SERVICE.match(text))]
    if len(found) < 2 or len(found) < 0.8 * len(texts):
        return False
    bars = {text.index("|") for _, text in found}
    tables = sum(1 for match, text in found if " | " in text[match.end() :])
    names = {match[1] for match, _ in found}
    return len(bars) == 1 and tables <= 0.5 * len(found) and len(names) < len(found)


def peel(text: str, fields: Fields) -> str:
    """`text` without the unmistakable prefixes, in any order and number; what they told is added to `fields`."""
    for _ in range(8):
        rest = bracket(text, fields) if text[:1] == "[" else actor(text, fields) if text[:1] == "(" else None
        if rest is None:
            return text
        text = rest
    return text


def bracket(text: str, fields: Fields) -> str | None:
    """`text`, which begins with `[`, without the prefix of a rank or pod; None when it has none."""
    second = text[1:2]
    if second.isdigit():
        found = _MPI.match(text)
        if not found:
            return None
        fields.setdefault("rank", found[1])
        if found[2]:
            fields.setdefault("host", found[2])
    elif text.startswith("[pod/"):
        found = _POD.match(text)
        if not found:
            return None
        fields.setdefault("pod", found[1])
        fields.setdefault("container", found[2])
    else:
        found = _RANK.match(text) if second in "rdtw" and second else None
        if not found:
            return None
        # The innermost prefix is PyTorch's own: it wins over that of a launcher.
        fields["rank" if found[1] == "rank" else "local_rank"] = str(int(found[2]))
    return text[found.end() :]


def actor(text: str, fields: Fields) -> str | None:
    """`text`, which begins with `(`, without the prefix of a Ray or vLLM process; None when it has none."""
    if text.find("pid=", 1, 160) < 0 and not text.startswith(("(raylet", "(gcs_s", "(autos")):
        return None
    found = _ACTOR.match(text)
    if found:
        name, pid, host = found.groups()
        fields["pid"] = pid
        if name and (rank := _ACTOR_RANK.search(name)):
            fields["rank"] = rank[1]
    else:
        found = _DAEMON.match(text)
        if not found:
            return None
        name, host = found.groups()
    if name:
        fields["process"] = name
    if host:
        fields.setdefault("host", host)
    return text[found.end() :]


def doubtful(text: str, fields: Fields, layout: Layout) -> str | None:
    """`text` without a prefix that most lines of the source have; None when this line has none."""
    if layout.quoted and text[0:1] == ">":
        found = _QUOTE.match(text)
        return text[found.end() :] if found else None
    if layout.labelled and "rank" not in fields and (found := _SRUN.match(text)):
        fields["rank"] = found[1]
    elif layout.nodes and "host" not in fields and (found := _NODE.match(text)):
        if _NOT_NODE.match(text):
            return None
        rank = re.fullmatch(r"rank[_-]?([0-9]+)", found[1])
        fields["rank" if rank else "host"] = rank[1] if rank else found[1]
    elif layout.services and "container" not in fields and (found := _SERVICE.match(text)):
        fields["container"] = found[1]
    elif not (layout.actions and (found := _ACTIONS.match(text))):
        return None
    return text[found.end() :] if found else None
