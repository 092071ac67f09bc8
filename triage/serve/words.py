"""What the pages of the help desk say, in both languages; words of a report stand in `render.lang`."""

from __future__ import annotations

from triage.render import lang

ZH = {
    "triage: paste a log": "triage：粘贴日志",
    "Paste a log, get the root cause": "粘贴日志，得到根因",
    "Kernel log, rank logs, traceback, nvidia-smi, Windows events: everything you have of one incident, together.":
        "内核日志、各 rank 日志、traceback、nvidia-smi、Windows 事件：把同一次故障的全部材料一起提交。",
    "Log": "日志", "Files, archives, bundles": "文件、压缩包、诊断包",
    "Zone of times that name none": "未标时区的时间属于",
    "Find the cause": "查找根因",
    "Secrets, names, addresses and serial numbers are replaced before anything is kept.":
        "密钥、人名、地址和序列号在保存之前就已替换。",
    "Whoever has the link of a report can read it for {days} days.": "持有链接者可在 {days} 天内阅读报告。",
    "More than {size}: send the part around the failure, or run triage analyze on your machine.":
        "超过 {size}：请只提交故障前后的部分，或在自己的机器上运行 triage analyze。",
    "Reading": "正在读取", "starting": "正在启动", "Copy": "复制", "copied": "已复制", "Plain text": "纯文本",
    "Log with line numbers": "带行号的日志", "Delete": "删除", "kept until": "保留至", "Report": "报告",
    "Paste another log": "粘贴另一份日志", "Earlier reports like this one": "以前类似的报告",
    "What fixed it?": "是什么解决了它？", "Note it": "记下", "This helped": "有帮助", "This is wrong": "不对",
    "Not the same fault as before": "与以前不是同一故障", "Did it help?": "有帮助吗？", "Paste": "粘贴",
    "Knowledge": "知识库", "Thank you": "谢谢",
    "It is noted, and the next report like this says so.": "已记下，下一份类似的报告会提到它。",
    "Not deleted": "没有删除", "Only who pasted it can delete it.": "只有粘贴者可以删除。",
    "Deleted": "已删除", "The report and its log are gone.": "报告及其日志已删除。", "Not done": "未完成",
    "no such analysis: it ended a while ago": "没有这项分析：它早已结束",
    "no such report, or it has expired": "没有这份报告，或已过期",
}  # fmt: skip


def say(text: str) -> str:
    """A phrase in the current language."""
    return ZH[text] if lang.chinese() and text in ZH else lang.say(text)
