from pathlib import Path

import pytest
from small import library, signature

from triage.pipeline import analyze_text

ERROR = "CUDA error: bad thing"


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
    ],
)
def test_named_errors_are_not_reported(tmp_path: Path, line: str) -> None:
    lib = library(tmp_path, {"bad.yaml": signature("bad", ERROR)})
    assert analyze_text(line, library=lib).findings == []


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
    ],
)
def test_reported_errors_stay(tmp_path: Path, line: str) -> None:
    lib = library(tmp_path, {"bad.yaml": signature("bad", ERROR)})
    assert [f.id for f in analyze_text(line, library=lib).findings] == ["bad"]
