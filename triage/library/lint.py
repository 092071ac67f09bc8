"""Proves the library: every pattern, example, playbook and link is checked, everything wrong is collected.

A check is a small class with one method. All problems carry file and line; notes (level `note`) do not fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from triage.advise import BLANK, BLANKS
from triage.library.advice import check_advice, check_commands
from triage.library.library import Library, Problem
from triage.library.lint_examples import Anchors, EqualHits, Examples, HasExamples, Overlaps, Patterns
from triage.library.loader import files_of, load_library
from triage.library.playbook import Playbook, did_you_mean
from triage.library.proof import Check, Proof, read_examples
from triage.parallel import usable_cores
from triage.recheck.mentions import check_rechecks
from triage.recheck.registry import probes

# One vocabulary, so that findings of different sources can be joined and scored.
_VOCABULARY = """
pci root_port gpu_uuid gpu gpu_model rank local_rank host pod pid other_pid process xid sxid link signal exit_code
cuda_error errno ntstatus bugcheck event_id device_code unit module library symbol path interface hca port
requested free total allocated allowed reserved op seq timeout_ms driver client_version nccl torch recovery_action
constraint assertion
"""
ENTITIES = frozenset(_VOCABULARY.split())
_TOOLS = """
awk cat chmod dcgmi df dmesg du find free fuser getent grep head ip journalctl kill ldconfig ls lsmod lsof lspci modinfo
modprobe mokutil mount nproc numactl ps sed ss sudo sysctl systemctl systemd-detect-virt tail top ulimit uname
"""
_LINUX_TOOLS = frozenset(_TOOLS.split())
_GROUP = re.compile(r"\(\?P<(\w+)>")
_MANY = 500  # examples from which it pays to start a process
_inherited: Proof


class Drafts(Check):
    """Drafts are listed."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        for one in proof.library.signatures.values():
            if one.status == "draft":
                yield Problem(one.path, one.line, f"{one.id} is a draft", "note")


class Names(Check):
    """Group names, types and keys come from the vocabulary of entities; re-checks are the names of probes."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        for one in proof.library.signatures.values():
            for name in one.recheck:
                if name not in probes():
                    yield Problem(one.path, one.line, f"{one.id}: no probe {name!r}{did_you_mean(name, probes())}")
            groups = {name for p in one.match for name in _GROUP.findall(p.regex)}
            for name in sorted((groups | one.tells.keys()) - ENTITIES):
                if not name.startswith("_"):
                    hint = did_you_mean(name, ENTITIES) or f"; a helper group begins with `_`: _{name}"
                    yield Problem(one.path, one.line, f"{one.id}: unknown entity {name!r}{hint}")


class Playbooks(Check):
    """Every playbook is used, named like its file, has sources, and advises nothing forbidden or impossible."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        used = {one.playbook for one in proof.library.signatures.values()}
        for book in proof.library.playbooks.values():
            if book.id not in used:
                yield Problem(book.path, 1, f"playbook {book.id!r} is used by no signature")
            if Path(book.path).stem != book.id:
                yield Problem(book.path, 1, f"the id {book.id!r} is not the file's name {Path(book.path).stem!r}")
            if not book.sources:
                yield Problem(book.path, 1, "`sources` is empty: name where the remedy comes from")
            yield from check_advice(book)
            yield from check_commands(book)
            yield from check_rechecks(book, proof.library)
            yield from self._blanks(book)

    def _blanks(self, book: Playbook) -> Iterator[Problem]:
        for step, line in book.steps():
            for found in BLANK.finditer(" ".join([step.text, step.expect, *(step.command or ())])):
                for name in found[1].split("|"):
                    if name not in BLANKS:
                        yield Problem(book.path, line, f"unknown blank {name!r}{did_you_mean(name, BLANKS)}")


class Systems(Check):
    """A playbook for more than one system says of a step that needs one of them, which: @linux or @windows."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        for book in proof.library.playbooks.values():
            if not {"linux", "windows"} <= {*book.applies_to}:
                continue
            for step, line in book.steps():
                tool = (step.command or [""])[0]
                if step.where != "linux" and tool in _LINUX_TOOLS:
                    message = f"{tool!r} is a command of Linux: mark the step [{step.risk} @linux]"
                    yield Problem(book.path, line, message)


class Sources(Check):
    """Every signature names its sources."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        for one in proof.library.signatures.values():
            if not [source for source in one.sources if source.strip()]:
                yield Problem(one.path, one.line, f"{one.id}: `sources` is empty")


class Links(Check):
    """Causal links name known ids, also by prefix, and say what they rest on; a judgement is never `sure`."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        known = proof.library.signatures
        for link in proof.library.links:
            if not link.grounds:
                yield Problem(link.path, link.line, "the link names no `source` (or `basis: judgement`)")
            strengths = link.strength.values() if isinstance(link.strength, dict) else [link.strength]
            if link.grounds == "judgement" and "sure" in strengths:
                yield Problem(link.path, link.line, "a judgement is not `sure`: name a `source`, or say `usual`")
            for other, _ in [*link.cause, *link.effect]:
                if other.endswith("*") and not any(name.startswith(other[:-1]) for name in known):
                    yield Problem(link.path, link.line, f"no signature begins with {other[:-1]!r}")


CHECKS: tuple[Check, ...] = (
    Patterns(), Anchors(), Names(), Sources(), Playbooks(), Systems(), Links(), HasExamples(), Examples(),
    Overlaps(), EqualHits(), Drafts(),
)  # fmt: skip


def lint(folders: Sequence[str | Path] = (), *, builtin: bool = True) -> list[Problem]:
    """All that is wrong with the library of the package, or with `folders` on top of it, by file and line.

    The package's own files are not proven again when folders are given. Notes (`level == "note"`) are only to be
    read. With `builtin=False` the folders stand alone.
    """
    library = load_library(folders, builtin=builtin, cached=False)
    own = _own(library, folders) if folders and builtin else None
    examples = [one for one in read_examples(library) if own is None or one.path in own]
    proof = Proof(library, examples, own)
    problems = [*library.problems, *_found(proof)]
    chosen = [p for p in problems if own is None or p.path in own or p in library.problems]
    return sorted(dict.fromkeys(chosen), key=lambda p: (p.path, p.line, p.message))


def _found(proof: Proof) -> list[Problem]:
    """What the checks find. Each stands alone, so the two that run every example in every engine get a core each."""
    if len(proof.examples) < _MANY or usable_cores() < 2:
        return [problem for check in CHECKS for problem in check.check(proof)]
    global _inherited
    _inherited, _ = proof, (proof.matches, proof.engines)  # made once, for both
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        return [problem for found in pool.map(_run, range(len(CHECKS))) for problem in found]


def _run(number: int) -> list[Problem]:
    return list(CHECKS[number].check(_inherited))


def _own(library: Library, folders: Sequence[str | Path]) -> frozenset[str]:
    """The paths, as problems show them, of what comes from these folders. Those of the package are relative to its own
    folder, so `.` does not hold them."""
    paths = {one.path for group in (library.signatures, library.playbooks) for one in group.values()}
    paths |= {link.path for link in library.links}
    return frozenset(paths & {str(Path(name)) for folder in folders for name in files_of(str(folder))})
