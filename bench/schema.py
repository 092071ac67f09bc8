"""Writes docs/signature.schema.json, with which editors complete and check the YAML of signatures and tables.

    python bench/schema.py

In an editor with the YAML language server, the first line of a file names it:
`# yaml-language-server: $schema=https://.../docs/signature.schema.json`, or a setting maps `signatures/*/*.yaml` to it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from triage.library.schema import SignatureFile, TableFile

TARGET = Path(__file__).resolve().parent.parent / "docs" / "signature.schema.json"


def schema() -> dict[str, Any]:
    """The JSON schema of a file of signatures: a single one, or a table of them."""
    made = TypeAdapter(SignatureFile | TableFile).json_schema(by_alias=True)
    where = made["$defs"]["SignatureFile"]["properties"]["where"]
    where["anyOf"] = [{"type": "string"}, {"type": where.pop("type"), "items": where.pop("items")}]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A signature of triage, or a table of signatures",
        "description": "What the fields mean is told in docs/library.md.",
        **made,
    }


def text() -> str:
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
