"""The rules that run examples: what must be seen is seen by every engine, what must not is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from triage.entities import read
from triage.library.library import Library, Link, Problem, Signature
from triage.library.playbook import did_you_mean
from triage.library.proof import Check, Example, Proof
from triage.model import Match

_FEW = 16  # patterns of one set of re2: thousands of short texts, each of another kind, make a larger one start anew


class Patterns(Check):
    """Every pattern is inside the common subset and compiles in re2, hyperscan and `regex`."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        for text, reason in proof.broken.items():
            path, line = proof.regexes[text]
            yield Problem(path, line, f"pattern {reason}: {_short(text)}")


class EqualHits(Check):
    """All engines give the same hits on every example and on every record that was matched in one."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        texts = {one.text for one in proof.examples}
        texts |= {match.record.text for found in proof.matches for match in found}
        told: set[str] = set()
        for text in sorted(texts):
            for regex, how in proof.engines.differences(text):
                if regex not in told:
                    told.add(regex)
                    path, line = proof.regexes[regex]
                    yield Problem(path, line, f"pattern {how}: {_short(regex)} on {_short(text)}")


class Anchors(Check):
    """The scan of single lines, which is all that large logs get, finds the record of every match."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        from triage.scan import Index, LineScanner

        anchors = Index(proof.sound).table.anchors
        scanners = [LineScanner(anchors, engine, size=_FEW) for engine in ("", "re2")]
        for example, matches in zip(proof.examples, proof.matches, strict=True):
            whole = example.text.encode()
            hits = [scanner.hits(whole) for scanner in scanners]
            lines = [sorted(one) for one in hits]
            if lines[0] != lines[1]:
                message = f"hyperscan and re2 find other lines in the example: {lines[0]} and {lines[1]}"
                yield Problem(example.path, example.line, message)
            for match in matches:
                if match.id != example.id or not all(p.regex for p in proof.sound.signatures[match.id].match):
                    continue
                text = "\n".join(line.text for line in match.record.lines).encode()
                if not all(hits if text == whole else [scanner.hits(text) for scanner in scanners]):
                    message = "no single line of the example holds its pattern, large logs would miss it; add `anchor`"
                    yield Problem(example.path, example.line, f"{match.id}: {message}")


