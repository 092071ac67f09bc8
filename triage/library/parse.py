"""YAML text to library objects, through the schema. Imported only when there is no cached library."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from triage.library import expressions, schema
from triage.library.library import Library, Link, Pattern, Problem, Signature
from triage.library.patterns import compiled, reason
from triage.library.playbook import did_you_mean
from triage.library.subset import outside_subset
from triage.library.yaml_nodes import at, duplicates, line_of, read_yaml

_MODELS = [m for m in vars(schema).values() if isinstance(m, type) and issubclass(m, BaseModel)]
_FIELDS = {field for model in _MODELS for field in model.model_fields}


class Parser:
    """Collects the files of all folders, then resolves what refers to other files."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.replacements: list[tuple[str, str, str, int]] = []
        self.pending: list[tuple[schema.SignatureFile, str, int, str, str, yaml.Node | None]] = []

    def add(self, text: str, path: str, stem: str) -> None:
        """Takes in one YAML file. Problems go to the library's list."""
        try:
            data, node = read_yaml(text)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            self.problem(path, mark.line + 1 if mark else 1, f"not valid YAML: {getattr(error, 'problem', error)}")
            return
        for key, line in duplicates(node):
            self.problem(path, line, f"{key!r} stands twice")
        if isinstance(data, list):
            self._links(data, node, path)
        elif not isinstance(data, dict):
            self.problem(path, 1, "neither a signature, a table, headers nor a list of causal links")
        elif "headers" in data:
            self._headers(data, node, path)
        elif stem in ("recovery", "quoting"):
            self._words(data, node, path)
        elif stem == "replaced":
            self._replaced(data, node, path)
        elif "table" in data:
            self._table(data, node, path)
        else:
            self._signature(data, node, path, stem)

    def problem(self, path: str, line: int, message: str) -> None:
        self.library.problems.append(Problem(path, line, message))

    def _check(self, model: type[schema.Strict], data: Any, node: yaml.Node | None, path: str) -> Any:
        try:
            return model.model_validate(data)
        except ValidationError as error:
            for one in error.errors():
                place = tuple(one["loc"])
                message = one["msg"].removeprefix("Value error, ")
                if one["type"] == "extra_forbidden":
                    message = f"unknown field {place[-1]!r}{did_you_mean(str(place[-1]), _FIELDS)}"
                elif place:
                    message = f"{'.'.join(str(p) for p in place)}: {message}"
                self.problem(path, line_of(node, place), message)
            return None

    def _words(self, data: dict[str, Any], node: yaml.Node | None, path: str) -> None:
        """Lists of regexes by name; an entry may be a pair `fault => relief`."""
        for key, entries in data.items():
            good: list[str] = []
            for number, entry in enumerate(entries if isinstance(entries, list) else []):
                why = next((w for part in str(entry).split(" => ", 1) if (w := _broken(part))), "")
                if why:
                    self.problem(path, line_of(node, (key, number)), f"{key}: {why}")
                else:
                    good.append(str(entry))
            if not good:
                self.problem(path, line_of(node, (key,)), f"{key}: no list of regexes")
            self.library.words[key] = good

    def _replaced(self, data: dict[str, Any], node: yaml.Node | None, path: str) -> None:
        for old, new in data.items():
            if isinstance(new, str):
                self.library.replaced[str(old)] = new
                self.replacements.append((str(old), new, path, line_of(node, (old,))))
            else:
                self.problem(path, line_of(node, (old,)), f"{old!r} must name the id that took its place")

    def _headers(self, data: dict[str, Any], node: yaml.Node | None, path: str) -> None:
        for extra in set(data) - {"headers"}:
            self.problem(path, line_of(node, (extra,)), f"unknown field {extra!r}")
        for name, fields in (data["headers"] or {}).items():
            header = self._check(schema.Header, fields, node, path)
            if header is not None:
                if name in self.library.headers:
                    self.library.notes.append(f"header {name}: {path} replaces an earlier one")
                self.library.headers[name] = header.model_dump()

    def _links(self, data: list[Any], node: yaml.Node | None, path: str) -> None:
        for i, entry in enumerate(data):
            sub = node.value[i] if isinstance(node, yaml.SequenceNode) else None
            link = self._check(schema.LinkFile, entry, sub, path)
            if link is not None:
                for _, where in [*_ends(link.cause), *_ends(link.effect)]:
                    try:
                        expressions.parse(where or "true")
                    except expressions.ExpressionError as error:
                        self.problem(path, line_of(sub, ("effect",)), str(error))
                otherwise = {k: v.model_dump(exclude_none=True) for k, v in link.otherwise.items()}
                made = Link(
                    _ends(link.cause), _ends(link.effect), link.relation, link.join, link.window, link.until or "",
                    link.strength, otherwise, link.why, path, line_of(sub, ()),
                    link.source or link.basis or "",
                )  # fmt: skip
                self.library.links.append(made)

    def _signature(self, data: dict[str, Any], node: yaml.Node | None, path: str, stem: str) -> None:
        checked = self._check(schema.SignatureFile, data, node, path)
        if checked is None:
            return
        if checked.id != stem:
            self.problem(path, line_of(node, ("id",)), f"the id {checked.id!r} is not the file's name {stem!r}")
        self.pending.append((checked, path, 1, "", "", node))

    def _table(self, data: dict[str, Any], node: yaml.Node | None, path: str) -> None:
        table = self._check(schema.TableFile, data, node, path)
        if table is None:
            return
        uses = [table.use] if isinstance(table.use, str) else table.use
        for i, row in enumerate(table.rows):
            line = line_of(node, ("rows", i))
            if table.select not in row:
                self.problem(path, line, f"the row lacks {table.select!r}")
                continue
            number = row[table.select]
            wanted = json_literal(number)
            fields = {**table.defaults, **{k: v for k, v in row.items() if k != table.select}}
            fields["id"] = table.id.replace("{" + table.select + "}", str(number).lower())
            fields["match"] = [{"use": use, "where": f"{table.select} == {wanted}"} for use in uses]
            checked = self._check(schema.SignatureFile, fields, at(node, "rows", i), path)
            if checked is not None:
                self.pending.append((checked, path, line, table.table, "", None))
        if table.unknown:
            fields = {**table.defaults, **table.unknown, "match": [{"use": use} for use in uses]}
            checked = self._check(schema.SignatureFile, fields, at(node, "unknown"), path)
            if checked is not None:
                self.pending.append((checked, path, line_of(node, ("unknown",)), table.table, table.select, None))

    def finish(self) -> None:
        """Resolves headers, turns all into signatures and reports what does not fit together."""
        for checked, path, line, table, unknown_of, node in self.pending:
            signature = self._resolve(checked, path, line, table, unknown_of, node)
            if signature is None:
                continue
            old = self.library.signatures.get(signature.id)
            if old is not None and old.path == path:
                self.problem(path, line, f"the id {signature.id!r} stands twice")
            elif old is not None:
                self.library.notes.append(f"signature {signature.id}: {path} replaces {old.path}")
            self.library.signatures[signature.id] = signature
        self._references()

    def _resolve(
        self, checked: schema.SignatureFile, path: str, line: int, table: str, unknown_of: str, node: yaml.Node | None
    ) -> Signature | None:
        patterns, good = [], True
        for number, pattern in enumerate(checked.match):
            regex, formats, types, anchor = pattern.regex or "", pattern.formats, pattern.types, pattern.anchor or ""
            if pattern.use:
                header = self.library.headers.get(pattern.use)
                if header is None:
                    self.problem(
                        path, line, f"unknown header {pattern.use!r}{did_you_mean(pattern.use, self.library.headers)}"
                    )
                    good = False
                    continue
                regex, anchor = header["regex"], header["anchor"] or ""
                formats, types = formats or header["formats"], {**header["types"], **types}
            if regex and (error := _broken(regex)):
                at = line_of(node, ("match", number, "regex")) if node else line
                self.problem(path, at, f"{checked.id}: {regex!r} {error}")
                good = False
                continue
            patterns.append(Pattern(regex, tuple(formats), {**types, **checked.types}, pattern.where or "", anchor))
        for source in [*checked.let.values(), *checked.where, *(p.where for p in patterns if p.where),
                       *(p.when for p in checked.promote), *(r.when for r in checked.readings)]:  # fmt: skip
            try:
                expressions.parse(source)
            except expressions.ExpressionError as error:
                self.problem(path, line, str(error))
                good = False
        if not good:
            return None
        refines = [checked.refines] if isinstance(checked.refines, str) else checked.refines or []
        family = path.replace("\\", "/").split("/")[-2] if "/" in path.replace("\\", "/") else ""
        return Signature(
            id=checked.id, family=family, path=path, line=line, title=checked.title, severity=checked.severity,
            role=checked.role, status=checked.status, confidence=checked.confidence, action=checked.action,
            action_vendor=checked.action_vendor, key=checked.key, match=patterns, let=checked.let, tells=checked.tells,
            where=checked.where, unless=[{"regex": u.regex, "in": u.scope} for u in checked.unless],
            refines=refines, fallback=checked.fallback, doubts=checked.doubts,
            promote=[p.model_dump(exclude_none=True) for p in checked.promote],
            readings=[r.model_dump() for r in checked.readings],
            derive=checked.derive.model_dump() if checked.derive else None,
            means=checked.means.strip(), title_zh=checked.title_zh, summary_zh=checked.summary_zh,
            playbook=checked.playbook or "", recheck=checked.recheck, sources=checked.sources,
            basis=checked.basis or "", table=table, unknown_of=unknown_of,
        )  # fmt: skip

    def _references(self) -> None:
        known = self.library.signatures
        for signature in known.values():
            derived = signature.derive or {}
            for other in [*signature.refines, *derived.get("source", []), *derived.get("exited", [])]:
                if other not in known:
                    hint = did_you_mean(other, known)
                    self.problem(signature.path, signature.line, f"{signature.id}: no signature {other!r}{hint}")
            if signature.playbook and signature.playbook not in self.library.playbooks:
                hint = did_you_mean(signature.playbook, self.library.playbooks)
                self.problem(
                    signature.path, signature.line, f"{signature.id}: no playbook {signature.playbook!r}{hint}"
                )
        ids = {*known, *self.library.playbooks}
        for old, new, path, line in self.replacements:
            if old in ids:
                self.problem(path, line, f"{old!r} is replaced, but exists")
            if new not in ids and new not in self.library.replaced:
                self.problem(path, line, f"no signature or playbook {new!r}{did_you_mean(new, ids)}")
        for link in self.library.links:
            for other, _ in [*link.cause, *link.effect]:
                if not other.endswith("*") and other not in known:
                    self.problem(link.path, link.line, f"no signature {other!r}{did_you_mean(other, known)}")


def _broken(pattern: str) -> str:
    """Why a pattern is not in the language of the engines, or an empty string."""
    if outside := outside_subset(pattern):
        return f"uses {outside}, which is outside the RE2 subset"
    try:
        compiled(pattern)
    except Exception as error:  # the error types of re2 and regex have no common base
        return f"does not compile: {reason(error).removesuffix(': (?m)' + pattern)}"
    return ""


def json_literal(value: Any) -> str:
    """A value as it is written in an expression."""
    return str(value) if isinstance(value, (int, float)) else '"' + str(value).replace('"', "") + '"'


def _ends(value: Any) -> list[tuple[str, str]]:
    entries = value if isinstance(value, (list, tuple)) else [value]
    return [(e, "") if isinstance(e, str) else (e.id, e.where or "") for e in entries]
