import re

import pytest

from triage.rewrites import REWRITES, addresses, hosts, noise, pids, versions

KERNEL = (
    b"Mar 14 10:02:11 node07 kernel: [  812.345678] NVRM: Xid (PCI:0000:3b:00): 31, pid=44120, name=python3\n"
    b"Mar 14 10:02:19 node07 kernel: [  820.000000] python3[44120]: segfault at 7f2d41c3a010 ip 00007f2d41c3a010\n"
    b"Mar 14 10:03:19 node07 systemd[1]: Stopped.\n"
)
JOB = b"RuntimeError: x (pid 44120) at 0x7f2d41c3a010, driver version 535.54.03, module 535.54.03, library 535.86.05\n"


def test_a_pid_stays_the_same_in_all_files() -> None:
    changed = pids({"dmesg": KERNEL, "job": JOB.replace(b"(pid ", b"(pid: ")})
    found = {n for data in changed.values() for n in re.findall(rb"(?:pid[=:] ?|python3\[)(\d+)", data)}
    assert len(found) == 1
    assert found != {b"44120"}
    assert all(len(n) == 5 for n in found)


def test_years_and_small_numbers_are_no_pids() -> None:
    assert pids({"a": b"pid=2024 pid=12 process 443"}) == {"a": b"pid=2024 pid=12 process 443"}


def test_addresses_keep_their_ends() -> None:
    changed = addresses({"job": JOB})["job"]
    (address,) = re.findall(rb"0x([0-9a-f]+)", changed)
    assert address != b"7f2d41c3a010"
    assert (address[:4], address[-6:]) == (b"7f2d", b"c3a010")
    small = b"0x0 0xc0000005 0xffffffff81234567 0x10de"
    assert addresses({"a": small}) == {"a": small}


def test_equal_versions_stay_equal_and_in_order() -> None:
    changed = versions({"job": JOB})["job"]
    assert changed.count(b"535.54.04") == 2
    assert changed.count(b"535.86.06") == 1


def test_a_host_is_renamed_in_texts_and_file_names() -> None:
    changed = hosts({"node07.log": KERNEL})
    ((name, data),) = changed.items()
    assert b"node07" not in data
    assert "node07" not in name
    assert data.count(name.removesuffix(".log").encode()) == 3


def test_noise_stands_between_records_and_never_at_the_end() -> None:
    changed = noise({"dmesg": KERNEL, "job": JOB, "data.json": b'{"a": 1}\n'})
    lines = KERNEL.splitlines()
    own = changed["dmesg"].splitlines()
    assert len(own) > len(lines)
    assert [line for line in own if line in lines] == lines
    assert own[-1] == lines[-1]
    assert changed["job"].endswith(JOB)
    assert changed["data.json"] == b'{"a": 1}\n'


@pytest.mark.parametrize("name", REWRITES)
def test_what_is_no_plain_text_is_left_alone(name: str) -> None:
    files = {"a.evtx": b"ElfFile\0" + KERNEL, "b.gz": b"\x1f\x8b" + KERNEL, "c.txt": KERNEL.decode().encode("utf-16")}
    assert REWRITES[name](files) == files
