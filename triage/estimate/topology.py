"""Lanes and sockets: how many GPUs get which link, and what they share.

A link trains to a whole width (1, 2, 4, 8, 16 lanes), so lanes are never averaged over cards: a card has a slot of its
own or sits behind a switch whose uplink it shares. Cards on different sockets reach each other over the link between
the sockets (`SYS` of `nvidia-smi topo -m`). Source: nvidia-smi(1), legend of `topo`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from triage.estimate.pcie import bandwidth, known
from triage.estimate.quantities import Unsuitable, whole

ASSUMES = (
    "every lane of a socket that is not reserved can reach a GPU slot; the board's manual says what it really wires",
    "a switch is joined by 16 lanes; cards behind it reach each other without the uplink",
)
SOURCES = ("https://docs.nvidia.com/deploy/nvidia-smi/index.html",)
_UPLINK = 16


@dataclass(frozen=True, slots=True)
class Board:
    """`lanes` of each socket (CPU data sheet, not chipset), of which `reserved` go to network and drives."""

    gpus: int
    sockets: int = 1
    lanes: int = 64
    reserved: int = 0
    generation: int = 4

    def __post_init__(self) -> None:
        whole(gpus=self.gpus, sockets=self.sockets, lanes=self.lanes)
        if not 0 <= self.reserved < self.lanes:
            raise Unsuitable("reserved", f"must be 0 or more and below --lanes ({self.lanes})")
        known(self.generation)


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to join the cards; `each_gb_per_s` is what a card gets in one direction when all move data at once."""

    layout: str
    fits: bool
    cards_per_socket: str
    alone_gb_per_s: float
    each_gb_per_s: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The ways to join the cards, best first, and the pairs of cards that stand on different sockets."""

    FORMULAS: ClassVar[dict[str, str]] = {
        "slots_x16": "sockets x whole slots in their free lanes",
        "pairs": "n (n - 1) / 2",
        "crossing_pairs": "pairs on different sockets (SYS)",
    }
    slots_x16: int
    pairs: int
    crossing_pairs: int
    fits: bool
    answer: str
    layouts: tuple[Layout, ...]


def spread(gpus: int, places: int) -> list[int]:
    """`gpus` over `places` as evenly as whole cards allow, the fuller ones first."""
    each, more = divmod(gpus, places)
    return [each + (place < more) for place in range(places)]


def _direct(board: Board, width: int) -> Layout:
    slots = (board.lanes - board.reserved) // width
    alone = bandwidth(board.generation, width)
    cards = "+".join(map(str, spread(board.gpus, board.sockets)))
    return Layout(f"x{width} each", slots * board.sockets >= board.gpus, cards, alone, alone)


def _switched(board: Board, uplinks: int) -> Layout:
    """All cards behind `uplinks` switches, spread over the sockets."""
    alone = bandwidth(board.generation, _UPLINK)
    most = spread(board.gpus, uplinks)[0]
    per_socket = spread(uplinks, board.sockets)
    fits = per_socket[0] * _UPLINK <= board.lanes - board.reserved
    cards = "+".join(map(str, spread(board.gpus, min(uplinks, board.sockets))))
    name = f"{uplinks} switch{'es' if uplinks > 1 else ''}, up to {most} cards"
    return Layout(name, fits, cards, alone, alone / most)


def plan(board: Board) -> Plan:
    """How the GPUs of `board` can be joined, and which of them are far from each other."""
    slots = board.sockets * ((board.lanes - board.reserved) // _UPLINK)
    sizes = spread(board.gpus, board.sockets)
    pairs = board.gpus * (board.gpus - 1) // 2
    near = sum(size * (size - 1) // 2 for size in sizes)
    layouts = [_direct(board, width) for width in (16, 8, 4)]
    uplinks = range(board.sockets, min(slots, board.gpus - 1) + 1, board.sockets)
    # Of several numbers of switches with equally many cards behind each, the smallest.
    fewest = {spread(board.gpus, number)[0]: number for number in reversed(uplinks)}
    layouts += [_switched(board, number) for number in reversed(fewest.values())]
    possible = [one for one in layouts if one.fits]
    possible.sort(key=lambda one: -one.each_gb_per_s)
    if layouts[0].fits:
        answer = "fits: every card has a slot of x16"
    elif possible:
        best = possible[0]
        answer = f"at most {slots} at x16: {best.layout}, {best.each_gb_per_s:.1f} GB/s each when all move data"
    else:
        answer = "does not fit: not even x4 for each card, and no lanes for a switch"
    if pairs > near:
        answer += f"; {pairs - near} of {pairs} pairs cross the sockets"
    return Plan(slots, pairs, pairs - near, layouts[0].fits, answer, tuple(layouts))
