"""Dumps that programs write for tools -> lines that say the same in words: the state of PyTorch's flight recorder and
of NCCL's RAS.

A flight recorder's dump is a pickle (or JSON) without the rank, which only its file name tells; of its ring of
collectives the lines show those around the place where each process group stands. Its pickle holds only plain values,
so whatever asks for a class is no such dump and is refused: nothing is ever called.
"""

from __future__ import annotations

import io
import json
import pickle
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from triage import lazy
from triage.model import Line, Source
from triage.sources.blocks import lines_source
from triage.sources.names import name_fields

_DONE, _PENDING = 3, 8  # collectives of a group that are shown: finished ones and those that are waited for
_GROUPS, _MEMBERS = 4000, 65536
_RANK = lazy.pattern(r"(\d{1,6})(?:\.(?:json|pickle|pkl|txt))?$")
# Collectives to which all ranks of a group bring equally much; the others may be uneven.
_EVEN = ("all_reduce", "_all_gather_base", "_reduce_scatter_base", "broadcast", "reduce", "allreduce_coalesced")


_PLAIN = (
    pickle.PROTO, pickle.EMPTY_DICT, pickle.EMPTY_LIST, pickle.EMPTY_TUPLE, pickle.MARK, pickle.BINUNICODE,
    pickle.BINGET, pickle.LONG_BINGET, pickle.BINPUT, pickle.LONG_BINPUT, pickle.BININT, pickle.BININT1,
    pickle.BININT2, pickle.LONG1,
    pickle.BINFLOAT, pickle.NONE, pickle.NEWTRUE, pickle.NEWFALSE, pickle.TUPLE, pickle.TUPLE1, pickle.TUPLE2,
    pickle.TUPLE3, pickle.APPEND, pickle.APPENDS, pickle.SETITEM, pickle.SETITEMS, pickle.STOP,
)  # fmt: skip


class _Plain(pickle._Unpickler):
    """An unpickler that knows no opcode but those of plain values (torch/csrc/jit/serialization/pickler.cpp writes no
    others). The unpickler in C cannot be bounded so, and takes memory for as many entries as a memo number says."""

    dispatch = {code[0]: pickle._Unpickler.dispatch[code[0]] for code in _PLAIN}


def dump_source(data: bytes, name: str, path: str = "", pickled: bool = False) -> Source | str:
    """The source of a dump, or why it is none. The number of a line is that of the statement, not of a line in it."""
    note = ""
    try:
        tree, note = _unpickled(data) if pickled else (json.loads(data), "")
    except (ValueError, RecursionError) as error:
        return f"is no dump of collectives ({str(error)[:100]})"
    lines = list(_lines(tree, path or name))
    for number, line in enumerate(lines, 1):
        line.number = number
    return lines_source(lines, name, note, len(data)) if lines else "is no dump of collectives"


def _unpickled(data: bytes) -> tuple[Any, str]:
    """The value in a pickle, and a note. Of one that is cut short, what was built before the cut."""
    reader = _Plain(io.BytesIO(data))
    try:
        return reader.load(), ""
    except EOFError:
        return _built(reader), "is cut: the process ended while it wrote; what was written is shown"
    except KeyError as error:
        raise ValueError("a pickle of more than plain values") from error
    except Exception as error:  # a hostile or damaged pickle raises whatever its wrong use of a value raises
        raise ValueError(f"a damaged pickle: {type(error).__name__}") from error


def _built(reader: Any) -> dict[str, Any]:
    """The outermost mapping of a pickle whose end is missing: its keys and values still lie on the stack."""
    stacks = [*getattr(reader, "metastack", []), getattr(reader, "stack", [])]
    tree: dict[str, Any] = {}
    for stack in stacks:
        for key, value in pairwise(stack):
            if isinstance(key, str) and key in ("version", "pg_config", "pg_status", "comm_lib_version"):
                tree[key] = value
        entries = [item for item in stack if isinstance(item, dict) and "collective_seq_id" in item]
        if entries:
            tree["entries"] = entries
    return tree


