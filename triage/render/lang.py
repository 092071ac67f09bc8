"""The language of what a person reads: fixed words in Chinese, and a report with Chinese titles.

`say` is used where a fixed word is written, like gettext; the language is set for the duration of one rendering.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import replace

from triage.model import Finding, Report
from triage.render.text import cells

LANGUAGES = ("en", "zh")
_current: ContextVar[str] = ContextVar("language", default="en")

ZH = {
    "FAULT": "故障", "SUSPECT": "可疑", "HEALTHY": "正常", "NOTHING UNDERSTOOD": "未能识别",
    "CAUSE": "根因", "UNKNOWN": "未知", "WHERE": "位置", "WHAT": "详情", "WHEN": "时间", "MEANS": "说明",
    "DETAIL": "细节", "Detail": "细节",
    "WHY": "依据", "ACTION": "处置", "RECHECK": "复查", "PROOF": "证据", "CHAIN": "因果链", "DO": "处理步骤",
    "ALSO FOUND": "其他发现", "FOUND": "发现", "COLLECT": "还需收集", "UNEXPLAINED": "未解释", "EARLIER": "更早",
    "TIMELINE": "时间线", "READ": "已读取", "SKIPPED": "已跳过", "NOTE": "注意", "expect": "预期",
    "Root cause": "根因", "Unknown; last known": "原因未知，已知的最后一环", "Where": "位置", "What": "详情",
    "When": "时间", "Means": "说明", "Why": "依据", "Action": "处置", "Re-check": "复查", "Proof": "证据",
    "Chain": "因果链", "What to do": "处理步骤", "Warning": "警告", "Expect": "预期", "Also found": "其他发现",
    "Still to collect": "还需收集", "Not explained": "未解释", "Read": "已读取", "Not read": "未能读取", "Note": "注意",
    "Earlier incidents": "更早的事件",
    "confirmed": "已确认", "likely": "很可能", "possible, not proven": "可能，未证实",
    "the cause is not in these logs": "原因不在这些日志里",
    "fatal": "致命", "error": "错误", "warning": "警告", "info": "信息", "context": "背景", "unknown": "未知",
    "nothing needs to be done": "无需处理", "correct the program or its settings": "修正程序或其设置",
    "restart the job": "重启作业", "restart the service": "重启服务", "reset the GPU": "复位 GPU",
    "drain the node": "排空节点", "reboot the node": "重启节点", "check the hardware": "检查硬件",
    "replace the part (RMA)": "更换部件（RMA）", "collect more evidence first": "先收集更多证据", "vendor": "厂商",
    "after": "此前", "with": "相关",
    "more": "项未显示", "more line": "行未显示", "more row": "行未显示", "more note": "条注意未显示",
    "more step": "步未显示", "s after boot": "秒（开机后）",
    "finding": "个问题", "explained": "由它引起", "beside the cause": "与根因无关",
    "file": "个文件", "line": "行", "kind": "类", "of message": "消息", "last": "最后", "times": "次",
    "of line with error-like words, none known": "含有类似报错字样的行，均不是已知错误", "and": "另有",
    "error-like lines that no signature knows": "像报错、但没有特征能识别的行",
    "incidents before the one above": "在上述事件之前", "shows them": "可查看",
    "rank": "rank", "ranks": "rank", "local rank": "local rank", "host": "主机", "process": "进程", "pid": "pid",
    "interface": "网络接口", "pod": "pod", "requested": "申请", "free": "空闲", "total": "总量",
    "allocated": "已分配", "allowed": "允许使用", "reserved": "已预留", "signal": "信号", "exit_code": "退出码",
    "library": "库",
    "path": "路径",
    "module": "模块", "port": "端口", "symbol": "符号", "unit": "单元", "timeout_ms": "超时（毫秒）",
    "driver": "驱动", "assertion": "断言", "constraint": "限制", "other_pid": "其他 pid",
    "standard input": "标准输入", "no summary": "没有摘要",
    "a cause: it can be the root of a failure": "原因：可以是故障的根源",
    "a symptom: normally the effect of something else": "症状：通常是别的问题造成的",
    "a carrier: it only reports that something else failed": "转述：只说明别处出了错",
    "context: a fact, not a fault": "背景：是事实，不是故障",
    "Role": "性质", "What it means": "含义", "How it is recognised": "识别方式",
    "What it belongs to": "关联", "explained by": "可由其解释", "explains": "可解释", "special case of": "属于",
    "special cases": "特例", "Example": "示例", "Examples": "示例", "Sources": "来源", "Confirm": "确认", "Fix": "修复",
    "If it returns": "若再次出现", "Do not": "不要这样做", "Verify": "验证",
    "The finding": "结论", "Confidence": "可信度", "Timeline": "时间线", "What was read": "读取的输入",
    "References": "参考资料", "Contents": "目录", "As a table": "以表格显示", "Finding": "问题", "Input": "输入",
    "Format": "格式", "Lines": "行数", "Understood": "已理解", "triage report": "triage 报告",
    "Skip to the text": "跳到正文", "Nothing here is loaded from a network.": "本页不从网络加载任何内容。",
    "Long gaps are shortened.": "较长的间隔已缩短。", "Seconds after boot.": "开机后的秒数。", "lanes": "条泳道",
    "more lanes": "条泳道合并", "marks": "个标记", "cause": "原因", "symptom": "症状", "carrier": "转述",
    "draft: few real samples, never more than possible": "草稿：真实样本少，结论至多为“可能”",
}  # fmt: skip
# What the report itself says in sentences; the rest stays English.
_SENTENCES = (
    (re.compile(r"^Root cause unknown: "), "根因未知："),
    (re.compile(r"^No known fault in what was read"), "已读取的内容中没有已知故障"),
    (re.compile(r"; (\d+) older, see earlier"), r"；另有 \1 个更早的，见“更早”"),
    (re.compile(r"^Nothing in the input is known to triage\.$"), "输入中没有 triage 能识别的内容。"),
    (re.compile(r"^Nothing was read\.$"), "没有读到任何内容。"),
    (re.compile(r"^Nothing could be read\.$"), "没有一个输入能读取。"),
    (re.compile(r"^No known fault beside what was left out as asked\.$"), "除按要求忽略的问题外，没有已知故障。"),
    (re.compile(r"nothing in the input explains it"), "输入中没有能解释它的问题"),
    (re.compile(r"no other fault in the input explains it"), "输入中没有其他能解释它的故障"),
    (re.compile(r"it came (?:([\d,]+) s )?after (\S+?)(?=[;,. ]|$)"),
     lambda m: f"它发生在 {m[2]} 之后" + (f" {m[1]} 秒" if m[1] else "")),
    (re.compile(r"it was seen with (\S+?(?: and \S+?)*)(?=[;,.]|$)"),
     lambda m: f"它与 {m[1].replace(' and ', '、')} 一同出现"),
    (re.compile(r",? and it explains (\d+) other findings?"), r"，它解释了另外 \1 个问题"),
    (re.compile(r"; (\d+) independent findings? beside it"), r"；另有 \1 个独立的问题"),
    (re.compile(r"it reports that something failed, and nothing in the input says what"),
     "它只说明有东西出错，输入中看不出是什么"),
    (re.compile(r"^(\S+) has no cause in the input$"), r"输入中没有 \1 的原因"),
    (re.compile(r"^(\S+) only reports a failure$"), r"\1 只是转述别处的失败"),
)  # fmt: skip


@contextmanager
def using(language: str) -> Iterator[None]:
    """The language of everything that is rendered inside of the block."""
    token = _current.set(language if language in LANGUAGES else "en")
    try:
        yield
    finally:
        _current.reset(token)


def chinese() -> bool:
    """Whether Chinese is being written."""
    return _current.get() == "zh"


def say(text: str) -> str:
    """A fixed word or phrase in the current language."""
    return ZH.get(text, text) if chinese() else text


def heading(word: str) -> str:
    """A word of the first column in the current language, padded to its width."""
    text = say(word)
    return text + " " * max(0, 8 - cells(text))


def sentence(text: str) -> str:
    """A sentence that the report composes, in the current language as far as its pattern is known."""
    if chinese():
        for pattern, words in _SENTENCES:
            text = pattern.sub(words, text)
    return text


def localised(report: Report) -> Report:
    """The report with titles and meanings of the library in the current language, where it has them."""
    if not chinese():
        return report
    summary = report.summary
    top = report.findings[0] if report.findings else None
    if top is not None and top.title_zh:
        summary = summary.replace(top.title, top.title_zh, 1)
    return replace(
        report, summary=sentence(summary), findings=[_finding(f) for f in report.findings],
        earlier=[_finding(f) for f in report.earlier],
        missing=[replace(m, why=sentence(m.why)) for m in report.missing],
    )  # fmt: skip


def _finding(found: Finding) -> Finding:
    made = copy(found)
    made.title, made.why = found.title_zh or found.title, sentence(found.why)
    made.means = found.summary_zh or found.means
    if found.playbook and found.playbook.title_zh:
        made.playbook = replace(found.playbook, title=found.playbook.title_zh)
    return made
