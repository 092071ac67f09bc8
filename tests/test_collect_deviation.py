"""When a quantity of a time series leaves its usual range, and when it does not."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from triage import load_library
from triage.collect.deviation import Watcher

IDLE = {
    "pci": "0000:3b:00", "index": 0, "temperature": 34, "power": 77, "power_limit": 700, "clock": 345, "utilization": 0,
    "memory_used": 0, "reasons": 1, "link_gen": 5, "link_width": 16, "replays": 2, "ecc_corrected": 0,
    "ecc_uncorrected": 0, "remapped": 0, "aer_corrected": None, "aer_nonfatal": None, "aer_fatal": None,
}  # fmt: skip
BUSY = {**IDLE, "temperature": 62, "power": 690, "clock": 1600, "utilization": 100, "memory_used": 100_000, "reasons": 4}


def told(*gpus: dict[str, Any], host: dict[str, Any] | None = None, watcher: Watcher | None = None) -> list[str]:
    watcher = watcher or Watcher()
    found = [one for gpu in gpus for one in watcher.take({"gpus": [gpu], "host": host or {}})]
    return [f"{one.where} {one.what}: {one.now}, before {one.before}" for one in found]


def test_a_job_that_starts_and_ends_is_no_deviation() -> None:
    assert told(*[IDLE] * 30, *[BUSY] * 60, *[IDLE] * 30, *[BUSY] * 60) == []


def test_noise_under_load_is_no_deviation() -> None:
    samples = [{**BUSY, "temperature": 62 + n % 5, "clock": 1600 - 15 * (n % 7), "power": 690 - n % 11} for n in range(200)]
    assert told(*samples) == []


def test_heat_is_told_once_when_it_lasts() -> None:
    hot = {**BUSY, "temperature": 80}
    assert told(*[BUSY] * 20, hot, BUSY, hot, *[BUSY] * 5) == []  # single samples
    assert told(*[BUSY] * 20, *[hot] * 50) == ["0000:3b:00 temperature: 80 C, before 62 C"]


def test_clock_and_power_may_fall_only_a_little() -> None:
    slow = {**BUSY, "clock": 1200}
    assert told(*[BUSY] * 20, *[slow] * 5) == ["0000:3b:00 clock: 1200 MHz, before 1600 MHz"]
    assert told(*[BUSY] * 20, *[{**BUSY, "clock": 1900}] * 5) == []  # faster is not worse
    assert told(*[BUSY] * 20, *[{**BUSY, "power": 300}] * 5) == ["0000:3b:00 power: 300 W, before 690 W"]


def test_counters_that_stand_are_no_deviation_and_those_that_rise_are() -> None:
    assert told(IDLE, {**IDLE, "replays": 3}, {**IDLE, "replays": 9}) == ["0000:3b:00 pcie-replays: 3, before 2"]
    assert told(IDLE, {**IDLE, "ecc_uncorrected": 1}) == ["0000:3b:00 ecc-uncorrected: 1, before 0"]
    assert told({**IDLE, "aer_fatal": None}, {**IDLE, "aer_fatal": 4}) == []  # only now readable


def test_the_link_may_sleep_at_idle_but_not_lose_lanes() -> None:
    assert told(BUSY, {**IDLE, "link_gen": 1}, BUSY) == []
    assert told(BUSY, {**BUSY, "link_gen": 3}) == ["0000:3b:00 pcie-speed: 3 (generation), before 5 (generation)"]
    assert told(IDLE, {**IDLE, "link_width": 8}) == ["0000:3b:00 pcie-width: 8 lanes, before 16 lanes"]


def test_reasons_that_hold_the_clock_down() -> None:
    assert told(BUSY, {**BUSY, "reasons": 0x4 | 0x40}, {**BUSY, "reasons": 0x40}, BUSY, {**BUSY, "reasons": 0x40}) == [
        "0000:3b:00 hw-thermal-slowdown: active, before not active",
        "0000:3b:00 hw-thermal-slowdown: active, before not active",  # it was gone in between
    ]


def test_a_gpu_that_is_lost_keeps_its_name() -> None:
    assert told(IDLE, {"index": 0, "error": "GPU is lost"}, {"index": 0, "error": "GPU is lost"}) == [
        "0000:3b:00 gpu-unreadable: GPU is lost, before readable"
    ]
    watcher = Watcher()
    watcher.take({"gpus": [IDLE, {**IDLE, "index": 1, "pci": "0000:5e:00"}], "host": {}})
    assert [(one.what, one.now) for one in watcher.take({"gpus": [IDLE], "host": {}})] == [("gpu-missing", "1")]


def test_the_host() -> None:
    found = told(IDLE, watcher=(watcher := Watcher()), host={"memory_free": 100_000, "xids": 0})
    found += told(IDLE, watcher=watcher, host={"memory_free": 3_000, "xids": 2})
    assert found == ["host xids: 2, before 0", "host host-memory: 3000 MiB, before up to 100000 MiB"]
    assert [one.what for one in watcher.miss("no answer within 30 s")] == ["no-sample"]
    assert watcher.miss("no answer within 30 s") == []


_VALUES = st.one_of(st.none(), st.integers(-1, 2**40))


@given(st.lists(st.fixed_dictionaries({}, optional={key: _VALUES for key in IDLE if key not in ("pci", "index")}), max_size=40))
def test_any_series_is_survived_and_every_deviation_has_a_signature(samples: list[dict[str, Any]]) -> None:
    watcher = Watcher()
    known = set(load_library().signatures)
    for values in samples:
        for one in watcher.take({"gpus": [{"index": 0, "pci": "0000:3b:00", **values}], "host": {"xids": values.get("power")}}):
            assert f"watch-{one.what}" in known
