"""The operating system that the lines of a finding name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taken import lines_of

from triage import formats
from triage.model import Record
from triage.system import system_of


def records(text: str) -> list[Record]:
    return formats.read(lines_of(text), "log")


@pytest.mark.parametrize(
    ("text", "system"),
    [
        ('Traceback (most recent call last):\n  File "C:\\Users\\me\\train.py", line 1, in <module>\n    import torch\nOSError: [WinError 126] x', "windows"),
        ('OSError: [WinError 1455] The paging file is too small. Error loading "D:\\venv\\torch\\lib\\cublas64_12.dll"', "windows"),
        ('Traceback (most recent call last):\n  File "/home/me/train.py", line 1, in <module>\n    import torch\nOSError: x', "linux"),
        ("ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory", "linux"),
        ("[  812.345678] NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=game.exe, Ch 00000008", "linux"),
        ("node7:4711:4802 [0] NCCL WARN Error while creating shared memory segment /dev/shm/nccl-x (size 9637888)", "linux"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", ""),
        ("see https://pytorch.org/docs/stable/notes/cuda.html and http://x:8080/opt", ""),
        ("/usr/lib/wsl/lib/libcuda.so.1: GPU access blocked by the operating system (WSL2)", ""),
        ("copied C:\\data\\model.bin to /home/me/model.bin", ""),
    ],
)  # fmt: skip
def test_the_system_that_is_named(text: str, system: str) -> None:
    assert system_of(records(text)) == system


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    assert system_of(records(text)) in ("linux", "windows", "")
