"""Links between the pages of the library, file names, and examples."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triage.library.loader import load_library
from triage.render.site_parts import FAMILIES, Links, Samples, file_name

KNOWN = load_library()
LINKS = Links(KNOWN)


def test_causes_and_effects_mirror_each_other() -> None:
    for name in ("xid-79", "pg-watchdog-timeout", "cuda-oom", "win-kernel-power-41"):
        for cause in LINKS.causes(name):
            assert name in LINKS.effects(cause)
        for effect in LINKS.effects(name):
            assert name in LINKS.causes(effect)


def test_a_prefix_stands_for_every_id_that_it_begins() -> None:
    assert {"xid-13", "xid-79"} <= LINKS.causes("xid-154").keys()
    assert not any(name.endswith("*") for name in LINKS.causes("xid-154"))


def test_conditions_of_a_link_are_kept() -> None:
    assert any(conditions for conditions in LINKS.causes("process-killed").values())


def test_who_leads_to_a_playbook() -> None:
    assert "xid-79" in [one.id for one in LINKS.used_by("gpu-off-the-bus")]
    assert LINKS.used_by("no-such-book") == []


@given(st.text(max_size=40), st.text(max_size=40))
def test_file_names_are_plain_and_differ_as_their_ids_do(a: str, b: str) -> None:
    for name in (a, b):
        assert set(file_name(name)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_")
        assert file_name(name) not in (".", "..", "")
    if a != b and a and b:
        assert file_name(a) != file_name(b)


def test_examples_of_a_row_are_its_own_and_near_misses_belong_to_the_table() -> None:
    samples = Samples()
    row, alone = samples.of(KNOWN.signatures["xid-11"]), samples.of(KNOWN.signatures["xid-79"])
    assert all("): 11," in text for text in row.match)
    assert row.ignore == []
    assert alone.match and alone.ignore  # noqa: PT018


def test_every_family_has_a_name() -> None:
    assert {one.family for one in KNOWN.signatures.values()} <= FAMILIES.keys()
