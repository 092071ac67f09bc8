"""What hides text must not change the diagnosis: whole cases in the wrappers of collectors, editors and web pages."""

from __future__ import annotations

import html
import json
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from triage.library.library import Library
from triage.library.loader import load_library
from triage.model import Report
from triage.pipeline import analyze_text, index_of
from triage.reading import read_source
from triage.sources import open_text

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
CASES = (
    "dist-assert", "dist-badif", "dist-hang", "dist-kill9", "dist-oom", "py-oom-fragmented", "py-illegal-access-torch",
    "py-loader-killed", "py-nested-exception", "py-segfault", "x4-shm", "x4-dupgpu",
)  # fmt: skip
KERNEL = """\
[  812.345678] NVRM: GPU at PCI:0000:3b:00: GPU-6d7d9e3f-1c2b-4a59-8f7e-0a1b2c3d4e5f
[  812.345700] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
[  812.345760] NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.
[  812.345900] NVRM: A GPU crash dump has been created. If possible, please run nvidia-bug-report.sh as root"""
START = datetime(2026, 1, 6, 8, 2, 51, tzinfo=UTC)
Wrap = Callable[[str], str | bytes]


def at(number: int, form: str = "%Y-%m-%dT%H:%M:%S.%f") -> str:
    return (START + timedelta(milliseconds=137 * number)).strftime(form)


def micro(number: int) -> int:
    return 1767686571000000 + 137000 * number


def each(wrap: Callable[[int, str], str], join: str = "\n") -> Wrap:
    return lambda text: join.join(wrap(number, line) for number, line in enumerate(text.split("\n"), 1)) + "\n"


def before(prefix: str) -> Wrap:
    return each(lambda number, line: prefix + line)


def stamped(form: str, behind: str = " ") -> Wrap:
    return each(lambda number, line: at(number, form) + behind + line)


def objects(make: Callable[[int, str], dict[str, object]]) -> Callable[[str], list[dict[str, object]]]:
    return lambda text: [make(number, line) for number, line in enumerate(text.split("\n"), 1)]


def cut(width: int) -> Wrap:
    def wrap(text: str) -> str:
        return "\n".join(line[n : n + width] for line in text.split("\n") for n in (range(0, len(line), width) if line else [0]))

    return wrap


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


