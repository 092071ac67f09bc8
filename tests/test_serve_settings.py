from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")

from triage.serve.desk import FILES_MOST, TEXT_MOST
from triage.serve.settings import Settings


@pytest.mark.parametrize(
    ("url", "base", "link"),
    [
        ("https://triage.example", "http://10.0.0.1:8080/", "https://triage.example/r/x"),
        ("https://triage.example/desk/", "http://10.0.0.1:8080/", "https://triage.example/desk/r/x"),
        ("", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/r/x"),
    ],
)
def test_a_link_is_of_the_address_that_people_know(url: str, base: str, link: str) -> None:
    assert Settings(url=url).link(base, "/r/x") == link


def test_limits_are_those_of_the_desk_and_memory_holds_less_than_the_disk() -> None:
    settings = Settings()
    assert (settings.text, settings.upload) == (TEXT_MOST, FILES_MOST)
    assert settings.text < settings.body < settings.upload
