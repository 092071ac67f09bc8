"""Evidence of this machine in one archive: isolated items, redaction, what is missing, and that analyze reads it."""

from __future__ import annotations

import json
import stat
import sys
import tarfile
import time
from pathlib import Path

import pytest

from triage import analyze
from triage.collect import archive, gather, items
from triage.collect.collect import collect
from triage.collect.gather import Piece
from triage.collect.items import Item
from triage.redact import Redactor

XID = "[88213.557916] NVRM: Xid (PCI:0000:43:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


def members(path: Path) -> dict[str, str]:
    with tarfile.open(path) as tar:
        return {one.name: tar.extractfile(one).read().decode() for one in tar.getmembers()}  # type: ignore[union-attr]


def test_each_item_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    wanted = [
        Item("good.txt", (python("print('good')"),)),
        Item("second.txt", (("/no/such/tool",), python("print('second')"))),
        Item("fails.txt", (python("import sys; sys.exit('cannot: not permitted')"),)),
        Item("hangs.txt", (python("import time; time.sleep(60)"),), seconds=0.5),
        Item("empty.txt", (python("pass"),), optional=True),
        Item("file.txt", paths=(str(tmp_path / "a"), str(tmp_path / "b"))),
        Item("none.txt", paths=(str(tmp_path / "*.conf"),)),
    ]
    began = time.monotonic()
    found = {one.name: one for one in gather.gather(wanted, 20)}
    assert time.monotonic() - began < 15
    assert list(found) == [item.name for item in wanted]
    assert found["good.txt"].data.split() == [b"good"]
    assert found["second.txt"].data.split() == [b"second"]
    assert found["fails.txt"].reason.endswith("cannot: not permitted")
    assert found["hangs.txt"].reason.endswith("no answer within 0.5 s")
    assert "printed nothing" in found["empty.txt"].reason
    assert found["file.txt"].data.decode() == f"==> {tmp_path / 'a'} <==\none"
    assert found["none.txt"].reason.endswith("*.conf: No such file or directory")


def test_the_deadline_holds_for_all_together() -> None:
    slow = [Item(f"{n}.txt", (python("import time; time.sleep(60)"),)) for n in range(12)]
    began = time.monotonic()
    found = gather.gather(slow, 1.5)
    assert time.monotonic() - began < 10
    assert {one.reason.split(": ")[-1] for one in found} >= {"no time was left for it"}
    assert not any(one.data for one in found)


def test_only_named_variables_and_no_secret() -> None:
    env = {
        "NCCL_DEBUG": "INFO", "CUDA_VISIBLE_DEVICES": "0", "HF_HOME": "/x", "HF_TOKEN": "hf_abc", "RANK": "3",
        "RAY_REDIS_PASSWORD": "x", "WANDB_API_KEY": "x", "AWS_SECRET_ACCESS_KEY": "x", "HOME": "/root", "SLURM_JOB_ID": "7",
        "NVIDIA_API_KEY": "nvapi-x", "TORCH_AUTH": "x",
    }  # fmt: skip
    assert items.variables(env) == {
        "CUDA_VISIBLE_DEVICES": "0", "HF_HOME": "/x", "NCCL_DEBUG": "INFO", "RANK": "3", "SLURM_JOB_ID": "7",
    }  # fmt: skip


def test_the_archive_is_redacted_private_and_says_what_is_missing(tmp_path: Path) -> None:
    pieces = [
        Piece("kernel.log", "dmesg", XID.encode()),
        Piece("logs/job.log", "/home/alice/job.log", b"alice@node07:~$ curl -H 'Authorization: Bearer abcdefghijklmnop123456' http://10.1.2.3\n"),
        Piece("smi.txt", "nvidia-smi -q", b"    Serial Number                         : 1650000000042\n\xff\xfe"),
        Piece("lspci.txt", "lspci", reason="lspci: No such file or directory"),
    ]  # fmt: skip
    target = tmp_path / "a.tar.gz"
    archive.write(target, pieces, Redactor(b"k" * 16))
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    found = members_bytes(target)
    assert XID.encode() == found["triage-collect/kernel.log"]  # what a diagnosis needs stays
    whole = b"".join(found.values())
    for secret in (b"alice", b"abcdefghijklmnop123456", b"10.1.2.3", b"1650000000042"):
        assert secret not in whole
    assert b"\xff\xfe" in found["triage-collect/smi.txt"]
    manifest = json.loads(found["triage-collect/manifest.json"])
    assert [one["name"] for one in manifest["unread"]] == ["lspci.txt"]
    assert manifest["redacted"]
    plain = tmp_path / "b.tar.gz"
    archive.write(plain, pieces, None)
    assert b"1650000000042" in b"".join(members_bytes(plain).values())


def members_bytes(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {one.name: tar.extractfile(one).read() for one in tar.getmembers()}  # type: ignore[union-attr]


def test_logs_of_a_job_are_added(tmp_path: Path) -> None:
    (tmp_path / "job" / "rank0").mkdir(parents=True)
    (tmp_path / "job" / "rank0" / "stderr.log").write_text("x" * 100 + "end")
    (tmp_path / "job" / "empty.log").write_text("")
    found = {one.name: one for one in gather.logs([tmp_path / "job"], most=10)}
    assert found["logs/job/rank0/stderr.log"].data == b"x" * 7 + b"end"
    assert found["logs/job/empty.log"].reason == "the file is empty"


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real collection of this machine, with a log of a job."""
    folder = tmp_path_factory.mktemp("collect")
    (folder / "dmesg.txt").write_text(XID)
    target = folder / "c.tar.gz"
    collect(target, sys.executable, logs=[folder / "dmesg.txt"], redactor=Redactor())
    return target


def test_this_machine_in_a_minute(collected: Path) -> None:
    found = members(collected)
    manifest = json.loads(found["triage-collect/manifest.json"])
    named = {one["name"] for one in [*manifest["read"], *manifest["unread"]]}
    assert named >= {item.name for item in items.LINUX} | {"environment.txt", "recheck.json", "collect-env.txt"}
    assert {f"triage-collect/{one['name']}" for one in manifest["read"]} | {"triage-collect/manifest.json"} == set(found)
    assert sum(one["seconds"] for one in manifest["read"]) < 60
    readings = json.loads(found["triage-collect/recheck.json"])
    assert {"gpu-present", "shm", "disk"} & {one["probe"] for one in readings["results"]}


def test_analyze_reads_it_and_is_not_led_astray_by_what_is_missing(collected: Path) -> None:
    report = analyze([collected])
    assert report.findings[0].id == "xid-79"
    assert not any("manifest.json" in e.source or "recheck.json" in e.source for f in report.findings for e in f.evidence)
    assert not any("manifest.json" in one.first.source for one in report.unexplained)
