"""The small language of conditions: parsed, never run as code; what is unknown stays unknown.

or := and ("or" and)*        and := not ("and" not)*        not := "not" not | compare
compare := sum (("<" | "<=" | ">" | ">=" | "==" | "!=" | "in") sum)?
sum := term (("+" | "-") term)*      term := unary (("*" | "/") unary)*      unary := "-" unary | default
default := atom ("??" unary)*
atom := number | "text" | 'text' | name | name "(" args ")" | "(" or ")" | "[" args "]"
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from triage import lazy

Env = Callable[[str], Any]
Calls = Callable[[str, list[Any]], Any]

_TOKEN = lazy.pattern(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<text>\"[^\"]*\"|'[^']*')|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>\?\?|<=|>=|==|!=|[-+*/<>()\[\],]))"
)
_VERSION = lazy.pattern(r"^\d+(?:\.\d+)+$")
_COMPARE = {"<", "<=", ">", ">=", "==", "!=", "in"}
FUNCTIONS = {"mentioned", "rate"}


class ExpressionError(ValueError):
    """An expression that cannot be parsed; the message names the place."""


class _Parser:
    def __init__(self, source: str) -> None:
        self.source, self.tokens, at = source, [], 0
        source = source.rstrip()
        while at < len(source):
            found = _TOKEN.match(source, at)
            if not found:
                raise ExpressionError(f"cannot read {source[at : at + 12]!r} in {source!r}")
            kind = str(found.lastgroup)
            self.tokens.append((kind, found[kind]))
            at = found.end()
        self.at = 0

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def accept(self, *words: str) -> str | None:
        kind, word = self.peek()
        if kind in ("op", "name") and word in words:
            self.at += 1
            return word
        return None

    def expect(self, word: str) -> None:
        if not self.accept(word):
            raise ExpressionError(f"expected {word!r} before {self.peek()[1] or 'the end'!r} in {self.source!r}")

    def either(self) -> Any:
        left = self.both()
        while self.accept("or"):
            left = ("or", left, self.both())
        return left

    def both(self) -> Any:
        left = self.negation()
        while self.accept("and"):
            left = ("and", left, self.negation())
        return left

    def negation(self) -> Any:
        return ("not", self.negation()) if self.accept("not") else self.compare()

    def compare(self) -> Any:
        left = self.sum()
        word = self.accept(*_COMPARE)
        return (word, left, self.sum()) if word else left

    def sum(self) -> Any:
        left = self.term()
        while word := self.accept("+", "-"):
            left = (word, left, self.term())
        return left

    def term(self) -> Any:
        left = self.unary()
        while word := self.accept("*", "/"):
            left = (word, left, self.unary())
        return left

    def unary(self) -> Any:
        return ("neg", self.unary()) if self.accept("-") else self.default()

    def default(self) -> Any:
        left = self.atom()
        while self.accept("??"):
            left = ("??", left, self.unary())
        return left

    def items(self, end: str) -> list[Any]:
        found: list[Any] = []
        while not self.accept(end):
            found.append(self.either())
            if not self.accept(","):
                self.expect(end)
                break
        return found

    def atom(self) -> Any:
        kind, word = self.peek()
        self.at += 1
        if kind == "number":
            return ("value", float(word) if any(c in word for c in ".eE") else int(word))
        if kind == "text":
            return ("value", word[1:-1])
        if kind == "name" and word in ("true", "false"):
            return ("value", word == "true")
        if kind == "name" and word not in ("and", "or", "not", "in"):
            return ("call", word, self.items(")")) if self.accept("(") else ("name", word)
        if word == "(":
            inner = self.either()
            self.expect(")")
            return inner
        if word == "[":
            return ("list", self.items("]"))
        raise ExpressionError(f"unexpected {word or 'end'!r} in {self.source!r}")


@cache
def parse(source: str) -> Any:
    """The tree of an expression. Raises ExpressionError."""
    parser = _Parser(source)
    tree = parser.either()
    if parser.peek()[0] != "end":
        raise ExpressionError(f"unexpected {parser.peek()[1]!r} in {source!r}")
    for name in _calls(tree):
        if name not in FUNCTIONS:
            raise ExpressionError(f"unknown function {name!r} in {source!r}; known: {', '.join(sorted(FUNCTIONS))}")
    return tree


def names(tree: Any) -> set[str]:
    """All names that a tree uses."""
    if tree[0] == "name":
        return {tree[1]}
    return {name for part in _parts(tree) for name in names(part)}


def _calls(tree: Any) -> set[str]:
    own = {tree[1]} if tree[0] == "call" else set()
    return own.union(*(_calls(part) for part in _parts(tree)))


def _parts(tree: Any) -> list[Any]:
    if tree[0] in ("value", "name"):
        return []
    if tree[0] == "call":
        return list(tree[2])
    return list(tree[1]) if tree[0] == "list" else list(tree[1:])


def evaluate(source: str, env: Env, calls: Calls | None = None) -> Any:
    """The value of an expression; None when it depends on something unknown."""
    return _value(parse(source), env, calls)


def _value(tree: Any, env: Env, calls: Calls | None) -> Any:
    kind = tree[0]
    if kind == "value":
        return tree[1]
    if kind == "name":
        return env(tree[1])
    if kind == "list":
        return [_value(part, env, calls) for part in tree[1]]
    if kind == "call":
        return calls(tree[1], [_value(part, env, calls) for part in tree[2]]) if calls else None
    if kind == "??":
        left = _value(tree[1], env, calls)
        return left if left is not None else _value(tree[2], env, calls)
    if kind in ("and", "or"):
        return _logic(kind, _value(tree[1], env, calls), lambda: _value(tree[2], env, calls))
    values = [_value(part, env, calls) for part in tree[1:]]
    if any(value is None for value in values):
        return None
    if kind == "not":
        return not values[0]
    if kind == "neg":
        return -values[0] if isinstance(values[0], (int, float)) else None
    return _binary(kind, values[0], values[1])


def _logic(kind: str, left: Any, right: Callable[[], Any]) -> bool | None:
    """Kleene's three-valued and / or."""
    decisive = kind == "or"
    if left is not None and bool(left) == decisive:
        return decisive
    other = right()
    if other is not None and bool(other) == decisive:
        return decisive
    return None if left is None or other is None else not decisive


def _binary(kind: str, left: Any, right: Any) -> Any:
    if kind == "in":
        return any(_compare("==", left, one) for one in right) if isinstance(right, list) else None
    if kind in _COMPARE:
        return _compare(kind, left, right)
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return None
    if kind == "/":
        return left / right if right else None
    return {"+": left + right, "-": left - right, "*": left * right}[kind]


def _compare(kind: str, left: Any, right: Any) -> bool | None:
    left, right = _comparable(left, right)
    try:
        return bool(
            {
                "==": lambda: left == right,
                "!=": lambda: left != right,
                "<": lambda: left < right,
                "<=": lambda: left <= right,
                ">": lambda: left > right,
                ">=": lambda: left >= right,
            }[kind]()
        )
    except TypeError:
        return None


def _comparable(left: Any, right: Any) -> tuple[Any, Any]:
    """Both as numbers, as versions, or as they are."""
    if isinstance(left, str) and isinstance(right, str) and _VERSION.match(left) and _VERSION.match(right):
        return _version(left), _version(right)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str) and isinstance(other, (int, float)) and not isinstance(other, bool):
            if _VERSION.match(one):
                return _version(str(left)), _version(str(right))
            try:
                return float(left), float(right)
            except ValueError:
                break
    return left, right


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
