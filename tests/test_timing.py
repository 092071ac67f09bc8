import pytest
from test_incidents import groups

from triage.incidents import Group
from triage.library.library import Link
from triage.timing import settled, timely


def link(window: tuple[float, float] | None = (-5, 60), until: str = "") -> Link:
    return Link(
        cause=[("a", "")], effect=[("b", "")], relation="explains", join=[], window=window, until=until, strength="sure",
        otherwise={}, why="", path="", line=1,
    )  # fmt: skip


def pair(cause: str, effect: str, machine: bool = True) -> tuple[Group, Group]:
    a, b = groups(("a", cause, {}), ("b", effect, {}))
    a.matches[0].record.source = "kern.log"
    a.matches[0].record.format = "kernel" if machine else "text"
    return a, b


@pytest.mark.parametrize(
    ("cause", "effect", "verdict"),
    [
        ("2025-03-11 10:00:00", "2025-03-11 10:00:30", True),
        ("2025-03-11 10:00:00", "2025-03-11 10:20:00", False),
        ("2025-03-11 12:00:00", "2025-03-11 10:00:30", None),  # perhaps a host in UTC+2
        ("2025-03-11 15:30:00", "2025-03-11 10:00:30", None),  # perhaps India
        ("2025-03-11 12:10:00", "2025-03-11 10:00:30", False),
        ("2025-03-09 10:00:00", "2025-03-11 10:00:30", False),
        ("2025-03-11 12:00:00Z", "2025-03-11 10:00:30Z", False),
        ("812.345678", "2025-03-11 10:00:30", None),
    ],
)
def test_windows_across_zones(cause: str, effect: str, verdict: bool | None) -> None:
    assert timely(link(), *pair(cause, effect)) is verdict


def test_two_logs_of_the_job_are_on_one_clock() -> None:
    assert timely(link(), *pair("2025-03-11 12:00:00", "2025-03-11 10:00:30", machine=False)) is False


def test_a_time_between_two_stamps_may_fit() -> None:
    a, b = pair("2025-03-11 10:05:00", "2025-03-11 10:00:00", machine=False)
    assert timely(link(), a, b) is False
    b.loose = (0.0, 600.0)
    assert timely(link(), a, b) is None


def test_links_without_window_or_end_know_no_time() -> None:
    assert timely(link(None), *pair("2025-03-11 10:00:00", "2025-03-11 10:00:30")) is None
    assert timely(link(None, "reset"), *pair("2025-03-11 10:00:00", "2025-03-13 10:00:30")) is True


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [
        ("2025-02-01 00:10:11", "2025-02-09 13:10:11", [1]),
        ("2025-02-09 12:30:00", "2025-02-09 13:10:11", [0, 1]),  # a collective may have waited that long
        ("2025-02-01 00:10:11", "2025-02-09 13:10:11Z", [0, 1]),  # two clocks
    ],
)
def test_of_causes_of_what_has_no_time_an_old_one_does_not_count(first: str, second: str, kept: list[int]) -> None:
    *causes, effect = groups(("a", first, {"pci": "1"}), ("a", second, {"pci": "2"}), ("b", "", {}))
    effect.times, effect.matches[0].record.source = [None], "job.log"
    edges = [(cause, effect, "sure", link()) for cause in causes]
    assert [edge[0] for edge in settled(edges)] == [causes[i] for i in kept]


def test_of_causes_on_a_clock_of_their_own_the_last_counts() -> None:
    old, new, effect = groups(("a", "2000.5", {"pci": "1"}), ("a", "90000.5", {"pci": "2"}), ("b", "", {}))
    effect.matches[0].record.source = "job.log"
    edges = [(old, effect, "sure", link()), (new, effect, "sure", link())]
    assert [edge[0] for edge in settled(edges)] == [new]
    lasting = [(old, effect, "sure", link(None, "fixed")), (new, effect, "sure", link(None, "fixed"))]
    assert settled(lasting) == lasting


def test_who_fits_the_clock_comes_before_who_fits_another_zone() -> None:
    shifted, exact, effect = groups(
        ("a", "2025-03-11 07:00:00", {"pci": "1"}), ("a", "2025-03-11 10:00:00", {"pci": "2"}), ("b", "2025-03-11 10:00:30", {}),
    )  # fmt: skip
    shifted.matches[0].record.source, shifted.matches[0].record.format = "kern.log", "kernel"
    edges = [(shifted, effect, "sure", link()), (exact, effect, "sure", link())]
    assert settled(edges[:1]) == edges[:1]
    assert [edge[0] for edge in settled(edges)] == [exact]


@pytest.mark.parametrize(("until", "days", "verdict"), [("timeout", 8, False), ("exit", 8, False), ("reset", 8, True), ("timeout", 0, True)])
def test_how_long_a_link_lasts(until: str, days: int, verdict: bool) -> None:
    cause, effect = pair(f"2025-03-{11 - days:02} 10:00:00", "2025-03-11 10:10:05", machine=False)
    effect.entities["timeout_ms"] = 600000
    assert timely(link(None, until), cause, effect) is verdict
