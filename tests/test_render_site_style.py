"""Style and script of the published library: small, closed, readable by everybody."""

from __future__ import annotations

import re

from triage.render.site_style import SCRIPT, STYLE


def luminance(colour: str) -> float:
    """WCAG 2.1, relative luminance of `#rgb` or `#rrggbb`."""
    digits = colour[1:]
    if len(digits) == 3:
        digits = "".join(c * 2 for c in digits)
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def schemes() -> list[dict[str, str]]:
    """The colours of the light, the dark and the printed page."""
    blocks = re.findall(r":root\{([^}]*)\}", STYLE)
    return [dict(re.findall(r"--([a-z]+):(#[0-9a-f]{3,6})", block)) for block in blocks]


def test_text_can_be_read_in_every_scheme() -> None:
    assert len(schemes()) == 3
    for colours in schemes():
        assert contrast(colours["text"], colours["bg"]) >= 7  # WCAG 2.1 AAA
        for name in {"dim", "link", "fatal", "error", "warning", "info", "good"} & colours.keys():
            assert contrast(colours[name], colours["bg"]) >= 4.5, name  # AA


def test_nothing_leaves_the_page() -> None:
    for word in ("http:", "https:", "fetch(", "XMLHttpRequest", "eval(", "innerHTML", "import("):
        assert word not in SCRIPT
    assert "url(" not in STYLE
    assert len(STYLE) + len(SCRIPT) < 20_000
