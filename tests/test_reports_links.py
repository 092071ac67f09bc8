"""Where links lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from triage.reports.links import inside, local, root_of, target


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "incidents").mkdir()
    return tmp_path / "repo" / "incidents"


def test_links_are_files_beside_the_report_or_below_the_repository(folder: Path) -> None:
    assert target("logs/node%2007.log?raw=1#L3") == "logs/node 07.log"
    assert local("logs/a.log", folder) == folder / "logs/a.log"
    assert local("/logs/a.log", folder) == folder.parent / "logs/a.log"
    assert root_of(folder) == folder.parent.resolve()


@pytest.mark.parametrize("href", ["", "#x", "https://x/a.log", "mailto:a@b", "C:/a.log", "//x/a", "{{ site.url }}/a.log", "{% link a %}"])
def test_other_links_are_none(href: str, folder: Path) -> None:
    assert local(href, folder) is None


def test_what_lies_outside_is_not_inside(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("x")
    (folder / "link.log").symlink_to(tmp_path / "a.log")
    (folder / "b.log").write_text("x")
    assert inside(folder / "b.log", folder)
    assert not inside(folder / "../../a.log", folder)
    assert not inside(folder / "link.log", folder)
    (folder / "logs").mkdir()
    (folder / "logs" / "b.log").symlink_to(folder / "b.log")
    assert inside(folder / "logs", folder)
    (folder / "logs" / "a.log").symlink_to(tmp_path / "a.log")
    assert not inside(folder / "logs", folder), "what a folder links is read with it"
