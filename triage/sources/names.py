"""What the name of a file tells about its lines: the rank, the local rank, the node, the pod, the process."""

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
_NODE = lazy.pattern(
    r"(?:^|[^a-z0-9])((?:[a-z]+-)*node-?[0-9]{1,5}|(?:dgx|hgx)(?:-[a-z][0-9]{2,3})?-?[0-9]{1,5}|ip(?:-[0-9]{1,3}){4})"
    r"(?![0-9a-z])"
)
# The kubelet: /var/log/pods/<namespace>_<pod>_<uid>/<container>/<restart>.log, and links to these in
# /var/log/containers/<pod>_<namespace>_<container>-<id>.log; `oc adm must-gather`: namespaces/<ns>/pods/<pod>/...
_POD = lazy.pattern(
    r"(?:^|/)(?:pods/[a-z0-9-]+_([a-z0-9.-]+)_[0-9a-f-]{32,36}/|([a-z0-9.-]+)_[a-z0-9-]+_[a-z0-9-]+-[0-9a-f]{64}\.log"
    r"|namespaces/[a-z0-9-]+/pods/([a-z0-9.-]+)/)"
)
# Ray: worker-<worker id>-<job id>-<pid>.out, python-core-worker-<worker id>_<pid>.log.
_RAY = lazy.pattern(
    r"(?:^|/)(?:worker-[0-9a-f]{56}-[0-9a-f]{8}-|python-core-worker-[0-9a-f]{56}_)([0-9]{1,8})\.[a-z.0-9]+$"
)


def name_fields(path: str) -> dict[str, str]:
    """The fields that the path of a file gives: `rank`, `local_rank`, `host`, `pod`, `pid`; the last part wins.

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
    if found := _POD.search(path):
        fields["pod"] = found[1] or found[2] or found[3]
    if found := _RAY.search(path):
        fields["pid"] = found[1]
    parts = [_OTHER_RANK.sub("", part) for part in path.split("/") if part][-4:]
    for key, pattern in (("local_rank", _LOCAL), ("rank", _RANK), ("host", _NODE)):
        for part in reversed(parts):
            ranked = part is parts[-1] or pattern not in (_LOCAL, _RANK) or _FOLDER.match(part)
            found = pattern.search(part) if ranked else None
            if found and key not in fields:
                fields[key] = found[1] if key == "host" else str(int(found[1]))
    return fields
