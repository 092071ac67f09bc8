"""What the name of a file tells about its lines: the rank, the local rank, the node."""

from __future__ import annotations

from triage import lazy

# torchrun: <log_dir>/<run id>/attempt_<n>/<local rank>/{stdout,stderr}.log (torch/distributed/elastic/multiprocessing).
_TORCHRUN = lazy.pattern(r"(?:^|/)attempt_[0-9]+/([0-9]{1,4})/[^/]+$")
# A file's name tells a rank anywhere; a folder's only by itself or behind the name of a node: `exp-rank1` is a run, and
# the rank of a LoRA or of a matrix is none of a process.
_OTHER_RANK = lazy.pattern(r"(?<![a-z])(?:q?lora|low|matrix|tensor|adapter|svd)[_.-]?rank[_=.-]?[0-9]+")
_LOCAL = lazy.pattern(r"(?:^|[^a-z])local[_-]?rank[_=.-]?([0-9]{1,4})(?![0-9a-z])")
_RANK = lazy.pattern(r"(?:^|[^a-z])(?<!local_)(?<!local-)(?<!local)rank[_=.-]?([0-9]{1,6})(?![0-9a-z])")
_FOLDER = lazy.pattern(
    r"(?:[a-z]*(?:node|gpu|host|dgx|hgx|ip)[a-z0-9-]*[0-9][._-])?(?:global[_-]|local[_-]?)?rank[_=.-]?[0-9]{1,6}$"
)
_WORKER = lazy.pattern(r"^worker[_-]?([0-9]{1,4})(?:\.[a-z]+)*$")  # not Ray's worker-<id>-<job>-<pid>.out
_NODE = lazy.pattern(r"(?:^|[^a-z0-9])((?:[a-z]+-)*node-?[0-9]{1,5})(?![0-9a-z])")


def name_fields(path: str) -> dict[str, str]:
    """The fields that the path of a file gives: `rank`, `local_rank`, `host`; the last path part that tells wins.

    >>> name_fields("run/attempt_0/2/stderr.log")
    {'local_rank': '2'}
    >>> name_fields("logs/node07-rank3.log")
    {'rank': '3', 'host': 'node07'}
    >>> name_fields("exp-rank1/train.log")
    {}
    """
    path = path.replace("\\", "/").replace("!", "/").lower()
    fields: dict[str, str] = {}
    if found := _TORCHRUN.search(path):
        fields["local_rank"] = str(int(found[1]))
    parts = [_OTHER_RANK.sub("", part) for part in path.split("/") if part][-4:]
    for key, pattern in (("local_rank", _LOCAL), ("rank", _RANK), ("rank", _WORKER), ("host", _NODE)):
        for part in reversed(parts):
            ranked = part is parts[-1] or pattern not in (_LOCAL, _RANK) or _FOLDER.match(part)
            found = pattern.search(part) if ranked else None
            if found and key not in fields:
                fields[key] = found[1] if key == "host" else str(int(found[1]))
    return fields
