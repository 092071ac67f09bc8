"""Whether the re-checks that a playbook speaks of exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from triage.library.library import Library, Problem
from triage.library.playbook import Playbook, did_you_mean
from triage.recheck.registry import probes

_INLINE = re.compile(r"`triage recheck ([^`]*)`")


def check_rechecks(book: Playbook, library: Library) -> Iterator[Problem]:
    """A problem for each `triage recheck NAME`, in a command or in the text, whose name is neither probe nor id."""
    known = [*probes(), *library.signatures]
    for step, line in book.steps():
        said = [words.split() for words in _INLINE.findall(step.text + " " + step.expect)]
        if step.command and step.command[:2] == ["triage", "recheck"]:
            said.append(step.command[2:])
        for words in said:
            if words and not words[0].startswith("-") and words[0] not in known:
                yield Problem(book.path, line, f"no probe and no id {words[0]!r}{did_you_mean(words[0], probes())}")
