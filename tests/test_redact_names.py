"""Names are learned where programs write them and known again elsewhere; words that signatures look for are not names."""

from __future__ import annotations

import pytest

from triage.redact.names import NameBook, is_host, is_user, words

PLACES = (
    ('  File "/home/alice/train.py", line 3', "user", "alice"), (r"C:\Users\Bob Smith\AppData\x", "user", "Bob Smith"),
    (r'"path": "C:\\Users\\bob\\x"', "user", "bob"), ("/Users/carol/x", "user", "carol"), ("uid=1000(dave) gid=1", "user", "dave"),
    ("sudo:   erin : TTY=pts/0", "user", "erin"), ("UserId=frank(1001)", "user", "frank"), ("SLURM_JOB_USER=grace", "user", "grace"),
    ("user=alice", "user", "alice"), ('"user": "alice"', "user", "alice"), ("user: alice", "user", "alice"),
    ("(user: alice, host x)", "user", "alice"), ("Currently logged in as: heidi. Use", "user", "heidi"), ("session opened for user ivan by", "user", "ivan"),
    ("Mar 14 09:57:01 node07 kernel: x", "host", "node07"), ("2026-03-14T09:57:01.1+01:00 gpu-3.a.org sshd[12]: x", "host", "gpu-3.a.org"),
    ("node07:1234:5678 [0] NCCL INFO x", "host", "node07"), ("  host      : node07", "host", "node07"),
    ('{"_HOSTNAME":"node07"}', "host", "node07"), ("MASTER_ADDR=node07", "host", "node07"), ("[node07]:29500", "host", "node07"),
    ("tcp://node07:29500", "host", "node07"), ("Linux node07 5.15.0-91-generic", "host", "node07"), ("Node:             gke-a3-77/10.4.0.9", "host", "gke-a3-77"),
    ("Scheduled  default-scheduler  Successfully assigned ml/trainer-0 to gke-a3-77", "host", "gke-a3-77"), ("alice@node07:~$ nvidia-smi", "host", "node07"),
    ("<Computer>DESKTOP-7</Computer>", "host", "DESKTOP-7"), ("srun: error: node07: task 3: Killed", "host", "node07"),
    ("rz2 login: [1820334.101882] mce: x", "host", "rz2"), ("node07 login: ", "host", "node07"),
)  # fmt: skip
NONE = (
    "User: What does it mean?", "User: And Xid 31?", "User: thanks!", "user: thanks", "/root/train.py", "/home/ubuntu/x", "host: unknown", "hostname: localhost", "https://pytorch.org/docs", "user=root",
    "on host memory", "https://docs.nvidia.com/deploy/xid-errors", "Linux kernel 5.15", "[cuda:0]", "[train.py]:123",
    "2026-03-14T09:57:01,032934+00:00 pci 0000:00:06.0: [10de:2335] type 00", "2026-03-14T09:57:01,032934+00:00 Command line: quiet",
    "2026-03-14T09:57:01.123456789Z Loading weights: done", "Last login: Tue Mar 14", "/home/ml/job/train.py", "/home/jenkins/x",
)  # fmt: skip


def learned(text: str) -> list[tuple[str, str]]:
    data = text.encode()
    return [(one.kind, data[one.start : one.stop].decode()) for one in NameBook().learn(data)]


@pytest.mark.parametrize(("text", "kind", "name"), PLACES)
def test_names_stand_at_their_places(text: str, kind: str, name: str) -> None:
    assert (kind, name) in learned(text)


@pytest.mark.parametrize("text", NONE)
def test_other_words_are_no_names(text: str) -> None:
    assert learned(text) == []


def test_a_learned_name_is_known_elsewhere_as_a_whole_word() -> None:
    book = NameBook(frozenset({"nvidia"}))
    book.learn(b"/home/alice/x /home/nvidia/y Mar 14 09:57:01 node07 kernel: x")
    text = b"alice ran on node07 (malice, alices, node071, nvidia)"
    assert [text[one.start : one.stop] for one in book.found(text)] == [b"alice"]
    book.learn(b"Mar 14 09:57:01 node07 kernel: x")
    assert {text[one.start : one.stop] for one in book.found(text)} == {b"alice", b"node07"}


def test_a_plain_word_is_a_host_only_at_its_place() -> None:
    book = NameBook()
    book.learn(b"wandb: View run at https://wandb.local/x")
    assert list(book.found(b"wandb: Network error")) == []


def test_lists() -> None:
    assert [name for name in ("alice", "root", "1000", "user-12345678") if is_user(name)] == ["alice"]
    assert [name for name in ("node07", "huggingface.co", "10.1.2.3", "host-12345678") if is_host(name)] == ["node07"]
    assert words(["NVRM: Xid", "fall-off"]) == {"nvrm", "xid", "fall-off"}