def _lines(tree: Any, path: str) -> Iterator[Line]:
    if not isinstance(tree, dict):
        return
    if isinstance(tree.get("communicators"), list):
        yield from (Line(0, text, text) for text in _ras(tree))
    elif isinstance(tree.get("pg_config"), dict) or isinstance(tree.get("entries"), list):
        found = _RANK.search(path)
        rank = name_fields(path).get("rank") or (str(int(found[1])) if found else "")
        yield from _recorder(tree, f"flight recorder of rank {rank or '?'}:")


def _recorder(tree: dict[str, Any], who: str) -> Iterator[Line]:
    config, status = _mapping(tree.get("pg_config")), _mapping(tree.get("pg_status"))
    entries: dict[str, list[dict[str, Any]]] = {}
    for entry in tree.get("entries") or () if isinstance(tree.get("entries"), list) else ():
        if isinstance(entry, dict):
            entries.setdefault(str(entry.get("pg_id")), []).append(entry)
    library = _text(tree.get("comm_lib_version") or tree.get("nccl_version"))
    texts = [(f"version {_text(tree.get('version'))}, NCCL {library}", "")]
    for key in [*status, *(k for k in entries if k not in status)][:_GROUPS]:
        own = entries.get(key, [])
        name, ranks = _group(key, config, own)
        if isinstance(status.get(key), dict):
            texts.append((_standing(name, ranks, status[key]), ""))
        texts += [(_entry(entry, name), _when(entry)) for entry in _around(own)]
    for text, time in texts:
        yield Line(0, f"{who} {text}", f"{who} {text}", {"time": time} if time else {})


def _standing(group: str, ranks: list[int], state: dict[str, Any]) -> str:
    told = [f"{what} {_integer(state.get(f'last_{what}_collective'))}" for what in ("enqueued", "started", "completed")]
    return f"process group {group} of {len(ranks)} ranks ({_spans(ranks)}): last {', '.join(told)}"


def _spans(ranks: list[int]) -> str:
    """`0-7,12` for these ranks."""
    spans: list[list[int]] = []
    for rank in sorted(set(ranks[:_MEMBERS])):
        if spans and rank == spans[-1][1] + 1:
            spans[-1][1] = rank
        else:
            spans.append([rank, rank])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in spans)


def _group(key: str, config: dict[str, Any], entries: list[dict[str, Any]]) -> tuple[str, list[int]]:
    """The name of a group as the log lines spell it, `0(default_pg)`, and its ranks."""
    told = _mapping(config.get(key))
    own = entries[0].get("process_group") if entries else None
    if not told and isinstance(own, list | tuple) and own:
        told = _mapping(config.get(str(own[0]))) or {"name": own[0], "desc": own[-1]}
    name, described = _text(told.get("name") or key), _text(told.get("desc"))
    ranks = [int(rank) for rank in re.findall(r"\d{1,7}", _text(told.get("ranks"), 1 << 20))]
    return f"{name}({described})" if described and described != "undefined" else name, ranks


