"""Floods are thinned out, no kind of line or device in them is lost, and all are counted."""

from __future__ import annotations

from triage.model import Block, Line, Record
from triage.storms import FEW, FLOOD, STORM, Storms
from triage.tally import keys_of


def block_of(lines: list[str], first: int = 1) -> Block:
    def read(block: Block, start: int, end: int) -> list[Line]:
        return [Line(n, row.decode(), row.decode()) for n, row in list(zip(block.numbers, block.rows, strict=True))[start:end]]

    return Block("\n".join(lines).encode(), range(first, first + len(lines)), read)


def looked_at(storms: Storms, lines: list[str], anchor: int = 3, first: int = 1) -> list[int]:
    """The numbers of the lines, all of them hits, that are looked at and read."""
    block = block_of(lines, first)
    wanted = storms.wanted(dict.fromkeys(range(len(lines)), anchor), keys_of(block), block)
    storms.read([(i, i + 1) for i in wanted], block)
    return [first + i for i in wanted]


def records(lines: list[str], numbers: list[int]) -> list[Record]:
    return [Record("log", "text", [Line(n, lines[n - 1], lines[n - 1])], lines[n - 1], [0]) for n in numbers]


def test_the_first_and_the_last_of_each_block_are_looked_at() -> None:
    storms, lines = Storms(), [f"[{i}.5] GPU lost" for i in range(3000)]
    assert looked_at(storms, lines) == [*range(1, STORM + 1), 3000]
    assert looked_at(storms, lines, first=3001) == [6000]
    assert [(kind.count, kind.first, kind.last, kind.sample) for kind in storms.kinds] == [(6000, 1, 6000, "[0.5] GPU lost")]


def test_other_words_are_the_same_flood_only_later() -> None:
    lines = [f"lost {'ghijklmnop'[i % 10]}{'qrstuvwxyz'[i // 10 % 10]}{'ghijklmnop'[i // 100 % 10]}" for i in range(5000)]
    assert looked_at(Storms(), lines) == [*range(1, FLOOD + 1), 5000]


def test_a_code_and_a_device_are_not_hidden() -> None:
    lines = [f"NVRM: Xid (PCI:0000:3b:00): {45 if i == 700 else 43}, pid={i}" for i in range(1000)]
    lines[900] = "NVRM: Xid (PCI:0000:af:00): 43, pid=900"
    assert set(looked_at(Storms(), lines)) >= {701, 901}
    many = [f"NVRM: Xid (PCI:0000:{i % 8:02x}:00): 43, pid={i}" for i in range(8000)]
    assert len(looked_at(Storms(), many)) <= STORM + 8 * FEW + 8


def test_facts_are_thinned_by_themselves() -> None:
    storms = Storms()
    lines = [f"link {w} up" for w in ("x", "yy", "zz")] * 400
    assert looked_at(storms, lines, anchor=-2) == list(range(1, STORM + 1))
    assert looked_at(storms, ["rank 3 is busid 3b000"], anchor=-5) == [1]
    assert looked_at(storms, lines, anchor=-2, first=1201) == []
    assert [line.number for line in storms.latest()] == [2400]
    found = records(lines * 2, [1, 2400])
    storms.note(found)
    assert found[-1].fields["_repeats"] == 2400 - STORM - 1


def test_what_was_left_out_is_told_by_the_last_record_of_each_device() -> None:
    storms = Storms()
    lines = [f"NVRM: Xid (PCI:0000:{'3b' if i % 4 else 'af'}:00): 43, pid={i}" for i in range(4000)]
    numbers = looked_at(storms, lines)
    found = records(lines, numbers)
    storms.note(found)
    for device, count in (("3b", 3000), ("af", 1000)):
        own = [record for record in found if device in record.text]
        assert len(own) + sum(int(record.fields.get("_repeats", 0)) for record in own) == count
        assert "_repeats" in own[-1].fields
        assert all("_storm" in record.fields for record in own)


def test_a_record_of_many_hits_is_repeated_as_often_as_its_commonest_line() -> None:
    storms = Storms()
    lines = ["AER: error received", "  [20] UnsupReq"] * 1000
    numbers = looked_at(storms, lines)
    pairs = [(n, n + 1) for n in numbers if n % 2 and n + 1 in numbers]
    whole = [Record("log", "kernel", [Line(n, lines[n - 1], "") for n in pair], "", [0, 9]) for pair in pairs]
    storms.note(whole)
    assert whole[-1].fields["_repeats"] == 2000 - len(numbers)
