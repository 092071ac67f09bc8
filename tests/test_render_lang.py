"""Reports in Chinese: titles where the library has them, every fixed word, and the right widths."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from reports import fault, healthy, hostile, unknown
from typer.testing import CliRunner

from triage import analyze_text, load_library
from triage.cli.app import app
from triage.render import explain, json, markdown, words
from triage.render.lang import ZH, localised, say, using
from triage.render.page import plain
from triage.render.terminal import render
from triage.render.text import cells, wrap

RENDER = Path(__file__).resolve().parent.parent / "triage" / "render"
LOG = "[ 12.5] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."


def test_every_fixed_word_is_translated():
    said: set[str] = set()
    for path in RENDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in (
                "say",
                "heading",
                "_head",
            ):
                said |= {
                    n.value
                    for a in node.args[:1]
                    if not isinstance(a, ast.JoinedStr)
                    for n in ast.walk(a)
                    if isinstance(n, ast.Constant) and isinstance(n.value, str)
                }
    fixed = {*words.VERDICT.values(), *words.CONFIDENCE.values(), *words.ACTION.values(), *explain.ROLES.values()}
    missing = {word for word in said | fixed if word.strip() and word not in ZH} - {"cause", "What to do"}
    assert not missing


def test_english_is_the_default_whatever_the_locale_says(monkeypatch):
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert say("CAUSE") == "CAUSE"
    assert localised(report := fault()) is report
    with using("zh"):
        assert say("CAUSE") == "根因"
    assert say("CAUSE") == "CAUSE"
    with using("fr"):
        assert say("CAUSE") == "CAUSE"


def test_a_report_in_chinese():
    report = analyze_text(LOG, "dmesg.txt")
    one = load_library().signatures["xid-79"]
    with using("zh"):
        shown, page = plain(render(report, 100)), markdown.render(report)
        assert localised(report).findings[0].why == "输入中没有能解释它的问题"
    for text in (shown, page):
        assert "故障" in text
        assert "Xid 79：GPU 掉卡（fallen off the bus）" in text
        assert "重启节点 (reboot-node" in text.replace("`", "")
        assert "GPU 在总线上无应答（掉卡）" in text
        assert not re.search(r"\b(CAUSE|WHERE|MEANS|PROOF|READ|Root cause|Proof)\b", text)
    assert "".join(one.summary_zh.split()) in "".join(shown.split())
    assert report.findings[0].title == one.title  # the report itself stays as it was


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("make", [fault, healthy, unknown, hostile])
def test_no_chinese_line_is_wider_than_the_terminal(make, width):
    report = make()
    for finding in report.findings[:1]:
        finding.title_zh, finding.summary_zh = (
            "单次申请超过整张 GPU 的显存",
            "一次申请就比整卡还大，显卡再空也不可能成功。先找到这个张量，检查 shape。" * 3,
        )
    with using("zh"):
        rows = plain(render(report, width)).splitlines()
    for line in rows:
        assert cells(line) <= width or "--query-gpu" in line or "NodeName" in line, line
    assert len(rows) <= 40


def test_labels_of_the_first_column_are_eight_wide():
    with using("zh"):
        rows = plain(render(analyze_text(LOG, "dmesg.txt"), 100)).splitlines()
    for word in ("根因", "位置", "详情", "说明", "处置"):
        line = next(row for row in rows if row.startswith(word))
        assert cells(line[: len(line) - len(line[len(word) :].lstrip())]) == 8


def test_chinese_is_wrapped_between_characters_and_not_before_a_closing_mark():
    text = "驱动已无法通过 PCIe 访问该卡，其上的任务全部终止（包括 /dev/shm），此时复位无效。先排空节点。"
    for width in range(14, 60):
        rows = wrap(text, width)
        assert all(cells(row) <= width for row in rows)
        assert "".join(rows).replace(" ", "") == text.replace(" ", "")
        assert not [row for row in rows if row[0] in "，。；：、）" or row[-1] in "（“"]
    assert len(wrap(text, 40)) == 3
    assert wrap("plain words as before", 11) == ["plain words", "as before"]


def test_json_has_the_keys_only_where_there_is_a_translation():
    data = json.as_dict(analyze_text(LOG, "dmesg.txt"))["findings"][0]
    assert data["title_zh"].startswith("Xid 79")
    assert data["summary_zh"]
    assert data["playbook"]["title_zh"]
    bare = json.as_dict(healthy())["findings"][0]
    assert not {"title_zh", "summary_zh"} & set(bare)
    library = load_library()
    assert explain.as_dict(library, library.signatures["xid-79"])["title_zh"]
    assert "title_zh" not in explain.as_dict(library, library.signatures["xid-unknown"])


def test_the_commands_take_the_language(tmp_path):
    log = tmp_path / "dmesg.txt"
    log.write_text(LOG)
    run = CliRunner().invoke(app, ["analyze", "--lang", "zh", "-q", str(log)])
    assert run.exit_code == 1
    assert "根因" in run.output
    shown = CliRunner().invoke(app, ["explain", "--lang", "zh", "xid", "79"]).output
    assert "含义" in shown
    assert "GPU 掉卡" in shown
    assert "The driver can no longer reach the card" in shown
    assert CliRunner().invoke(app, ["analyze", "--lang", "fr", str(log)]).exit_code == 2


def test_translations_come_in_pairs_and_are_chinese():
    library = load_library()
    found = [*library.signatures.values(), *library.playbooks.values()]
    for one in found:
        assert bool(one.title_zh) == bool(one.summary_zh), one.id
        if one.title_zh:
            assert re.search("[\u4e00-\u9fff]", one.title_zh), one.id
            assert one.summary_zh.endswith("。"), one.id
            assert cells(one.title_zh) <= 72, one.id
            assert "\ufffd" not in one.title_zh + one.summary_zh
    assert sum(bool(one.title_zh) for one in found) >= 180
