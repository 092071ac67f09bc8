"""`triage lint` finds each kind of fault, in a small library that has only that one."""

from __future__ import annotations

from pathlib import Path

import pytest
from linted import BOOK, LINKS, OOM, TABLE, XID, Lint, linter, replaced, said

from triage.library.lint import lint


@pytest.fixture
def lint_with(tmp_path: Path) -> Lint:
    return linter(tmp_path)


def test_the_small_library_is_clean(lint_with: Lint) -> None:
    assert [str(p) for p in lint_with()] == []


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("severity:", "serverity:", 3, "unknown field 'serverity'; did you mean 'severity'?"),
        ("severity: fatal", "severity: deadly", 3, "severity"),
        ("id: xid-79", "id: xid-97", 1, "is not the file's name"),
        ("xid == 79", "xid == 80", 16, "match example does not give xid-79 but nothing"),
        ("xid == 79", "xid >= 43", 18, "ignore example gives xid-79"),
        ("xid == 79", "xid === 79", 1, "xid === 79"),
        ("pci: '0000:82:00'", "pci: '0000:83:00'", 16, "entity 'pci' is '0000:82:00', not '0000:83:00'"),
        ("xid: 79}", "xid: 79, rank: 1}", 16, "entity 'rank' is nothing, not 1"),
        ("{use: xid,", "{use: xidd,", 1, "unknown header 'xidd'; did you mean 'xid'?"),
        ("playbook: gpu-off-the-bus", "playbook: gpu-of-the-bus", 1, "no playbook 'gpu-of-the-bus'; did you mean"),
        ("[gpu-present]", "['gpu present; reboot']", 1, "no probe"),
        ("key: [host, pci]", "key: [host, pci", 9, "not valid YAML"),
        ("role: cause", "role: cause\nrole: symptom", 5, "'role' stands twice"),
        ("role: cause", "role: cause\nstatus: draft", 1, "is a draft"),
        ("role: cause", "role: cause\nrefines: xid-7", 1, "no signature 'xid-7'"),
    ],
)
def test_faults_of_a_signature(lint_with: Lint, old: str, new: str, line: int, words: str) -> None:
    problems = lint_with(xid_79=replaced(XID, old, new))
    assert [p.line for p in said(problems, words)] == [line], [str(p) for p in problems]


def test_an_unknown_entity_is_named(lint_with: Lint) -> None:
    problems = lint_with(cuda_oom=replaced(OOM, "?P<requested>", "?P<request>"))
    assert said(problems, "unknown entity 'request'; did you mean 'requested'?")


def test_the_same_id_twice(lint_with: Lint) -> None:
    row = "  - {xid: 62, title: Internal micro-controller halt}\n"
    found = said(lint_with(xid=TABLE.replace(row, row + row)), "'xid-62' stands twice")
    assert [(Path(p.path).name, p.line) for p in found] == [("xid.yaml", 8)]


def test_a_link_says_what_it_rests_on(lint_with: Lint) -> None:
    bare = LINKS.replace("  source: NVIDIA Xid catalogue, row 79\n", "")
    assert said(lint_with(causality=bare), "the link names no `source` (or `basis: judgement`)")
    judged = bare + "  basis: judgement\n"
    assert not said(lint_with(causality=judged), "the link names no")
    assert said(lint_with(causality=judged.replace("usual", "sure")), "a judgement is not `sure`")
    assert said(lint_with(causality=judged.replace("usual", "{host: sure}")), "a judgement is not `sure`")
    assert not said(lint_with(causality=LINKS.replace("usual", "sure")), "a judgement is not")


def test_links_name_known_ids(lint_with: Lint) -> None:
    assert said(lint_with(causality=LINKS.replace("xid-79", "xid-78")), "no signature 'xid-78'; did you mean 'xid-79'?")
    assert said(lint_with(causality=LINKS.replace("xid-79", "sxid-*")), "no signature begins with 'sxid-'")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("id: NAME", "id: other-name", 1, "is not the file's name"),
        ("sources: ['https://docs.nvidia.com/deploy/xid-errors/']\n", "", 1, "`sources` is empty"),
        ("Power it off and on.", "Boot with `pci=noaer`.", 14, "forbidden advice (switching AER reports off)"),
        ("What is to be done.", "Set pci=noaer.", 7, "forbidden advice"),
        ("Power it off and on.", "Set `NCCL_P2P_DISABLE=1`.", 14, "NCCL_P2P_DISABLE=1 without its warning"),
        (
            "Is it there?",
            "Print `NCCL_DEBG_FILE`.",
            10,
            "unknown variable NCCL_DEBG_FILE; did you mean 'NCCL_DEBUG_FILE'?",
        ),
        ("`lspci -s {pci} -vv`", "`lspci | grep x`", 11, "'|' in a command"),
        ("`lspci -s {pci} -vv`", "`lspci -s {pci|gpuu} -vv`", 10, "unknown blank 'gpuu'; did you mean 'gpu'?"),
        ("[reboot @host]", "[magic @host]", 14, "unknown risk 'magic'"),
    ],
)
def test_faults_of_a_playbook(lint_with: Lint, old: str, new: str, line: int, words: str) -> None:
    problems = lint_with(gpu_off_the_bus=replaced(BOOK, old, new).replace("NAME", "gpu-off-the-bus"))
    assert [p.line for p in said(problems, words)] == [line], [str(p) for p in problems]


def test_a_playbook_that_nobody_uses(lint_with: Lint, tmp_path: Path) -> None:
    (tmp_path / "playbooks").mkdir()
    (tmp_path / "playbooks" / "spare.md").write_text(BOOK.replace("NAME", "spare"), encoding="utf-8")
    assert [p.message for p in lint_with()] == ["playbook 'spare' is used by no signature"]


def test_a_playbook_for_two_systems_names_the_system_of_its_commands(lint_with: Lint) -> None:
    both = BOOK.replace("NAME", "cuda-memory").replace("[linux]", "[linux, windows]")
    found = said(lint_with(cuda_memory=both), "'lspci' is a command of Linux: mark the step [read-only @linux]")
    assert [Path(p.path).name for p in found] == ["cuda-memory.md"]
    assert not said(lint_with(cuda_memory=both.replace("@host", "@linux")), "a command of Linux")


def test_the_shipped_library_is_clean() -> None:
    errors = [str(p) for p in lint() if p.level != "note"]
    assert errors == []


def test_the_current_folder_holds_only_its_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "signatures").mkdir()
    (tmp_path / "signatures" / "site-x.yaml").write_text("id: site-x\ntitel: x\n")
    monkeypatch.chdir(tmp_path)
    assert {problem.path for problem in lint(["."])} == {"signatures/site-x.yaml"}
