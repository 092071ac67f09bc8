from test_incidents import groups

from triage.incidents import Group, split
from triage.ranking import order, rank


def judged(*entries: tuple[str, str, dict[str, str]], roles: str = "", severities: str = "") -> list[Group]:
    """Groups with a role each (c, s or r: cause, symptom, carrier) and a severity (w, e or f)."""
    made = groups(*entries)
    names = {"c": "cause", "s": "symptom", "r": "carrier", "w": "warning", "e": "error", "f": "fatal"}
    for i, one in enumerate(made):
        one.role = names[roles[i]] if roles else "cause"
        one.severity = names[severities[i]] if severities else "error"
    return made


def join(cause: Group, effect: Group) -> None:
    cause.explains.append(effect)
    effect.explained_by.append(cause)


def test_a_cause_comes_before_an_earlier_symptom() -> None:
    symptom, cause = judged(("a", "2025-03-11 10:00:00", {}), ("b", "2025-03-11 10:00:05", {}), roles="sc")
    assert rank([symptom, cause]) == [cause, symptom]
    assert (symptom.role, symptom.confidence) == ("cause", "possible")


def test_a_warning_comes_after_an_error() -> None:
    warning, error = judged(("a", "2025-03-11 10:00:00", {}), ("b", "2025-03-11 10:00:05", {}), severities="we")
    assert rank([warning, error])[0] is error


def test_of_two_equal_roots_the_earlier_one_comes_first_whatever_the_order_of_the_files() -> None:
    late, early = judged(("a", "2025-03-11 10:00:05", {"pci": "1"}), ("a", "2025-03-11 10:00:00", {"pci": "2"}))
    assert rank([late, early]) == rank([early, late]) == [early, late]


def test_an_unexplained_carrier_is_unknown_only_without_a_root() -> None:
    carrier, other = judged(("a", "", {}), ("b", "", {}), roles="rr")
    assert rank([carrier, other])[0].role == "unknown"
    cause, carrier = judged(("a", "", {}), ("b", "", {}), roles="cr")
    assert [g.role for g in rank([carrier, cause])] == ["cause", "carrier"]


def test_effects_follow_the_roots() -> None:
    first, effect, second = judged(
        ("a", "2025-03-11 10:00:00", {"pci": "1"}), ("b", "2025-03-11 10:00:09", {}), ("a", "2025-03-11 10:00:01", {"pci": "2"}),
    )  # fmt: skip
    join(second, effect)
    effect.role = "symptom"
    assert rank([first, effect, second]) == [first, second, effect]


def test_the_incident_that_ended_the_job_is_the_main_one() -> None:
    made = judged(("a", "2025-03-04 10:00:00", {}), ("b", "2025-03-11 10:00:00", {}), ("a", "2025-03-12 10:00:00", {}))
    for machine in (made[0], made[2]):
        machine.matches[0].record.format = "kernel"
    main, others, earlier = order(split(made))
    assert main == [made[1]]
    assert others == [[made[2]]]
    assert earlier == [[made[0]]]


def test_of_a_machine_alone_the_last_incident_counts() -> None:
    made = judged(("a", "1000.5", {}), ("a", "9000.5", {}), severities="ee")
    for one in made:
        one.matches[0].record.format = "kernel"
    main, others, earlier = order(split(made))
    assert (main, others, earlier) == ([made[1]], [], [[made[0]]])


def test_nothing_is_no_incident() -> None:
    assert order([]) == ([], [], [])
