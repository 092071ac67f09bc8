"""The page as a person meets it: in Chromium, by keyboard, without scripts, in the dark, on a phone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn")
pytest.importorskip("selenium")

from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser import chromium, complaints, script, size
from tests.desk import XID, desk
from tests.served import live
from triage.serve.app import create
from triage.serve.settings import Settings

HOSTILE = "</script><script>window.owned=1</script><img src=x onerror=window.owned=2></textarea>\u202e{{7*7}}"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = Settings(rate="10000/minute", upload=1 << 20)
    with desk(tmp_path_factory.mktemp("desk")) as made, live(create(made, settings)) as url:
        yield url


@pytest.fixture(scope="module")
def started(url: str) -> Iterator[Any]:
    with chromium() as browser:
        permissions = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": url}
        browser.execute_cdp_cmd("Browser.grantPermissions", permissions)
        yield browser


@pytest.fixture
def browser(started: Any) -> Iterator[Any]:
    size(started, 1280)
    script(started, on=True)
    started.delete_all_cookies()
    complaints(started)
    yield started
    assert complaints(started) == []


def one(browser: Any, css: str) -> Any:
    return browser.find_element(By.CSS_SELECTOR, css)


def press(browser: Any, key: str) -> None:
    ActionChains(browser).send_keys(key).perform()


def report(browser: Any, url: str, text: str = XID) -> str:
    """Pastes a text; the address of its report."""
    browser.get(url)
    browser.execute_script("document.querySelector('#text').value = arguments[0]", text)
    one(browser, "form button").click()
    return arrived(browser)


def arrived(browser: Any) -> str:
    until = time.monotonic() + 30
    while "/r/" not in browser.current_url:
        assert time.monotonic() < until, browser.page_source[-2000:]
        time.sleep(0.05)
    return str(browser.current_url)


def wait(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    until = time.monotonic() + seconds
    while True:
        with suppress(NoSuchElementException, StaleElementReferenceException):
            if condition():
                return
        assert time.monotonic() < until
        time.sleep(0.05)


def copied(browser: Any, link: Any) -> None:
    """Waits until the page says that this was copied."""
    told = link.get_attribute("data-copy")
    wait(lambda: one(browser, "#said").text == told)


def test_all_can_be_done_with_the_keyboard(browser: Any, url: str) -> None:
    browser.get(url)
    field = browser.switch_to.active_element
    assert field.get_attribute("id") == "text"
    field.send_keys(XID)
    for expected in ("files", "zone", ""):
        press(browser, Keys.TAB)
        assert (browser.switch_to.active_element.get_attribute("id") or "") == expected
    press(browser, Keys.ENTER)
    arrived(browser)
    assert "fallen off the bus" in one(browser, "h1").text
    seen, reached = set(), set()
    press(browser, Keys.TAB)
    for _ in range(120):
        element = browser.switch_to.active_element
        if element.tag_name == "body" or element.id in seen:
            break
        seen.add(element.id)
        ring = browser.execute_script("const s=getComputedStyle(arguments[0]);return s.outlineStyle+s.outlineWidth", element)
        assert "none" not in ring
        if element.get_attribute("type") == "checkbox":
            press(browser, Keys.SPACE)
            assert element.is_selected()
            reached.add("box")
        if element.get_attribute("data-copy"):
            press(browser, Keys.SPACE)
            copied(browser, element)
            reached.add("copy")
        reached.add(element.text)
        press(browser, Keys.TAB)
    assert {"box", "copy", "Delete", "Note it", "This helped", "Skip to the text"} <= reached


def test_each_copy_is_what_the_link_gives(browser: Any, url: str) -> None:
    report(browser, url)
    links = browser.find_elements(By.CSS_SELECTOR, "a[data-copy]")
    assert len(links) == 4
    for link in links:
        link.click()
        copied(browser, link)
        found, given = browser.execute_async_script(
            "const done=arguments[1];Promise.all([navigator.clipboard.readText(),fetch(arguments[0]).then(r=>r.text())]).then(done)",
            link.get_attribute("href"),
        )
        assert found.replace("\r\n", "\n") == given
        assert "xid-79" in found


def test_a_dropped_file_is_sent_with_its_name(browser: Any, url: str, tmp_path: Path) -> None:
    log = tmp_path / "dmesg.txt"
    log.write_text(XID)
    browser.get(url)
    place = one(browser, "#text").rect  # also on the text, where a browser would leave the page for the file
    drag = {"x": place["x"] + 20, "y": place["y"] + 20, "data": {"items": [], "files": [str(log)], "dragOperationsMask": 1}}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.execute_cdp_cmd("Input.dispatchDragEvent", {"type": kind, **drag})
    wait(lambda: browser.execute_script("return document.querySelector('#files').files.length") == 1)
    one(browser, "form button").click()
    arrived(browser)
    assert "dmesg.txt" in one(browser, "main").text


def test_files_that_are_too_large_are_told_before_they_are_sent(browser: Any, url: str, tmp_path: Path) -> None:
    (tmp_path / "big.log").write_bytes(b"x" * (2 << 20))
    browser.get(url)
    one(browser, "#files").send_keys(str(tmp_path / "big.log"))
    wait(lambda: "More than 1 MiB" in one(browser, "#weight").text)
    one(browser, "form button").click()
    time.sleep(0.5)
    assert browser.current_url.rstrip("/") == url


def test_a_report_is_deleted_by_who_pasted_it(browser: Any, url: str) -> None:
    link = report(browser, url)
    one(browser, ".bar form button").click()
    wait(lambda: one(browser, "[role=alert]").text == "The report and its log are gone.")
    browser.get(link)
    assert "no such report" in one(browser, "[role=alert]").text
    assert all("404" in told for told in complaints(browser))


def test_whoever_has_the_link_reads_and_does_not_delete(browser: Any, url: str) -> None:
    link = report(browser, url)
    browser.delete_all_cookies()
    browser.get(link)
    assert "fallen off the bus" in one(browser, "h1").text
    assert browser.find_elements(By.CSS_SELECTOR, ".bar form") == []


def test_what_helped_is_shown_first_the_next_time(browser: Any, url: str) -> None:
    text = f"2026-11-01T10:00:00+00:00 node31 kernel: {XID.split('] ')[1]}"
    report(browser, url, text)
    one(browser, "#said-by").send_keys("reseated <the> card" + Keys.ENTER)
    wait(lambda: "next report" in one(browser, "[role=alert]").text)
    report(browser, url, text)
    assert "helped then: reseated <the> card" in one(browser, "p.seen").text


def test_all_of_it_works_without_javascript(browser: Any, url: str) -> None:
    script(browser, on=False)
    browser.get(url)
    one(browser, "#text").send_keys(XID)
    one(browser, "form button").click()
    link = arrived(browser)
    one(browser, f"a[href$='{link.rsplit('/', 1)[1]}/md']").click()
    wait(lambda: "## FAULT" in one(browser, "body").text)
    browser.get(link)
    one(browser, "input[type=checkbox]").click()
    assert one(browser, "input[type=checkbox]").is_selected()
    one(browser, ".bar form button").click()
    wait(lambda: one(browser, "[role=alert]").text == "The report and its log are gone.")


def test_a_log_runs_nothing_and_loads_nothing(browser: Any, url: str) -> None:
    link = report(browser, url, f"{HOSTILE}\n{XID} {HOSTILE}")
    for page in (link, f"{link}/log"):
        browser.get(page)
        assert browser.execute_script("return window.owned") is None
        assert browser.find_elements(By.CSS_SELECTOR, "main img, main iframe, main textarea") == []
        loaded = browser.execute_script("return performance.getEntriesByType('resource').map(e=>e.name)")
        assert [name for name in loaded if not name.startswith((url, "data:"))] == []


def test_a_text_is_not_lost_when_it_cannot_be_taken(browser: Any, url: str) -> None:
    browser.get(url)
    one(browser, "#text").send_keys("a </textarea> log")
    one(browser, "#zone").send_keys("Mars" + Keys.ENTER)
    wait(lambda: "not a known time zone" in one(browser, "[role=alert]").text)
    assert one(browser, "#text").get_attribute("value") == "a </textarea> log"
    assert all("422" in told for told in complaints(browser))


def test_the_language_changes_on_the_page_where_one_is(browser: Any, url: str) -> None:
    link = report(browser, url)
    browser.find_element(By.LINK_TEXT, "中文").click()
    assert browser.current_url.split("?")[0] == link
    assert "根因" in one(browser, "main").text
    browser.get(url)
    assert "粘贴日志" in one(browser, "h1").text
    assert one(browser, "html").get_attribute("lang") == "zh-Hans"
    browser.find_element(By.LINK_TEXT, "English").click()
    assert "Paste a log" in one(browser, "h1").text


def test_a_line_of_proof_leads_to_its_place_in_the_log(browser: Any, url: str) -> None:
    report(browser, url, f"first\x0c\x85\u2028half\rsecond\r\nthird\n{XID}")
    one(browser, ".quote .hit a.n").click()
    wait(lambda: "fallen off" in one(browser, ".log span:target").text)


def test_the_knowledge_base_can_be_searched(browser: Any, url: str) -> None:
    browser.get(f"{url}/kb/index.html")
    one(browser, "#query").send_keys("fallen off the bus")
    wait(lambda: any(link.is_displayed() and "xid-79" in link.get_attribute("href") for link in browser.find_elements(By.CSS_SELECTOR, "main a")))


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (360, False), (360, True)])
def test_pages_are_accessible_and_fit_the_screen(browser: Any, url: str, width: int, dark: bool) -> None:
    axe = pytest.importorskip("axe_core_python.selenium").Axe()
    link = report(browser, url, f"a long line {'x' * 500}\n{XID}")
    size(browser, width, 800, dark)
    for page in (url, link, f"{link}/log", f"{url}/r/nothing", f"{url}/?lang=zh", f"{link}?lang=zh", f"{url}/?lang=en"):
        browser.get(page)
        found = axe.run(browser)["violations"]
        assert not found, [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
        over = browser.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
        assert over <= 0, f"{page} is {over} pixels too wide"
        light = browser.execute_script("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
        assert (sum(light) < 380) == dark
    assert all("404" in told for told in complaints(browser))