class HasExamples(Check):
    """Every signature, and every table, is proven by an example and by a near miss that it leaves alone."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        shown = {one.id for one in proof.examples if one.wanted}
        tables = {proof.library.signatures[name].table for name in shown if name in proof.library.signatures}
        for one in proof.library.signatures.values():
            if one.id not in shown and not (one.table and one.table in tables):
                yield Problem(one.path, one.line, f"{one.id}: no example under `examples: match:`")
        spared = {one.path for one in proof.examples if not one.wanted}
        for path, one in {one.path: one for one in proof.library.signatures.values()}.items():
            if path not in spared:
                yield Problem(path, one.line, f"{one.table or one.id}: no near miss under `examples: ignore:`")
        for example in proof.examples:
            if example.table and not example.id:
                if example.wanted:
                    yield Problem(example.path, example.line, "a match example of a table names the `id` of its row")
            elif example.id not in proof.library.signatures:
                hint = did_you_mean(example.id, proof.library.signatures)
                yield Problem(example.path, example.line, f"example of unknown id {example.id!r}{hint}")


class Examples(Check):
    """Match examples give their id with its entities, ignore examples do not give it."""

    def check(self, proof: Proof) -> Iterator[Problem]:
        for example, matches in zip(proof.examples, proof.matches, strict=True):
            signature = proof.sound.signatures.get(example.id)
            if not example.wanted:
                for name in self._given(example, matches, proof.sound):
                    message = f"ignore example gives {name}: {_short(example.text)}"
                    yield Problem(example.path, example.line, message)
            elif signature is not None:
                yield from self._match(example, signature, matches, proof.sound)

    def _given(self, example: Example, matches: list[Match], library: Library) -> list[str]:
        """Which of the ids that an ignore example forbids it gives."""
        signature = library.signatures.get(example.id)
        if signature is not None and signature.derive:
            return [example.id] if _derived(example, library) else []
        ids = dict.fromkeys(match.id for match in matches)
        if example.table and not example.id:
            return [name for name in ids if library.signatures[name].table == example.table]
        return [name for name in ids if name == example.id]

    def _match(
        self, example: Example, signature: Signature, matches: list[Match], library: Library
    ) -> Iterator[Problem]:
        got: list[dict[str, Any]] = [dict(m.entities) for m in matches if m.id == example.id]
        if signature.derive:
            got = _derived(example, library)
        if got:
            yield from self._entities(example, signature, got)
            return
        ids = ", ".join(dict.fromkeys(m.id for m in matches)) or "nothing"
        message = f"match example does not give {example.id} but {ids}: {_short(example.text)}"
        yield Problem(example.path, example.line, message)

    def _entities(self, example: Example, signature: Signature, got: list[dict[str, Any]]) -> Iterator[Problem]:
        types = {name: kind for pattern in signature.match for name, kind in pattern.types.items()}
        for name, want in example.entities.items():
            have = [one[name] for one in got if name in one]
            if not any(_same(want, value, types.get(name, "str")) for value in have):
                shown = ", ".join(repr(value) for value in have) or "nothing"
                yield Problem(example.path, example.line, f"{example.id}: entity {name!r} is {shown}, not {want!r}")


class Overlaps(Check):
    """No fault is seen in the example of another one to which nothing relates it."""

    FAULTS: ClassVar = ("cause", "symptom", "carrier")

    def check(self, proof: Proof) -> Iterator[Problem]:
        related = Related(proof.library)
        for example, matches in zip(proof.examples, proof.matches, strict=True):
            if not example.wanted or example.id not in proof.library.signatures:
                continue
            for other in dict.fromkeys(match.id for match in matches):
                found = proof.library.signatures[other]
                if found.role in self.FAULTS and not related(example.id, other):
                    message = f"the example of {example.id} also gives {other} ({found.path}): relate or tighten"
                    yield Problem(example.path, example.line, message)


class Related:
    """Whether refinement, a fallback, a table, a derivation or a causal link relates two signatures."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.refined = {name: library.table().refined.get(name, []) for name in library.signatures}

    def __call__(self, a: str, b: str) -> bool:
        one, other = self.library.signatures[a], self.library.signatures[b]
        if a == b or b in self.refined[a] or a in self.refined[b] or one.fallback or other.fallback:
            return True
        if one.table and one.table == other.table:
            return True
        for first, second in ((one, other), (other, one)):
            if second.id in ((first.derive or {}).get("source") or ()):
                return True
        names = ({a, *self.refined[a]}, {b, *self.refined[b]})
        return any(_links(link, *names) for link in self.library.links)


def _links(link: Link, a: set[str], b: set[str]) -> bool:
    def named(ends: Sequence[tuple[str, str]], names: set[str]) -> bool:
        return any(
            end in names or (end.endswith("*") and any(name.startswith(end[:-1]) for name in names)) for end, _ in ends
        )

    return (named(link.cause, a) and named(link.effect, b)) or (named(link.cause, b) and named(link.effect, a))


def _derived(example: Example, library: Library) -> list[dict[str, Any]]:
    """The entities of the findings of the example's id, after correlation."""
    from triage.pipeline import Options, analyze_text

    # all of them: what is only another view of a finding is folded into it
    report = analyze_text(example.text, example.file, library, Options(show_all=True))
    return [dict(f.entities) for f in [*report.findings, *report.earlier] if f.id == example.id]


def _same(want: Any, got: Any, kind: str) -> bool:
    """Equal as logged, or equal as values of the entity's type (`0000:3b:00` and `00000000:3B:00.0`)."""
    if isinstance(want, list) or isinstance(got, list):
        return [str(v) for v in (want if isinstance(want, list) else [want])] == [
            str(v) for v in (got if isinstance(got, list) else [got])
        ]
    if str(want).strip() == str(got).strip():
        return True
    values = [read(kind, str(value))[0] for value in (want, got)]
    return values[0] is not None and values[0] == values[1]


def _short(text: str, size: int = 90) -> str:
    line = text.strip().replace("\n", "\\n")
    return line if len(line) <= size else line[: size - 3] + "..."
