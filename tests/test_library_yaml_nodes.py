from triage.library.yaml_nodes import at, duplicates, line_of, read_yaml


def test_lines_of_places() -> None:
    _, node = read_yaml("id: x\nmatch:\n  - {regex: a}\n  - regex: b\n    types: {n: int}\n")
    assert line_of(node, ("match",)) == 2
    assert line_of(node, ("match", 1, "types")) == 5
    assert line_of(node, ("match", 1, "Pattern", "types", "gone")) == 5
    assert line_of(None, ("a",)) == 1


def test_keys_that_stand_twice() -> None:
    _, node = read_yaml("a: 1\nb: {c: 1, c: 2}\na: 2\n")
    assert sorted(duplicates(node)) == [("a", 3), ("c", 2)]


def test_the_node_of_a_place() -> None:
    _, node = read_yaml("match:\n  - {regex: a}\n")
    assert at(node, "match", 0, "regex").value == "a"  # type: ignore[union-attr]
    assert at(node, "gone") is None
