"""docs/signature.schema.json, for editors, says what the library accepts."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from triage.library.loader import default_folder
from triage.library.yaml_nodes import read_yaml

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ROOT / "docs" / "signature.schema.json"


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("schema_of_signatures", ROOT / "bench" / "schema.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_schema_is_up_to_date() -> None:
    assert WRITTEN.read_text(encoding="utf-8") == generator().text(), "run: python bench/schema.py"


def test_the_schema_knows_every_field_of_every_file() -> None:
    known = json.loads(WRITTEN.read_text(encoding="utf-8"))["$defs"]
    for path in sorted((default_folder() / "signatures").glob("*/*.yaml")):
        data, _ = read_yaml(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and ("id" in data) and path.parent.name not in ("headers.d", "causality.d"):
            kind = known["TableFile" if "table" in data else "SignatureFile"]
            assert set(data) <= set(kind["properties"]), path
            assert set(kind["required"]) <= set(data), path
