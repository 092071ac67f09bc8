from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from small import library, signature

from triage.library.loader import load_library
from triage.library.patterns import compiled
from triage.scan import Index, LineScanner

FIXTURES = Path(__file__).parent.parent / "fixtures"
ANCHORS = load_library().table().anchors
HYPERSCAN = pytest.importorskip("hyperscan") and LineScanner(ANCHORS)
RE2 = LineScanner(ANCHORS, "re2")


@pytest.mark.parametrize("path", sorted(p for p in FIXTURES.rglob("*.log")), ids=lambda p: str(p.relative_to(FIXTURES)))
def test_both_engines_find_the_same_lines(path: Path) -> None:
    data = path.read_bytes()
    assert HYPERSCAN.hits(data) == RE2.hits(data)


def test_both_engines_agree_on_all_examples() -> None:
    examples: set[str] = set()
    for path in (FIXTURES.parent / "signatures").rglob("*.yaml"):
        data = yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if not isinstance(data, dict):
            continue
        for own in (data.get("examples") or {}).values():
            examples.update(line for example in own for line in example["text"].splitlines())
    lines = sorted(line.encode() for line in examples if line.strip())
    assert len(lines) > 500
    assert not [line for line in lines if HYPERSCAN.hits(line) != RE2.hits(line)]


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["CUDA out of memory. Tried", "NVRM: Xid (PCI:0000:3b:00): 79, x", "step 1", "", "Ünïcode", "segfault"])))
def test_both_engines_agree_on_any_order_of_lines(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    assert HYPERSCAN.hits(data) == RE2.hits(data)


def test_hits_are_line_numbers(tmp_path: Path) -> None:
    index = Index(library(tmp_path, {"a.yaml": signature("a", "^boom [0-9]+$")}))
    block = b"boom 1\nquiet\n[  1.2] boom 22\nboom x\nboom 3"
    for engine in ("hyperscan", "re2"):
        assert list(LineScanner(index.table.anchors, engine).hits(block)) == [0, 2, 4]


def test_a_header_may_stand_before_an_anchored_pattern(tmp_path: Path) -> None:
    index = Index(library(tmp_path, {"a.yaml": signature("a", "^Killed$")}))
    assert LineScanner(index.table.anchors).hits(b"Mar 11 host run[1]: Killed\n") == {0: 0}


def test_candidates_are_the_patterns_that_hold(tmp_path: Path) -> None:
    files = {f"s{i}.yaml": signature(f"s{i}", f"word{i} .*end") for i in range(150)}
    index = Index(library(tmp_path, files))
    text = "x word7 and word149 to the end"
    found = {name for i in index.candidates([text]).of(text) for name, _ in index.table.users[i]}
    assert found == {"s7", "s149"}


def test_no_candidate_is_lost_on_long_texts() -> None:
    index = Index(load_library())
    line = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, name=x, GPU has fallen off the bus."
    text = "\n".join(f"frame {i}: 0x{i:x} in some.so error {i * 7919}" for i in range(3000)) + "\n" + line
    wanted = next(i for i, rows in enumerate(index.table.keyed) if "79" in rows.get("xid", {}))
    assert wanted in index.candidates([text]).of(text)


def test_patterns_are_linear_in_time() -> None:
    assert compiled("(a*)*b").search("a" * 5000) is None


def test_facts_are_weak(tmp_path: Path) -> None:
    files = {"a.yaml": signature("a", "boom"), "f.yaml": signature("f", "all well", role="context")}
    index = Index(library(tmp_path, files))
    for engine in ("hyperscan", "re2"):
        scanner = LineScanner(index.table.anchors, engine, index.table.weak)
        boom, well = (scanner.anchors.index(text) for text in ("boom", "all well"))
        assert scanner.hits(b"all well\nboom\nall well, boom") == {0: -1 - well, 1: boom, 2: boom}
