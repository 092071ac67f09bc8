"""Cooling: the air that carries the heat away, and how warm it gets.

All electric power becomes heat: dT = P / (rho cp V). With air of about 20 C at sea level, rho cp = 1206 J/(m3 K), so
V [m3/h] = 2.985 P [W] / dT [K] (3600 / 1206). Air is thinner above: rho(h) / rho(0) = (1 - 2.25577e-5 h)^4.2559 of the
standard atmosphere (ISO 2533). 1 cubic foot a minute is 1.699 m3/h. In a case a fan moves about half of its free-air
figure (static pressure; judgement).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from triage.estimate.quantities import Unsuitable, not_negative, positive, share

HEAT_CAPACITY = 1206.0  # J/(m3 K)
M3H_PER_CFM = 1.69901
_WARM, _HOT, _ABSURD = 20.0, 30.0, 100.0  # K between inlet and outlet

ASSUMES = (
    "all air passes the cards and none comes back from the outlet",
    "air of about 20 C; the room must take the same heat away",
)
SOURCES = ("https://www.iso.org/standard/7472.html",)


@dataclass(frozen=True, slots=True)
class Heat:
    """`flow_m3h` asks for the rise that this air gives, else `rise_kelvin` for the air that it needs.

    `fan_m3h` is the free-air figure of one fan, of which `fan_share` is left inside a case.
    """

    heat_watts: float
    rise_kelvin: float = 15.0
    flow_m3h: float | None = None
    fan_m3h: float | None = None
    fan_share: float = 0.5
    altitude_meters: float = 0
    inlet_celsius: float = 25.0

    def __post_init__(self) -> None:
        positive(heat_watts=self.heat_watts, rise_kelvin=self.rise_kelvin, flow_m3h=self.flow_m3h, fan_m3h=self.fan_m3h)
        not_negative(altitude_meters=self.altitude_meters)
        share(fan_share=self.fan_share)
        if self.altitude_meters > 9000:
            raise Unsuitable("altitude_meters", "must be at most 9000")


@dataclass(frozen=True, slots=True)
class Air:
    """Flow and rise belong together; `fans` is None where no fan was named."""

    FORMULAS: ClassVar[dict[str, str]] = {
        "flow_m3h": "3600 P / (rho cp dT)",
        "rise_kelvin": "3600 P / (rho cp V)",
        "fans": "flow / (free air x share)",
    }
    heat_capacity_j_per_m3k: float
    flow_m3h: float
    flow_cfm: float
    rise_kelvin: float
    outlet_celsius: float
    fans: int | None
    fits: bool
    answer: str


def heat_capacity(altitude_meters: float = 0) -> float:
    """J/(m3 K) of air at that height above the sea."""
    return float(HEAT_CAPACITY * (1 - 2.25577e-5 * altitude_meters) ** 4.2559)


def _judge(rise: float) -> str:
    if rise > _ABSURD:
        return "no machine runs like this: check the air flow and its unit"
    if rise > _HOT:
        return "too little air: cards far back in the stream throttle"
    return "warm: the last cards in the stream get little cooling" if rise > _WARM else "enough"


def air(heat: Heat) -> Air:
    """The air flow that keeps the rise, or the rise that an air flow gives."""
    capacity = heat_capacity(heat.altitude_meters)
    product = 3600 * heat.heat_watts / capacity  # m3/h x K
    flow = heat.flow_m3h if heat.flow_m3h is not None else product / heat.rise_kelvin
    rise = product / flow
    fans = None if heat.fan_m3h is None else math.ceil(flow / (heat.fan_m3h * heat.fan_share))
    told = f"{flow:.4g} m3/h ({flow / M3H_PER_CFM:.3g} CFM) carry {heat.heat_watts:.0f} W with a rise of {rise:.0f} K"
    return Air(
        capacity, flow, flow / M3H_PER_CFM, rise, heat.inlet_celsius + rise, fans, rise <= _HOT,
        f"{told}: {_judge(rise)}",
    )  # fmt: skip
