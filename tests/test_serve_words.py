from __future__ import annotations

import ast
from pathlib import Path

import pytest

from triage.render import lang
from triage.serve import words

SERVE = Path(words.__file__).parent


def said() -> set[str]:
    """Each phrase that the pages say, as it stands in their source: arguments of `say`, and of `message`."""
    found = {"Paste", "Knowledge", "Plain text", "Log with line numbers"}
    for name in ("page.py", "site.py", "app.py"):
        for node in ast.walk(ast.parse((SERVE / name).read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("say", "message"):
                found |= {one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return found


@pytest.mark.parametrize("phrase", sorted(said()))
def test_each_phrase_of_a_page_has_its_chinese(phrase: str) -> None:
    with lang.using("zh"):
        assert words.say(phrase) != phrase
    with lang.using("en"):
        assert words.say(phrase) == phrase


@pytest.mark.parametrize("phrase", sorted(words.ZH))
def test_a_translation_has_the_blanks_of_its_phrase(phrase: str) -> None:
    blanks = [part.partition("}")[0] for part in phrase.split("{")[1:]]
    assert blanks == [part.partition("}")[0] for part in words.ZH[phrase].split("{")[1:]]


def test_a_phrase_that_is_not_ours_stays_as_it_is() -> None:
    with lang.using("zh"):
        assert words.say("FAULT") == "故障"
        assert words.say("nobody says this") == "nobody says this"
