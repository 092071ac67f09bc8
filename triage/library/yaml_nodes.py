"""YAML with the places of its words, so that a problem can name its line."""

from __future__ import annotations

from typing import Any

import yaml

try:
    from yaml import CSafeLoader as Loader
except ImportError:  # PyYAML without libyaml
    from yaml import SafeLoader as Loader  # type: ignore[assignment]

def read_yaml(text: str) -> tuple[Any, yaml.Node | None]:
    """The data of a YAML text and its node tree (for line numbers). Raises yaml.YAMLError."""
    loader = Loader(text)
    try:
        node = loader.get_single_node()
        return (loader.construct_document(node) if node is not None else None), node
    finally:
        loader.dispose()


def line_of(node: yaml.Node | None, where: tuple[Any, ...]) -> int:
    """The line (1-based) of a place such as ("match", 0, "regex"); the nearest parent if it is not there."""
    line = node.start_mark.line if node is not None else 0
    for step in where:
        if isinstance(node, yaml.MappingNode):
            found = [(k, v) for k, v in node.value if k.value == str(step)]
            if not found:
                continue  # pydantic names union members inside a place
            line, node = found[0][0].start_mark.line, found[0][1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
    return line + 1


def duplicates(node: yaml.Node | None) -> list[tuple[str, int]]:
    """Keys that stand twice in one mapping: (key, line)."""
    found: list[tuple[str, int]] = []
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                found.append((key.value, key.start_mark.line + 1))
            seen.add(key.value)
            found += duplicates(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            found += duplicates(value)
    return found


def at(node: yaml.Node | None, *where: Any) -> yaml.Node | None:
    """The node at a place such as ("match", 0); None if it is not there."""
    for step in where:
        if isinstance(node, yaml.MappingNode):
            node = next((v for k, v in node.value if k.value == step), None)
        elif isinstance(node, yaml.SequenceNode):
            node = node.value[step]
    return node
