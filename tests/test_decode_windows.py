"""Parameters of bug checks, problem codes and status words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.decode import windows


def dump(code: str, *values: int) -> str:
    return f"BUGCHECK_CODE:  {code}\n\n" + "\n\n".join(f"BUGCHECK_P{n}: {v:x}" for n, v in enumerate(values, 1))


def test_a_machine_check_is_decoded_down_to_its_code() -> None:
    told = windows.bugcheck([dump("124", 0, 0xFFFFE000, 0xBE000000, 0x1001_0400)], {"bugcheck": "0x124"})
    assert told == [
        "Parameter 1 is 0x0: a machine check of the processor.",
        "Parameters 3 and 4 hold the status word 0xbe00000010010400: a timer of the processor ran out while it waited for an answer.",
    ]


def test_event_and_short_forms() -> None:
    event = "The bugcheck was: 0x00000116 (0xffffa70f, 0xfffff806, 0xffffffffc000009a, 0x0000000000000004)."
    assert windows.bugcheck([event], {"bugcheck": "0x116"}) == [
        "Parameter 3, the status of the last step of the reset: 0xC000009A STATUS_INSUFFICIENT_RESOURCES, not enough resources of the system."
    ]
    short = "BugCheck 133, {0, 501, 500, fffff8034fe65348}"
    assert windows.bugcheck([short], {"bugcheck": "0x133"})[1] == "It ran for 1281 ticks of 1280 allowed."
    assert windows.bugcheck([short], {"bugcheck": "0x116"}) == []


def test_arguments_with_a_tick() -> None:
    text = (
        "VIDEO_SCHEDULER_INTERNAL_ERROR (119)\nArguments:\nArg1: 00000000`00000002, The subtype\nArg2: ffffffffc000000d"
    )
    assert windows.bugcheck([text], {"bugcheck": "0x119"}) == [
        "Parameter 1 is 0x2: the driver failed to submit a command."
    ]
    assert "the table does not hold it" in windows.bugcheck([dump("9f", 0x77)], {"bugcheck": "0x9f"})[0]


def test_devices_and_their_status() -> None:
    assert windows.device([""], {"device_code": 43}) == ["Problem code 43 is CM_PROB_FAILED_POST_START."]
    told = windows.device([""], {"device_code": 52, "symbol": "CM_PROB_UNSIGNED_DRIVER", "ntstatus": "0xC0000428"})
    assert told == ["The status is 0xC0000428 STATUS_INVALID_IMAGE_HASH, the signature of the file is not accepted."]
    assert windows.status([""], {"ntstatus": "0x00000000"}) == []


def test_the_instance_id_names_the_card() -> None:
    text = "Instance ID: PCI\\VEN_10DE&DEV_2204&SUBSYS_87D91043&REV_A1"
    assert windows.device([text], {"device_code": 43})[1] == "The instance id names an NVIDIA GeForce RTX 3090."
    assert len(windows.device([text], {"device_code": 43, "gpu_model": "GeForce RTX 3090"})) == 1


@given(st.sampled_from(sorted(windows.BUGCHECKS)), *(st.integers(0, 2**64 - 1) for _ in range(4)))
def test_parameters_come_back_whole(code: int, a: int, b: int, c: int, d: int) -> None:
    assert windows.parameters(code, dump(f"{code:x}", a, b, c, d)) == (a, b, c, d)
    assert windows.parameters(code, f"0x{code:08x} (0x{a:016x}, 0x{b:016x}, 0x{c:016x}, 0x{d:016x})") == (a, b, c, d)
    assert all(said.endswith(".") for said in windows.BUGCHECKS[code]((a, b, c, d)))


@given(st.text(), st.text())
def test_never_raises(text: str, value: str) -> None:
    for known in ({"bugcheck": value}, {"bugcheck": "0x124", "ntstatus": value, "device_code": value}):
        windows.bugcheck([text, f"Arg1: {text}"], known)
        windows.device([text], known)
