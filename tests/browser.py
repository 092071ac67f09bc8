"""Chromium, driven by its own driver, for the tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WIDTH, HEIGHT = 1280, 900


@contextmanager
def chromium(downloads: Path | None = None) -> Iterator[Any]:
    """A headless browser with a log of what its console says; skips where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver")
    binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no Chromium with its driver is installed (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--lang=en"):
        options.add_argument(argument)
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses to run as root with it
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options, webdriver.ChromeService(driver))
    try:
        browser.set_page_load_timeout(60)
        yield browser
    finally:
        browser.quit()


def size(browser: Any, width: int, height: int = HEIGHT, dark: bool = False) -> None:
    """A screen of this size, with or without a wish for dark pages."""
    phone = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def script(browser: Any, on: bool) -> None:
    """Turns JavaScript of pages on or off, as a person does."""
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})


def complaints(browser: Any) -> list[str]:
    """What the console said since the last call: violations of the policy, errors, resources that did not load."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