gcp = objects(lambda n, line: {"insertId": f"x{n}", "textPayload": line, "timestamp": at(n) + "Z", "severity": "ERROR", "resource": {"type": "k8s_container", "labels": {"pod_name": "train-0"}}})
cloudwatch = objects(lambda n, line: {"timestamp": micro(n) // 1000, "message": line, "ingestionTime": 1767686599000})
loki = objects(lambda n, line: {"labels": {"pod": "train-0"}, "line": line, "timestamp": at(n) + "Z"})
elastic = objects(lambda n, line: {"_id": str(n), "_source": {"@timestamp": at(n) + "Z", "message": line, "kubernetes": {"pod": "train-0"}}})

TEXT: dict[str, Wrap] = {
    "crlf": lambda t: t.replace("\n", "\r\n"),
    "cr": lambda t: t.replace("\n", "\r"),
    "bom": lambda t: "\ufeff" + t,
    "utf16": lambda t: b"\xff\xfe" + t.encode("utf-16-le"),
    "utf16 without mark": lambda t: t.encode("utf-16-be"),
    "gbk around": lambda t: "系统日志 开始\n".encode("gbk") + t.encode() + "\n以上是错误信息，请帮忙看看\n".encode("gbk"),
    "NULs": lambda t: b"\0" * 4096 + t.encode() + b"\0" * 512,
    "Chinese prose": lambda t: f"大家好，训练的时候报错，日志如下：\n{t}\n请问怎么解决？谢谢\n",
    "colours": each(lambda n, line: f"\x1b[31m{line}\x1b[0m"),
    "cat -v": each(lambda n, line: f"^[[31m{line}^[[0m"),
    "script": lambda t: 'Script started on 2026-01-06 08:02:51+00:00 [TERM="xterm" COLUMNS="120" LINES="40"]\r\n\x1b[?2004h\x1b]0;ops@n7: ~\x07\x1b[01;32mops@n7\x1b[00m:~$ python train.py\r\n\x1b[?2004l\r' + t.replace("\n", "\r\n") + '\r\n\x1b[?2004h$ exit\r\n\r\nScript done on 2026-01-06 08:12:51+00:00 [COMMAND_EXIT_CODE="1"]\r\n',
    "trailing blanks": each(lambda n, line: line.ljust(120)),
    "no-break spaces": lambda t: t.replace("  ", " \u00a0"),
    "bidi": lambda t: f"\u202e{t}\u202c",
    "blank lines": lambda t: t.replace("\n", "\n\n"),
}  # fmt: skip
PASTES: dict[str, Wrap] = {
    "fence": lambda t: f"Hi all, my run died:\n\n```\n{t}\n```\n\nAny idea?\n",
    "fence in a list": lambda t: f"1. Steps\n\n   ```bash\n{textwrap.indent(t, '   ')}\n   ```\n",
    "indented": lambda t: f"Logs:\n\n{textwrap.indent(t, '    ')}\n",
    "yaml": lambda t: f"status: failed\nlog: |\n{textwrap.indent(t, '  ')}\nid: 1\n",
    "quote": before("> "),
    "quote in a quote": before(">> "),
    "quoted fence": lambda t: "On Tuesday a user wrote:\n> my run died:\n> ```\n" + "\n".join(f"> {x}" for x in t.split("\n")) + "\n> ```\nthanks\n",
    "diff": before("+"),
    "comment": before("# "),
    "html": lambda t: f"<html><body><p>error</p>\n<pre><code>{html.escape(t)}</code></pre></body></html>\n",
    "html lines": lambda t: '<div class="log">\n' + "\n".join(f'<span class="line" id="L{n}">{html.escape(x)}</span>' for n, x in enumerate(t.split("\n"))) + "\n</div>",
    "html breaks": lambda t: "<p>" + "<br>\n".join(html.escape(x).replace("  ", "&nbsp; ") for x in t.split("\n")) + "</p>\n",
    "Slack": lambda t: f"Jane Doe  10:02 AM\nhey the run died\n{html.escape(t, quote=False)}\n10:05\nanyone?\n",
    "Teams": lambda t: f"[1/6/2026 10:02 AM] Doe, Jane\n{t}\n",
    "Jira": lambda t: f"h3. Error\n{{noformat}}\n{t}\n{{noformat}}\n",
    "prompt": lambda t: f"(base) ops@n7:~/train$ python train.py\n{t}\n(base) ops@n7:~/train$ \n",
    "grep -n": each(lambda n, line: f"{n}:{line}"),
    "grep -Hn": each(lambda n, line: f"logs/rank_0/stderr.log:{n}:{line}"),
    "grep -C": each(lambda n, line: f"{n}{':' if n % 3 else '-'}{line}"),
    "cat -n": each(lambda n, line: f"{n:6d}\t{line}"),
    "less -N": each(lambda n, line: f"{n:7d} {line}"),
    "bat": each(lambda n, line: f"{n:4d} │ {line}"),
    "tmux 80": cut(80),
    "JSON string": json.dumps,
    "Python repr": repr,
    "Python bytes": lambda t: repr(t.encode()),
    "CSV cell": lambda t: f"id,log\n1,{quoted(t)}\n",
}  # fmt: skip
COLLECTORS: dict[str, Wrap] = {
    "docker json": each(lambda n, line: json.dumps({"log": line + "\n", "stream": "stderr", "time": at(n) + "123Z"})),
    "docker -t": each(lambda n, line: f"{at(n)}123Z {line}"),
    "CRI": each(lambda n, line: f"{at(n)}123Z stderr F {line}"),
    "CRI in parts": each(lambda n, line: f"{at(n)}123Z stderr P {line[:40]}\n{at(n)}124Z stderr F {line[40:]}"),
    "GitHub": each(lambda n, line: f"{at(n)}1Z {line}"),
    "GitHub groups": lambda t: "\n".join(f"{at(n)}1Z {x}" for n, x in enumerate(["##[group]Run python train.py", "\x1b[36;1mpython train.py\x1b[0m", "##[endgroup]", *t.split("\n"), "##[error]Process completed with exit code 1."])),
    "GitHub errors": each(lambda n, line: f"{at(n)}1Z ##[error]{line}"),
    "gh run view": each(lambda n, line: f"train\tRun tests\t{at(n)}1Z {line}"),
    "GitLab": lambda t: f"section_start:1560896352:build\r\x1b[0Ksection\n{t}\nsection_end:1560896353:build\r\x1b[0K\n",
    "GitLab stamps": each(lambda n, line: f"{at(n)}Z 00O {line}"),
    "Jenkins": each(lambda n, line: f"[{at(n)[:-3]}Z] {line}"),
    "Jenkins clock": stamped("%H:%M:%S", "  "),
    "ts": stamped("%b %d %H:%M:%S"),
    "ts iso": stamped("%Y-%m-%d %H:%M:%S"),
    "ts slash": stamped("%Y/%m/%d %H:%M:%S"),
    "ts brackets": each(lambda n, line: f"[{at(n, '%Y-%m-%d %H:%M:%S')}] {line}"),
    "ts clock": each(lambda n, line: f"[{at(n, '%H:%M:%S')}] {line}"),
    "ts level": stamped("%Y-%m-%d %H:%M:%S,123", " - INFO - "),
    "ts tab level": stamped("%Y-%m-%d %H:%M:%S", "\terror\t"),
    "AzureML": stamped("%Y-%m-%d %H:%M:%S:123"),
    "CloudWatch": lambda t: json.dumps({"events": cloudwatch(t)}, indent=4),
    "CloudWatch tab": each(lambda n, line: f"{micro(n) // 1000}\t{line}"),
    "CloudWatch csv": lambda t: "timestamp,message\n" + "\n".join(f"{micro(n) // 1000},{quoted(x)}" for n, x in enumerate(t.split("\n"))) + "\n",
    "CloudWatch tail": each(lambda n, line: f"{at(n)}+00:00 algo-1-abcde/i-0abc {line}"),
    "GCP": lambda t: json.dumps(gcp(t), indent=2),
    "GCP newest first": lambda t: json.dumps(gcp(t)[::-1], indent=2),
    "GCP lines newest first": lambda t: "\n".join(json.dumps(x) for x in gcp(t)[::-1]),
    "GCP payload": each(lambda n, line: json.dumps({"jsonPayload": {"message": line}, "timestamp": at(n) + "Z", "severity": "ERROR"})),
    "Loki": lambda t: "\n".join(map(json.dumps, loki(t))),
    "Loki newest first": lambda t: "\n".join(map(json.dumps, loki(t)[::-1])),
    "Loki API": lambda t: json.dumps({"status": "success", "data": {"resultType": "streams", "result": [{"stream": {"pod": "t-0"}, "values": [[str(1000 * micro(n)), x] for n, x in enumerate(t.split("\n"))][::-1]}]}}),
    "logcli": each(lambda n, line: f'{at(n)}Z {{pod="t-0", namespace="ml"}} {line}'),
    "Elastic": lambda t: json.dumps({"took": 3, "hits": {"total": 2, "hits": elastic(t)}}),
    "JSON with nested objects": each(lambda n, line: json.dumps({"ts": at(n) + "Z", "level": "info", "app": {"name": "t", "v": [1, {"a": 2}]}, "msg": line})),
    "logfmt": each(lambda n, line: f"time={at(n)}Z level=error msg={json.dumps(line)}"),
    "kubectl --prefix": before("[pod/train-0/main] "),
    "stern": before("train-0 main "),
    "compose": before("trainer-1  | "),
    "torchrun --tee": before("[default0]:"),
    "Ray": before("(RayTrainWorker pid=4711, ip=10.0.0.1) "),
    "Ray colours": before("\x1b[36m(RayTrainWorker pid=4711)\x1b[0m "),
    "Ray without escapes": before("[36m(RayTrainWorker pid=4711)[0m "),
    "mpirun": before("[1,0]<stderr>:"),
    "srun -l": before("0: "),
    "pdsh": before("node07: "),
    "grep over stern over docker": each(lambda n, line: f"all.log:{n}:[{at(n)}Z] train-0 main {line}"),
}  # fmt: skip
JOURNAL = {"_HOSTNAME": "n7", "SYSLOG_IDENTIFIER": "python3", "_PID": "4711", "PRIORITY": "6"}
ENTRY = "".join(f"{key}={value}\n" for key, value in JOURNAL.items())
JOURNALS: dict[str, Wrap] = {
    "json": each(lambda n, line: json.dumps({**JOURNAL, "__REALTIME_TIMESTAMP": str(micro(n)), "MESSAGE": line})),
    "json-pretty": each(lambda n, line: json.dumps({**JOURNAL, "__REALTIME_TIMESTAMP": str(micro(n)), "MESSAGE": line}, indent="\t")),
    "export": each(lambda n, line: f"__CURSOR=s=1;i={n}\n__REALTIME_TIMESTAMP={micro(n)}\n{ENTRY}MESSAGE={line}\n"),
    "verbose": each(lambda n, line: f"Tue {at(n, '%Y-%m-%d %H:%M:%S.%f')} UTC [s=1;i={n};b=2;m=3;t=4;x=5]\n{textwrap.indent(ENTRY, '    ')}    MESSAGE={line}"),
    "short-iso": each(lambda n, line: f"{at(n, '%Y-%m-%dT%H:%M:%S')}+0000 n7 python3[4711]: {line}"),
    "newest first": lambda t: "".join(reversed([f"{at(n, '%Y-%m-%dT%H:%M:%S.%f')}+0000 n7 python3[4711]: {x}\n" for n, x in enumerate(t.split("\n"))])),
}  # fmt: skip


@cache
def library() -> Library:
    return load_library()


@cache
def text_of(case: str) -> str:
    if case == "kernel":
        return KERNEL
    (path,) = (p for p in (FIXTURES / case).rglob("*") if p.is_file() and p.name != "expect.yaml")
    return path.read_text(encoding="utf-8").rstrip("\n")


def cause(report: Report) -> str:
    return f"{report.findings[0].role} {report.findings[0].id}" if report.findings else report.verdict


@cache
def plain(case: str) -> str:
    return cause(analyze_text(text_of(case), f"{case}.log", library()))


def wrapped(case: str, data: str | bytes) -> str:
    return cause(analyze_text(data, f"{case}.log", library()))


@pytest.mark.parametrize("case", [*CASES, "kernel"])
@pytest.mark.parametrize("wrap", TEXT | PASTES | COLLECTORS)
def test_the_diagnosis_stays(wrap: str, case: str) -> None:
    assert wrapped(case, (TEXT | PASTES | COLLECTORS)[wrap](text_of(case))) == plain(case)


@pytest.mark.parametrize("case", CASES)  # the kernel's own lines never come under the name of a program
@pytest.mark.parametrize("wrap", JOURNALS)
def test_the_diagnosis_stays_in_a_journal(wrap: str, case: str) -> None:
    assert wrapped(case, JOURNALS[wrap](text_of(case))) == plain(case)


@pytest.mark.parametrize(
    "wrap",
    [
        "crlf", "utf16", "colours", "quote", "diff", "grep -n", "bat", "docker json", "CRI", "ts", "logcli", "logfmt", "fence",
        "yaml", "html", "html lines", "CloudWatch", "CloudWatch csv", "GCP", "GCP newest first", "Loki newest first",
        "JSON with nested objects",
    ],
)  # fmt: skip
def test_lines_are_those_of_the_file(wrap: str) -> None:
    data = (TEXT | PASTES | COLLECTORS)[wrap](KERNEL)
    reading = read_source(open_text(data, "x.log"), index_of(library()))
    (found,) = (r.lines[0] for r in reading.records if "): 79, pid=" in r.text)
    text = data if isinstance(data, str) else data.decode("utf-16")
    assert "): 79, pid=" in text.split("\n")[found.number - 1]
    assert "): 79, pid=" in found.raw


HEALTHY = sorted(path for path in (FIXTURES / "healthy").rglob("*") if path.is_file())


@pytest.mark.parametrize("path", HEALTHY, ids=lambda path: path.name)
def test_healthy_logs_stay_silent_in_wrappers(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace").rstrip("\n")
    if " " in wrapped(path.name, text):
        pytest.skip("healthy only together with the other files of its case")
    for wrap in ("quote", "html", "GitHub", "ts level", "Loki newest first", "grep -n", "tmux 80", "Loki API", "compose"):
        assert " " not in wrapped(path.name, (TEXT | PASTES | COLLECTORS)[wrap](text)), wrap
