"""Codes of the mlx5 network driver."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import mlx5

COMMAND = (
    "mlx5_core 0000:5e:00.0: mlx5_cmd_out_err:808:(pid 4711): CREATE_QP(0x500) op_mod(0x0) failed, status limits exceeded(0x8), "
    "syndrome (0x16c4bf), err(-12)"
)
WORK = (
    "infiniband mlx5_0: mlx5_handle_error_cqe:333:(pid 4711): WC error: 12, Message: transport retry counter exceeded"
)


def test_a_refused_command() -> None:
    assert mlx5.explain([COMMAND, COMMAND], {}) == [
        "The firmware refused CREATE_QP: a limit is used up.",
        "Its syndrome 0x16c4bf is internal to the firmware; only the vendor can read it.",
    ]


def test_work_completions_and_health() -> None:
    assert "did not acknowledge, after all retries" in mlx5.explain([WORK], {})[0]
    assert mlx5.explain(["mlx5_core 0000:5e:00.0: synd 0x1: firmware internal error"], {}) == [
        "Health syndrome 0x1: an internal error of the firmware."
    ]
    assert "code 0x77, not in the table" in mlx5.explain(["synd 0x77: new"], {})[0]


def test_many_codes_are_folded() -> None:
    told = mlx5.explain([WORK.replace("12,", f"{n},") for n in range(1, 12)], {})
    assert len(told) == 4
    assert told[3].startswith("Further: Work completion 4")


@given(st.text(), st.integers(0, 200))
def test_never_raises(text: str, cut: int) -> None:
    mlx5.explain([text, COMMAND[:cut] + text + COMMAND[cut:], f"WC error: {text}"], {})
