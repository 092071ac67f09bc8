import pytest

from triage.library.shelf import Shelf


def test_entries_are_made_once_and_only_when_asked_for() -> None:
    made: list[int] = []
    loads: list[int] = []

    def load() -> dict[str, int]:
        loads.append(1)
        return {"a": 1, "b": 2}

    shelf = Shelf(load, lambda data: made.append(data) or data * 10)
    assert loads == []
    assert len(shelf) == 2
    assert "a" in shelf
    assert "c" not in shelf
    assert list(shelf) == ["a", "b"]
    assert made == []
    assert (shelf["b"], shelf["b"]) == (20, 20)
    assert (made, loads) == ([2], [1])
    with pytest.raises(KeyError):
        shelf["c"]
    assert shelf.get("c") is None


def test_entries_can_be_put_and_taken() -> None:
    shelf: Shelf[str] = Shelf()
    shelf["x"] = "new"
    assert dict(shelf) == {"x": "new"}
    del shelf["x"]
    assert not shelf
    with pytest.raises(KeyError):
        shelf["x"]
