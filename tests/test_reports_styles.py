"""Reports as other houses write them are right as they are: no form is asked for that says the same in other words."""

from __future__ import annotations

from pathlib import Path

import pytest
from incident import RIGHT, codes

XID = "Mar 14 09:57:01 node07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen off the bus."
FRONT = """---
id: 2026-03-14-xid-79
date: 2026-03-14
status: closed
severity: SEV-2
signature: xid-79
---

"""
LABELS = FRONT + f"""# Lost GPU (incident #465)

**Date**: 2026-03-14

**Summary**: node07 lost a GPU.

**Impact**: one job, 1.2 k GPU hours.

**Root Causes**: a cracked riser. The driver was 580.159.04.

**Resolution**: the riser was replaced, and the card verified.

## Action Items

| Action Item | Type | Owner | Bug |
|---|---|---|---|
| Alert on corrected errors | mitigate | infra | n/a **DONE** |
| Check the other risers | prevent | infra | Bug 5554823 **TODO** |

## Timeline

2026-03-14 (*all times UTC*)

- 09:57 first error

```
{XID}
```
"""
DETAILS = FRONT + f"""<!-- ISSUE TITLING: use the form "YYYY-MM-DD: briefly describe problem" -->
## :pencil: Summary for the exec team

**Customer Impact:** all jobs on node07

1. <kbd>GPU</kbd> 3 lost; Driver Version: 580.159.04

## :hourglass: Timeline

<details>
<summary>Click to expand</summary>

All times UTC.

| Time | Event |
|------|-------|
| 11:02 | first error |
| 11:40 | riser replaced, verified |

</details>

## Root cause analysis

<details><summary>kernel log</summary>
<pre><code>
{XID}
</code></pre>
</details>

## Corrective Actions

None.
"""
CHINESE = FRONT + f"""# 节点 07 掉卡

## 一、概要

节点 node07 的一块 GPU 掉卡,驱动 580.159.04。

## 二、影响范围

一个任务失败。

## 三、时间线

- 10:00 首次报错（时区 UTC+8）

## 四、根本原因分析

```log
{XID}
```

## 五、处理过程

断电重启,复查正常。

## 六、改进措施

更换转接卡。
"""
TOML = '+++\nid = "a"\ndate = 2026-03-14\nstatus = "closed"\nseverity = "fatal"\nsignature = "xid-79"\ntimezone = "UTC"\n' + (
    'recheck = "fine"\n[versions]\ndriver = "580"\n+++\n' + RIGHT.split("---\n", 2)[2]
)
ANCHORS = RIGHT.replace("versions: {driver: 580.159.04}", "versions: &v {driver: 580.159.04}\nbefore: {<<: *v, cuda: '12'}")


@pytest.mark.parametrize("text", [LABELS, DETAILS, CHINESE, TOML, ANCHORS], ids=["labels", "details", "chinese", "toml", "anchors"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_other_styles_are_right(text: str, newline: str, tmp_path: Path) -> None:
    assert codes(text.replace("\n", newline), tmp_path) == []


@pytest.mark.parametrize("text", [LABELS, DETAILS, CHINESE, TOML, ANCHORS], ids=["labels", "details", "chinese", "toml", "anchors"])
def test_a_wrong_cause_is_found_in_every_style(text: str, tmp_path: Path) -> None:
    wrong = text.replace("signature: xid-79", "signature: xid-31").replace('signature = "xid-79"', 'signature = "xid-31"')
    assert codes(wrong.replace("playbook: gpu-off-the-bus\n", ""), tmp_path) == ["TRI001"]


@pytest.mark.parametrize("fence", ["```bash\n$ sudo dmesg | grep NVRM", "~~~text", "```{.log #x}", "``` log {linenos=table}", "```python"])
def test_logs_in_any_kind_of_block_are_read(fence: str, tmp_path: Path) -> None:
    text = RIGHT.replace('```log title="dmesg.txt"', fence).replace("bus.\n```", f"bus.\n{fence[:3]}")
    assert codes(text, tmp_path) == []
    assert codes(text.replace("signature: xid-79", "signature: xid-31").replace("playbook: gpu-off-the-bus\n", ""), tmp_path) == ["TRI001"]


def test_programs_are_no_logs(tmp_path: Path) -> None:
    program = '```python\nimport torch\nraise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")\n```\n'
    assert codes(RIGHT.replace("## Resolution", f"{program}\n## Resolution"), tmp_path) == []


@pytest.mark.parametrize("words", [
    "cuDNN 9.1.0.70, nvidia-nccl-cu12 2.21.5.1, Open MPI 4.1.2.1, UCX 1.15.0.2", "localhost 127.0.0.1, 8.8.8.8, 169.254.169.254",
    "/home/ubuntu/x, /root/x, oncall@corp.com, gpu-team@corp.com, jane@example.com", "`HF_TOKEN=$HF_TOKEN`, the password was wrong",
    "<sub>x</sub> <br> <details> <https://x.org>", "[wiki](../../wiki/Page) [site](/about/) [page]({{ site.url }}/a.log) [here](#impact)",
])  # fmt: skip
def test_what_only_looks_private_or_dead_is_left_alone(words: str, tmp_path: Path) -> None:
    assert codes(RIGHT.replace("One job.", words), tmp_path) == []
