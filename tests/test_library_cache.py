import os
from pathlib import Path

import pytest

from triage.library import cache


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("TRIAGE_NO_CACHE", raising=False)


def test_what_is_written_can_be_read() -> None:
    cache.write("kind-1.json", b"data")
    assert cache.read("kind-1.json") == b"data"
    assert cache.read("kind-2.json") is None


def test_the_folder_is_ours_alone(tmp_path: Path) -> None:
    cache.write("kind-1.json", b"data")
    assert (tmp_path / "gpu-triage").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name == "nt", reason="no mode bits on Windows")
def test_what_others_may_write_is_not_used(tmp_path: Path) -> None:
    cache.write("kind-1.json", b"data")
    (tmp_path / "gpu-triage").chmod(0o777)
    assert cache.read("kind-1.json") is None


def test_old_files_of_a_kind_are_removed(tmp_path: Path) -> None:
    for i in range(9):
        cache.write(f"kind-{i}.json", b"data")
    assert len(list((tmp_path / "gpu-triage").glob("kind-*"))) <= 4


def test_a_home_that_cannot_be_written_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    cache.write("kind-1.json", b"data")
    assert cache.read("kind-1.json") is None


def test_the_cache_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIAGE_NO_CACHE", "1")
    cache.write("kind-1.json", b"data")
    assert cache.read("kind-1.json") is None
