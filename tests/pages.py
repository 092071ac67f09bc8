"""Reads pages of HTML as strictly as tests need it."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "hr", "img"}
HOSTILE = """</script><script>alert(1)</script><img src=x onerror=alert(1)>"'&`<!--\u202e\x1b[31m"""


class Reader(HTMLParser):
    """What a page holds; wrong nesting is an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.said = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), f"an attribute twice: {tag} {attrs}"
        if tag in ("p", "h1", "h2", "h3"):
            assert "p" not in self.open, f"<{tag}> inside of <p>"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open[-1:] == [tag], f"</{tag}> closes {self.open}"
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)
            self.said += "" if self.open[-1] in ("style", "script") else data

    def having(self, attribute: str) -> list[str]:
        return [str(attrs[attribute]) for _, attrs in self.tags if attribute in attrs]
