"""The frame of all pages: text is escaped, commands are quoted, and the policy allows only the page's own style."""

from __future__ import annotations

import base64
import hashlib

import pytest
from pages import HOSTILE, Reader

from triage.model import Step
from triage.render import web
from triage.render.lang import using


def test_text_is_escaped():
    assert web.plain("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#x27;&amp;"
    assert web.plain("a\u202eb\x1b[1m") == "a\ufffdb\ufffd[1m"
    assert web.rich("use `a<b` and `") == "use <code>a&lt;b</code> and `"
    assert web.rich("of {pci}") == "of <var>&lt;pci&gt;</var>"


def test_a_step_has_a_head_that_may_stand_in_a_label_and_a_rest():
    step = Step("Reset `it`.", "Fix", "reset-gpu", "container", ["nvidia-smi", "-i", "{gpu}", "a b"], "None <b>")
    assert web.step_head(step) == '<span class="tag risky">reset-gpu, container</span> Reset <code>it</code>.'
    rest = web.step_rest(step, windows=False)
    assert "nvidia-smi -i <var>&lt;gpu&gt;</var> &#x27;a b&#x27;" in rest
    assert "Expect: None &lt;b&gt;" in rest
    with using("zh"):
        assert "预期: None" in web.step_rest(step, windows=False)
    assert web.step_rest(Step("Look.", "Confirm", "read-only"), windows=False) == ""
    assert "tag safe" in web.step_head(Step("Look.", "Confirm", "read-only"))


@pytest.mark.parametrize("address", ["https://x.org/a?b=1#c", "http://x.org", "javascript:alert(1)", "https://x.org/a b", HOSTILE])
def test_only_an_address_on_the_web_is_a_link(address):
    page = Reader(web.references([address]))
    assert page.having("href") == ([address] if address in ("https://x.org/a?b=1#c", "http://x.org") else [])


def test_facts_and_sections_without_text_are_left_out():
    assert web.section("Title", "", "name") == ""
    assert web.facts([("a", "1"), ("b", "")]).count("<dt>") == 1


def test_the_policy_is_that_of_the_style_and_the_script():
    style, script = "a{b:c}", "1;"
    page = web.document("T", "main", style, "", "", script=script)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'; script-src 'sha256-" in page
    assert "<script" not in page
    assert "script-src" not in web.document("T", "main", style, "", "")
    with using("zh"):
        assert '<html lang="zh-Hans">' in web.document("T", "main", style, "", "")
