"""The page of one signature and of one playbook."""

from __future__ import annotations

import pytest
from pages import Reader

from triage.library.loader import load_library
from triage.render.site_pages import playbook_page, signature_page
from triage.render.site_parts import Links, Samples

KNOWN = load_library()
LINKS = Links(KNOWN)


def page(name: str) -> Reader:
    one = KNOWN.signatures[name]
    return Reader(signature_page(KNOWN, LINKS, one, Samples().of(one)))


@pytest.mark.parametrize("name", ["xid-11", "cuda-oom-fragmented", "rank-lagging", "win-code-43", "nccl-version", "xid-unknown"])
def test_a_page_says_what_the_signature_says(name: str) -> None:
    one, shown = KNOWN.signatures[name], page(name)
    assert one.title in shown.said
    assert " ".join(one.means.split())[:40] in " ".join(shown.said.split())
    for pattern in one.match:
        assert pattern.regex in shown.said


def test_relations_name_what_is_special_and_what_replaces_it() -> None:
    assert "../s/cuda-oom-fragmented.html" in page("cuda-oom").having("href")
    assert "../s/cuda-oom.html" in page("cuda-oom-fragmented").having("href")


def test_steps_of_a_playbook_say_for_which_system_they_are() -> None:
    shown = Reader(playbook_page(LINKS, KNOWN.playbooks["library-mix"])).said
    assert "read-only, linux" in shown
    assert "restart-job, windows" in shown
    assert "where.exe cudart64_12.dll" in shown


def test_alternatives_of_a_blank_are_spelled_out() -> None:
    shown = Reader(playbook_page(LINKS, KNOWN.playbooks["mig"])).said
    assert "<gpu or gpu_uuid or pci>" in shown
