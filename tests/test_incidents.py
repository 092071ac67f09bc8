from triage.clock import parse
from triage.identity import Identities
from triage.incidents import distance, gap, group, split, stamps
from triage.library.library import Library, Signature
from triage.model import Line, Match, Record


def signature(name: str, role: str = "cause") -> Signature:
    return Signature(
        id=name, family="", path="", line=1, title=name, severity="error", role=role, status="stable", confidence="likely",
        action="none", action_vendor="", key=["host", "pci"], match=[], let={}, where=[], unless=[], refines=[],
        fallback=False, promote=[], readings=[], derive=None, means="", title_zh="", summary_zh="", playbook="",
        recheck=[], sources=[], basis="",
    )  # fmt: skip


LIBRARY = Library(signatures={name: signature(name) for name in ("a", "b")} | {"note": signature("note", "context")})


def record(time: str, source: str = "log", number: int = 1) -> Record:
    return Record(source, "text", [Line(number, "x", "x")], "x", [0], parse(time) if time else None)


def groups(*entries: tuple[str, str, dict[str, str]]):
    matches = [Match(name, record(time), (0, 1), dict(entities), i) for i, (name, time, entities) in enumerate(entries)]
    return group(matches, LIBRARY, stamps([m.record for m in matches]), Identities(matches))


def test_one_fault_on_one_device_is_one_group() -> None:
    made = groups(
        ("a", "2025-03-11 10:00:00", {"pci": "0000:3b:00"}),
        ("a", "2025-03-11 10:00:30", {"pci": "0000:3b:00"}),
        ("a", "2025-03-11 10:00:31", {"pci": "0000:5e:00"}),
    )
    assert [len(g.matches) for g in made] == [2, 1]


def test_three_minutes_of_silence_start_a_new_group() -> None:
    made = groups(("a", "2025-03-11 10:00:00", {}), ("a", "2025-03-11 10:02:59", {}), ("a", "2025-03-11 10:06:01", {}))
    assert [len(g.matches) for g in made] == [2, 1]


def test_a_nameless_match_joins_the_only_device() -> None:
    assert len(groups(("a", "", {"pci": "0000:3b:00"}), ("a", "", {}))) == 1
    assert len(groups(("a", "", {"pci": "0000:3b:00"}), ("a", "", {"pci": "0000:5e:00"}), ("a", "", {}))) == 3


def test_facts_are_one_group() -> None:
    assert len(groups(("note", "", {"pci": "0000:3b:00"}), ("note", "", {"pci": "0000:5e:00"}))) == 1


def test_gaps_are_known_on_one_clock_only() -> None:
    a, b, c = groups(
        ("a", "2025-03-11 10:00:00", {"pci": "1"}),
        ("a", "2025-03-11 10:00:07", {"pci": "2"}),
        ("b", "812.345678", {"pci": "3"}),
    )
    assert gap(a, b) == 7
    assert distance(b, a) == 7
    assert gap(a, c) is None


def test_incidents_are_parted_by_silence_and_joined_by_links() -> None:
    made = groups(
        ("a", "2025-03-11 10:00:00", {"pci": "1"}),
        ("a", "2025-03-11 10:30:00", {"pci": "2"}),
        ("b", "2025-03-11 10:31:00", {"pci": "3"}),
    )
    assert sorted(len(p) for p in split(made)) == [1, 2]
    made[0].explains.append(made[1])
    assert [len(p) for p in split(made)] == [3]


def test_a_record_without_a_stamp_has_the_time_of_the_line_before() -> None:
    first, second, third = record(""), record("2025-03-11 10:00:00"), record("")
    times = stamps([first, second, third])
    assert times[id(third)] == times[id(second)] == times[id(first)]


def test_what_has_no_stamp_may_have_been_later_or_earlier() -> None:
    first, second, third, fourth, fifth = (
        record(t) for t in ("", "2025-03-11 10:00:00", "", "2025-03-11 10:10:00", "")
    )
    times = stamps([first, second, third, fourth, fifth])
    assert times.loose == {id(first): (3600.0, 0.0), id(third): (0.0, 600.0), id(fifth): (0.0, 3600.0)}


def test_the_last_time_is_on_the_clock_of_the_first() -> None:
    (one,) = groups(("a", "2025-03-11 10:00:00", {}), ("a", "[   12.500000]", {}))
    assert one.last == one.first


def test_matches_of_several_files_stand_in_the_order_of_their_times() -> None:
    late, early = record("2025-03-11 10:00:20", "a"), record("2025-03-11 10:00:00", "b")
    matches = [Match("a", late, (0, 1), {}, 0), Match("a", early, (0, 1), {}, 1)]
    (one,) = group(matches, LIBRARY, stamps([late, early]), Identities(matches))
    assert (one.first, one.last) == (early.time, late.time)


def test_other_processes_on_the_same_gpu_are_named() -> None:
    made = groups(
        ("a", "2025-03-11 10:00:00", {"pci": "0000:3b:00", "xid": 31, "pid": 5}),
        ("b", "2025-03-11 10:00:01", {"pci": "0000:3b:00", "xid": 13, "pid": 7}),
        ("b", "2025-03-11 10:00:01", {"pci": "0000:5e:00", "xid": 13, "pid": 9}),
    )
    assert [g.entities.get("other_pid") for g in made] == [7, 5, None]
