from __future__ import annotations

import pytest

from triage import load_library
from triage.incidents import Group
from triage.joins import holds
from triage.library.library import Link
from triage.model import Entities, Line, Match, Record

LIBRARY = load_library()


def group(id: str, source: str = "a.log", **entities: object) -> Group:
    record = Record(source, "text", [Line(1, "x", "x")], "x", [0])
    found: Entities = dict(entities)  # type: ignore[arg-type]
    return Group(LIBRARY.signatures[id], [Match(id, record, (0, 1), {})], [None], found)


def link(cause: str, effect: str) -> Link:
    return next(
        one for one in LIBRARY.links
        if cause in [name for name, _ in one.cause] and effect in [name for name, _ in one.effect]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mine", "other", "strength"),
    [
        ({"pid": 7, "host": "a"}, {"pid": 7, "host": "a"}, "sure"),
        ({"pid": 7, "host": "a"}, {"pid": 7, "host": "b"}, ""),
        ({"process": "/opt/venv/bin/python3.12"}, {"process": "python"}, "usual"),
        ({"rank": 1}, {"rank": 1}, "usual"),
    ],
)
def test_a_killed_process_is_joined_by_pid_or_by_name_on_its_host(
    mine: dict[str, object], other: dict[str, object], strength: str
) -> None:
    found = link("host-oom-kill", "process-killed")
    assert holds(found, group("host-oom-kill", **mine), group("process-killed", "b.log", **other)) == strength


def test_a_pid_that_contradicts_parts_them_where_both_count_alike() -> None:
    found = link("host-oom-kill", "process-killed")
    cause, effect = group("host-oom-kill", pid=7, process="python"), group("process-killed", pid=8, process="python")
    assert holds(found, cause, effect, one_namespace=True) == ""


@pytest.mark.parametrize(("cause", "effect"), [("xid-31", "xid-13"), ("xid-13", "xid-43"), ("xid-69", "xid-45")])
def test_faults_of_two_programs_on_one_gpu_are_two(cause: str, effect: str) -> None:
    one = link(cause, effect)
    place = {"host": "a", "pci": "0000:00:06"}
    assert holds(one, group(cause, pid=1952, **place), group(effect, pid=1952, **place))
    assert holds(one, group(cause, pid=1952, **place), group(effect, **place))
    assert not holds(one, group(cause, pid=1952, **place), group(effect, pid=2026, **place))
