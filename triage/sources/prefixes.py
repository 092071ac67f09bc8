"""Prefixes that launchers and collectors put before each line of a job: rank, worker, pod, mark of a CI.

These are unmistakable by themselves and always taken off; layouts.py knows those that are not.
"""

from __future__ import annotations

from triage import lazy

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
# GitHub Actions and Azure Pipelines: `##[error]text`, `::error file=a.py,line=3::text`.
_COMMAND = lazy.pattern(
    r"##\[(?:error|warning|notice|debug|group|section|command)\]|::(?:error|warning|notice|debug)(?: [^:\n]{1,200})?::"
)


def peel(text: str, fields: Fields) -> str:
    """`text` without the unmistakable prefixes, in any order and number; what they told is added to `fields`."""
    for _ in range(8):
        first = text[:1]
        rest = bracket(text, fields) if first == "[" else actor(text, fields) if first == "(" else command(text)
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


def command(text: str) -> str | None:
    """`text`, which begins with `#` or `:`, without the mark that a CI runner reads; None when it has none."""
    found = _COMMAND.match(text) if text[:2] in ("##", "::") else None
    return text[found.end() :] if found else None
