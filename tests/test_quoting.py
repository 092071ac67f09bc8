from pathlib import Path

import pytest
from small import library, signature

from triage.library.library import Library
from triage.pipeline import analyze_text

ERROR = "CUDA error: bad thing"
WORDS = (Path(__file__).resolve().parent.parent / "signatures" / "quoting.yaml").read_text(encoding="utf-8")


def knowing(tmp_path: Path) -> Library:
    """A library of one error, with the words of the real one."""
    return library(tmp_path, {"bad.yaml": signature("bad", ERROR), "quoting.yaml": WORDS})


@pytest.mark.parametrize(
    "line",
    [
        f'        if "{ERROR}" in str(error):',
        f'    if isinstance(error, RuntimeError) and "{ERROR}" in str(error):',
        f'    "{ERROR}": "check the labels",',
        f'        raise SystemExit("{ERROR}")',
        f"if grep -q '{ERROR}' job.log; then",
        f'    with pytest.raises(RuntimeError, match="{ERROR}"):',
        f'+:msg, contains, "{ERROR}" @@loghost',
        f"    Rule $log ^.*({ERROR}|other).*$ gpu.fault false",
        f'    description: "{ERROR} on {{{{ $labels.gpu }}}}"',
        f"A text such as `{ERROR}` in the log must be reported.",
        f"* `{ERROR}` usually means that memory ran out.",
        f"If a job dies with `{ERROR}` or `{ERROR} again`, please include the log:",
        f'* Fixed a hang after "{ERROR}" on hosts with many interfaces.',
        f"Look for `{ERROR}` first.",
        f"If a node shows {ERROR} in its log, drain it.",
        f"Applications may fail with {ERROR} when they fork.",
        f"* Fixed a bug that could lead to {ERROR} at exit.",
        f'The message "{ERROR}" is almost always an index problem.',
        f"In Foren liest man öfter von „{ERROR}“, ist das noch so?",
        f"Wenn man „{ERROR}“ sieht, hilft oft ein Neustart.",
        f"如果训练时报 {ERROR},是不是只能换卡?",
        f"网上有人说会出现“{ERROR}”,还没买,想先了解一下。",
        f"{ERROR} 一般是什么原因引起的?",
        f"Пишут, что бывает «{ERROR}», это правда?",
        f"Ошибка «{ERROR}» обычно означает ошибку в программе.",
        f"Si vous voyez « {ERROR} », relancez le programme.",
        f"「{ERROR}」とは何ですか。",
        f'node12 was the one with "{ERROR}", it is fixed since Friday.',
        f"In the last three weeks there was no \"{ERROR}\" on this node.",
        f"I have read in several threads that people see {ERROR} with such cables.",
        f"2025-03-11 10:02:11,120 - INFO - If you see '{ERROR}', lower the batch size.",
        f"An alert that fires when a node prints {ERROR}",
        f"Falls bei dir wirklich „{ERROR}“ steht, schick bitte das Protokoll.",
        f'{{"id": 1, "prompt": "Explain this log: {ERROR}", "reference": "labels"}}',
        f'{{"messages": [{{"role": "user", "content": "{ERROR}, why?"}}]}}',
        f"# Outage of 3 March\n\n**Status:** resolved\n\nAt 03:10 the job died with `{ERROR}`.",
        f"Status: behoben\n\nDer Lauf brach mit „{ERROR}“ ab.",
        f"状态:已解决\n\n任务因“{ERROR}”退出。",
    ],
)
def test_named_errors_are_not_reported(tmp_path: Path, line: str) -> None:
    assert analyze_text(line, library=knowing(tmp_path)).findings == []


@pytest.mark.parametrize(
    "line",
    [
        ERROR,
        f"I get `{ERROR}` when I run train.py",
        f'if I run it with 2 GPUs I get "{ERROR}"',
        f"We see errors such as `{ERROR}` after three hours",
        f'{{"level": "error", "msg": "{ERROR}"}}',
        f'time="2024-01-01T00:00:00Z" level=error msg="{ERROR}"',
        f'"{ERROR}": what does this mean?',
        f'Warning: "{ERROR}" in forward pass',
        f"it's dead: {ERROR}, isn't it",
        f"RuntimeError('{ERROR}')",
        f"Seit gestern bekomme ich „{ERROR}“ nach der ersten Epoche.",
        f"Wenn ich zwei GPUs nehme, kommt immer „{ERROR}“.",
        f"训练到第 3 个 epoch 时突然报错:{ERROR},请问怎么解决?",
        f"При запуске получаю ошибку «{ERROR}». Что делать?",
        f"Al entrenar mi modelo me sale «{ERROR}».",
        f"今朝から「{ERROR}」と出ます。",
        f"J'ai « {ERROR} » à chaque lancement.",
        f"Known issue? {ERROR}",
        f"Fixed batch size failed: {ERROR}",
        f"Some operations may fail: {ERROR}",
        f'Why does it say "{ERROR}" on my new laptop?',
        f"2025-03-11 10:02:11,120 - ERROR - {ERROR}",
        f"{ERROR}. If you see this, please report a bug.",
        f"[rank3]: {ERROR}",
        f"# Outage\n\n**Status:** open\n\nThe job died with `{ERROR}`.",
        f"Status: resolved\n{ERROR}",
    ],
)
def test_reported_errors_stay(tmp_path: Path, line: str) -> None:
    assert [f.id for f in analyze_text(line, library=knowing(tmp_path)).findings] == ["bad"]


def test_a_sentence_may_be_wrapped(tmp_path: Path) -> None:
    text = "I plan to buy two cards for fine-tuning, and in several threads people write that they\nget {} with old cables, so I ask here first."
    assert analyze_text(text.format(ERROR), library=knowing(tmp_path)).findings == []
    text = "The training of the small model on two cards has ended twice this week with the message\n{} after some hours."
    assert [f.id for f in analyze_text(text.format(ERROR), library=knowing(tmp_path)).findings] == ["bad"]


def test_what_was_set_aside_is_told(tmp_path: Path) -> None:
    report = analyze_text(f"Look for `{ERROR}` first.", library=knowing(tmp_path))
    assert report.notes == ["line 1: bad is no fault (quoted as an example)"]


@pytest.mark.parametrize(
    "line",
    [
        f"+ echo '{ERROR}'", f"++ grep -c '{ERROR}' /var/log/syslog", f"+ [[ -n '{ERROR}' ]]", f"+ LAST='{ERROR}'",
        f"+ /usr/bin/logger -t job '{ERROR}'", f"2031-05-02T12:01:58.900000001Z + echo '{ERROR}'",
    ],
)  # fmt: skip
def test_a_command_in_the_trace_of_a_shell_is_no_error_and_its_output_is(tmp_path: Path, line: str) -> None:
    lib = knowing(tmp_path)
    assert analyze_text(f"starting\n{line}\ndone", library=lib).verdict == "healthy"
    assert analyze_text(f"starting\n{line}\n{ERROR}\ndone", library=lib).verdict == "fault"
    assert analyze_text(f"starting\n+ {ERROR}\ndone", library=lib).verdict == "fault"


def test_of_a_fact_that_was_set_aside_nothing_is_told(tmp_path: Path) -> None:
    fact = signature("bad", ERROR, role="context", severity="info")
    lib = library(tmp_path, {"bad.yaml": fact, "quoting.yaml": WORDS})
    assert analyze_text(f"Look for `{ERROR}` first.", library=lib).notes == []
