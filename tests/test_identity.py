from triage.identity import Identities, merge, union, values
from triage.model import Entities, Line, Match, Record


def match(**entities: str | int) -> Match:
    record = Record("log", "text", [Line(1, "x", "x")], "x", [0])
    return Match("fact", record, (0, 1), dict(entities))


FACTS = [
    match(host="node07", pid=2571, rank=0, gpu=0, pci="0000:00:06"),
    match(host="node07", pid=2572, rank=1, gpu=1, pci="0000:00:07"),
    match(pci="0000:00:07", gpu_uuid="GPU-ae173600"),
]


def test_a_pid_leads_to_rank_address_and_uuid() -> None:
    entities = {"pid": 2572, "xid": 31}
    Identities(FACTS).complete(entities)
    assert entities == {
        "pid": 2572,
        "xid": 31,
        "rank": 1,
        "gpu": 1,
        "pci": "0000:00:07",
        "host": "node07",
        "gpu_uuid": "GPU-ae173600",
    }


def test_what_is_ambiguous_brings_nothing() -> None:
    entities = {"rank": 0}
    Identities([match(rank=0, pci="0000:00:06"), match(rank=0, pci="0000:00:09")]).complete(entities)
    assert entities == {"rank": 0}


def test_another_host_is_not_the_same_rank_twice() -> None:
    entities = {"host": "node08", "pid": 2571}
    Identities(FACTS).complete(entities)
    assert entities == {"host": "node08", "pid": 2571}


def test_a_gpu_is_known_by_its_uuid_or_rank() -> None:
    table = Identities(FACTS)
    assert table.is_gpu("0000:00:07")
    assert not table.is_gpu("0000:5e:00")


def test_merging_makes_lists_and_leaves_helpers_out() -> None:
    into = {"rank": 1}
    merge(into, {"rank": 1, "pid": 5, "_last": 3})
    merge(into, {"rank": 2})
    assert into == {"rank": [1, 2], "pid": 5}
    assert values(into, "rank") == {1, 2}
    assert union([{"rank": 1}, {"rank": [2, 3]}]) == {"rank": [1, 2, 3]}


def test_an_index_of_another_view_does_not_contradict() -> None:
    entities = {"rank": 1, "gpu": 0}  # CUDA_VISIBLE_DEVICES=1: the process counts from 0
    Identities(FACTS).complete(entities)
    assert entities["pci"] == "0000:00:07"
    assert entities["gpu"] == 0


def test_all_ranks_of_a_large_job_are_kept_and_of_pids_as_many_as_one_reads() -> None:
    into: Entities = {}
    for number in range(1000):
        merge(into, {"rank": number, "pid": number})
    assert len(values(into, "rank")) == 1000
    assert len(values(into, "pid")) == 64


def test_the_only_gpu_is_the_one_that_is_meant() -> None:
    entities = {"host": "n1"}
    Identities([match(gpu=0, gpu_uuid="GPU-1", gpu_model="A10")]).name_only_gpu(entities)
    assert entities == {"host": "n1", "gpu": 0, "gpu_uuid": "GPU-1", "gpu_model": "A10"}
    several = {"host": "n1"}
    Identities([match(gpu=0, gpu_uuid="GPU-1"), match(gpu=1, gpu_uuid="GPU-2")]).name_only_gpu(several)
    assert several == {"host": "n1"}


def test_a_gpu_brings_the_rank_that_runs_on_it() -> None:
    entities = {"host": "node07", "pci": "0000:3b:00"}
    Identities(
        [match(host="node07", pci="0000:3b:00", rank=5), match(host="node08", pci="0000:3b:00", rank=13)]
    ).complete(entities)
    assert entities["rank"] == 5
