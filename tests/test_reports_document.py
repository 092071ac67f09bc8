"""Markdown is read by a real parser: places stay right with CRLF, nesting and front matter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from incident import LOG_LINE, RIGHT

from triage.reports.document import parse


def test_front_matter_and_its_lines() -> None:
    document = parse(RIGHT)
    assert document.front["signature"] == "xid-79"
    assert document.lines[document.key_line("signature") - 1] == "signature: xid-79"
    assert document.lines[document.front_stop - 2] == "---"
    assert document.broken is None


def test_fences_know_where_their_text_begins() -> None:
    for text in (RIGHT, RIGHT.replace("\n", "\r\n"), "\ufeff" + RIGHT):
        document = parse(text)
        (fence,) = document.fences()
        assert fence.info == 'log title="dmesg.txt"'
        assert "Xid" in document.lines[LOG_LINE - 1]
        assert document.lines[fence.inner - 1] == fence.text.split("\n")[0]
        assert fence.inner == LOG_LINE - 1
    assert parse(RIGHT.replace("\n", "\r\n")).newline == "\r\n"


def test_fences_in_lists_and_quotes_are_found() -> None:
    document = parse("- a\n\n  ```log\n  x\n  ```\n\n> ```text\n> y\n> ```\n\n    indented\n")
    assert [(f.start, f.inner, f.text) for f in document.fences()] == [(3, 4, "x\n"), (7, 8, "y\n"), (11, 11, "indented\n")]


def test_sections_are_known_by_meaning() -> None:
    document = parse("# T\n\n## Root causes: two\n\na\n\n### Sub\n\nb\n\n## 影响\n\nc\n")
    head, stop = document.section(["root causes"]) or (None, 0)
    assert head is not None
    assert (head.start, stop) == (3, 11)
    assert document.section(["影响"]) is not None
    assert document.section(["impact"]) is None


def test_links_and_code_have_their_lines() -> None:
    document = parse("a\nsee [the log](x.log)\nand `code`\n\n| a |\n|---|\n| [b](c.md) |\n")
    assert [(s.line, s.text, s.href) for s in document.spans] == [(2, "the log", "x.log"), (3, "code", ""), (7, "b", "c.md")]


def test_broken_front_matter_is_told_with_its_line() -> None:
    assert parse("---\na: b\nc: [\n---\n# x\n").broken is not None
    assert (parse("---\na: b\nc: d: e\n---\n").broken or (0, ""))[0] == 3
    assert parse("---\n- a\n---\n").broken == (1, "it must be `name: value` lines")
    bomb = "a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20))
    assert "aliases" in (parse(f"---\n{bomb}---\n").broken or (0, ""))[1]
    assert parse("---\nnever closed\n").front == {}


def test_what_an_ignore_covers() -> None:
    text = (
        "---\na: b\n---\n<!-- triage: ignore TRI020 no id -->\n\n# T\n\n<!-- triage: ignore TRI012, secret-quoted: public -->\n"
        "10.0.0.1\nmore\n\n10.0.0.2\n\n<!-- triage: ignore TRI041 old -->\n## S\n\ntext\n\n## Next\n\nx <!-- triage: ignore TRI010 r -->\n"
        "\n<!-- triage: ignore-file TRI042 lost -->\n"
    )
    found = [(i.line, i.codes, i.reason, i.start, i.stop) for i in parse(text).ignores]
    assert found == [
        (4, ["TRI020"], "no id", 1, 25), (8, ["TRI012", "secret-quoted"], "public", 8, 11), (14, ["TRI041"], "old", 14, 19),
        (21, ["TRI010"], "r", 21, 22), (23, ["TRI042"], "lost", 1, 26),
    ]  # fmt: skip


@given(st.text(alphabet="#-`>|\n \r:ab[]()<!triage ignore TRI001", max_size=120))
def test_any_text_is_read(text: str) -> None:
    document = parse(text)
    for block in document.blocks:
        assert 1 <= block.start <= block.stop <= len(document.lines) + 1