def _around(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The collectives around the place where a group stands: the last finished ones and the first that are not."""
    collectives = [e for e in entries if not e.get("is_p2p")]
    done = [e for e in collectives if e.get("state") == "completed"]
    pending = [e for e in collectives if e.get("state") != "completed"]
    return [*done[-_DONE:], *pending[:_PENDING]]


def _entry(entry: dict[str, Any], group: str) -> str:
    op = _text(entry.get("profiling_name")).removeprefix("nccl:").split(" ")[0]
    counts = [_count(size) for size in _sequence(entry.get("input_sizes"))]
    amount = f" of {sum(counts)}" if op in _EVEN and counts and None not in counts else ""  # type: ignore[arg-type]
    types = _text(next(iter(_sequence(entry.get("input_dtypes"))), ""))
    limit = _integer(entry.get("timeout_ms"))
    called = _caller(_sequence(entry.get("frames")))
    number, state = _integer(entry.get("collective_seq_id")), _text(entry.get("state"))
    return f"process group {group} collective {number}: {op}{amount} {types} {state}, timeout {limit} ms{called}"


def _caller(frames: list[Any]) -> str:
    """The innermost frame of the program, not of PyTorch."""
    for frame in frames[:100]:
        file = _text(_mapping(frame).get("filename"), 300)
        if file and "/torch/" not in file:
            return f", called in {_text(frame.get('name'))} ({file.rsplit('/', 1)[-1]}:{_integer(frame.get('line'))})"
    return ""


def _when(entry: dict[str, Any]) -> str:
    created = entry.get("time_created_ns")
    if not isinstance(created, int) or not 10**18 < created < 4 * 10**18:
        return ""
    return datetime.fromtimestamp(created / 1e9, UTC).isoformat(timespec="milliseconds")


def _ras(tree: dict[str, Any]) -> Iterator[str]:
    """NCCL's own words (src/ras/client_support.cc) for what the JSON says."""
    yield f"NCCL version {_text(tree.get('nccl_version'))}, RAS of {_text(tree.get('timestamp'))}"
    yield "Group Comms Nodes RanksPerNode RanksPerComm Ranks Status Errors"
    communicators = [_mapping(one) for one in tree["communicators"][:_GROUPS]]
    for number, one in enumerate(communicators):
        yield f"  {number} 1 0 0 {_integer(one.get('size'))} {_integer(one.get('ranks_count'))} RUNNING"
    for number, one in enumerate(communicators):
        ranks = [rank for rank in _sequence(one.get("ranks")) if isinstance(rank, dict)]
        missing = _integer(one.get("missing_ranks_count"))
        counts: dict[str, dict[int, dict[str, Any]]] = {}
        for rank in ranks:
            for op, count in _mapping(rank.get("collective_counts")).items():
                counts.setdefault(_text(op), {}).setdefault(_integer(count), rank)
        apart = [op for op, seen in counts.items() if len(seen) > 1]
        state = " ".join(["MISMATCH"] * bool(apart) + ["INCOMPLETE"] * bool(missing)) or "OK"
        yield f"#{number}-0 ({_text(one.get('hash')).removeprefix('0x')}) {state}"
        for rank in ranks:
            yield f"  {_placed(rank)}"
        for rank in map(_mapping, _sequence(one.get("missing_ranks"))):
            yield f"  Process {_integer(rank.get('pid'))} on node {_text(rank.get('host'))} managing GPU {_index(rank)}"
        for op in apart:
            yield f"  Communicator ranks have different {op} operation counts"
            for rank in ranks:
                count = _integer(_mapping(rank.get("collective_counts")).get(op))
                yield f"  Rank {_integer(rank.get('rank'))} has launched up to operation {count} -- {_gpu(rank)}"


def _placed(rank: dict[str, Any]) -> str:
    return f"Rank {_integer(rank.get('rank'))} -- {_gpu(rank)}"


def _gpu(rank: dict[str, Any]) -> str:
    return f"GPU {_index(rank)} managed by process {_integer(rank.get('pid'))} on node {_text(rank.get('host'))}"


def _index(rank: dict[str, Any]) -> str:
    cuda, nvml = _integer(rank.get("cuda_dev")), _integer(rank.get("nvml_dev"))
    return f"{cuda}" if cuda == nvml else f"{cuda} (NVML {nvml})"


def _count(size: Any) -> int | None:
    """How many values a tensor of this size has."""
    product = 1
    for side in _sequence(size)[:16]:
        product *= max(0, min(_integer(side), 1 << 40))
    return product if isinstance(size, list | tuple) else None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _sequence(value: Any) -> list[Any]:
    return list(value[:4096]) if isinstance(value, list | tuple) else []


def _text(value: Any, most: int = 120) -> str:
    """A short text on one line; nothing of values that are no texts or numbers (they may nest without end)."""
    if isinstance(value, str):
        return " ".join(value[:most].split())
    return str(value) if isinstance(value, int | float) and abs(value) < 1 << 63 else ""


def _integer(value: Any) -> int:
    """A number; -1 for none. JSON spells some as texts."""
    if isinstance(value, str) and value.lstrip("-").isdigit() and len(value) < 20:
        return int(value)
    return value if isinstance(value, int) and abs(value) < 1 << 63 else -1
