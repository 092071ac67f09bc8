"""Power: whether supplies, cables and the mains circuit carry a machine with GPUs.

The sum of all boards, the CPUs and the rest stays within 80 % of the supplies; transients and the wall are separate
questions. Sources: Intel ATX12VO and ATX 3.0 design guides, table 3-3 (a supply over 450 W with a 12VHPWR connector
carries 200 % for 100 us, 180 % for 1 ms, 160 % for 10 ms, 120 % for 100 ms; others 150, 145, 135, 110 %) and 3.2 (75 W
for 6 pins, 150 W for 8 pins, 600 W for 12VHPWR; the slot gives 75 W); 80 PLUS Platinum at 115 V (89 to 92 %); the 80 %
of a circuit for continuous load is the NEC's (210.20). Transients of 1.5 to 2 times the board limit for milliseconds
are what reviewers measured on RTX 3090 and 4090 cards; the larger is taken (judgement).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from triage.estimate.quantities import Unsuitable, not_negative, positive, share, whole

CONNECTOR_WATTS = {"slot": 75, "6pin": 75, "8pin": 150, "12vhpwr": 600, "12v2x6": 600}
LOAD_SHARE = 0.8  # of the rating that a supply carries for long
PEAK_SHARES = {True: 1.8, False: 1.45}  # of the rating for 1 ms: of supplies built for ATX 3 and of others

ASSUMES = (
    "every GPU at its board limit and every CPU at its own, at the same time",
    "the load is spread over the supplies as their ratings are; never join the 12 V of two supplies on one card",
)
SOURCES = (
    "https://edc.intel.com/content/www/us/en/design/products-and-solutions/processors-and-chipsets/alder-lake-s/"
    "atx12vo-12v-only-desktop-power-supply-design-guide/2.1/dc-output-current-required/",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """`rest_share` of boards and CPUs is for mainboard, memory, drives and fans; `connectors` are those of one card and
    its slot; `atx3` says that the supplies are built for the excursions of ATX 3."""

    gpus: int
    board_watts: float
    psu_watts: tuple[float, ...]
    cpu_watts: float = 0
    rest_share: float = 0.1
    peak_factor: float = 2.0
    atx3: bool = False
    connectors: tuple[str, ...] = ()
    efficiency: float = 0.9
    mains_volts: float | None = None
    mains_amps: float | None = None

    def __post_init__(self) -> None:
        whole(gpus=self.gpus)
        positive(board_watts=self.board_watts, mains_volts=self.mains_volts, mains_amps=self.mains_amps)
        not_negative(cpu_watts=self.cpu_watts, rest_share=self.rest_share)
        share(efficiency=self.efficiency)
        if not self.psu_watts:
            raise Unsuitable("psu_watts", "is needed: the rating of each supply")
        for watts in self.psu_watts:
            positive(psu_watts=watts)
        if self.peak_factor < 1:
            raise Unsuitable("peak_factor", "must be 1 or more")
        for name in self.connectors:
            if name not in CONNECTOR_WATTS:
                raise Unsuitable("connectors", f"holds {name!r}; known are {', '.join(CONNECTOR_WATTS)}")
        if (self.mains_volts is None) != (self.mains_amps is None):
            raise Unsuitable("mains_volts", "and --mains-amps belong together")


@dataclass(frozen=True, slots=True)
class Budget:
    """The load against what carries it. `*_ok` are None where nothing was asked."""

    FORMULAS: ClassVar[dict[str, str]] = {
        "boards_watts": "GPUs x board limit",
        "load_watts": "(boards + CPUs) x (1 + rest)",
        "allowed_watts": "80 % of all supplies",
        "peak_watts": "load with boards x peak factor",
        "peak_allowed_watts": "145 % of all supplies for 1 ms, ATX 3: 180 %",
        "connectors_watts": "sum for one card",
        "wall_watts": "load / efficiency",
        "circuit_watts": "volts x amps",
        "circuit_allowed_watts": "80 % for continuous load",
        "boards_kwh_per_year": "boards at their limit for 8760 h",
    }
    boards_watts: float
    load_watts: float
    allowed_watts: float
    spare_watts: float
    load_ok: bool
    peak_watts: float
    peak_allowed_watts: float
    peak_ok: bool
    connectors_watts: float | None
    connectors_ok: bool | None
    wall_watts: float
    circuit_watts: float | None
    circuit_allowed_watts: float | None
    circuit_ok: bool | None
    boards_kwh_per_year: float
    fits: bool
    answer: str


def budget(machine: Machine) -> Budget:
    """The load of `machine`, sustained, for a millisecond, at each card's connectors and at the wall."""
    boards = machine.gpus * machine.board_watts
    load = (boards + machine.cpu_watts) * (1 + machine.rest_share)
    supplies = sum(machine.psu_watts)
    allowed, peak_allowed = LOAD_SHARE * supplies, PEAK_SHARES[machine.atx3] * supplies
    peak = load + boards * (machine.peak_factor - 1)
    cables = float(sum(CONNECTOR_WATTS[name] for name in machine.connectors)) if machine.connectors else None
    wall = load / machine.efficiency
    circuit = machine.mains_volts * machine.mains_amps if machine.mains_volts and machine.mains_amps else None
    continuous = None if circuit is None else LOAD_SHARE * circuit
    failed = [
        f"{value:.0f} W {where}, {limit:.0f} W at most"
        for value, limit, where in (
            (load, allowed, "of load on the supplies"), (peak, peak_allowed, "of peaks on the supplies"),
            (machine.board_watts, cables, "through the connectors of a card"), (wall, continuous, "at the wall"),
        ) if limit is not None and value > limit
    ]  # fmt: skip
    spare = f"fits, {allowed - load:.0f} W to spare on the supplies"
    answer = f"does not fit: {'; '.join(failed)}" if failed else spare
    return Budget(
        boards, load, allowed, allowed - load, load <= allowed, peak, peak_allowed, peak <= peak_allowed,
        cables, None if cables is None else machine.board_watts <= cables,
        wall, circuit, continuous, None if continuous is None else wall <= continuous,
        boards * 8.76, not failed, answer,
    )  # fmt: skip
