from pathlib import Path

import pytest
from small import library, signature

from triage.model import Line, Record, join_lines
from triage.pipeline import analyze_text
from triage.writing import bare, header

ERROR = "CUDA error: bad thing"
WORDS = (Path(__file__).resolve().parent.parent / "signatures" / "quoting.yaml").read_text(encoding="utf-8")
FINDS = [
    # a comment, a docstring, a list, a message of a program's source
    "import os\n\ndef f():\n    # {} was seen here\n    return 1\n",
    'import os\n\ndef f():\n    """Runs.\n\n    RuntimeError: {}, when it does not fit.\n    """\n    return 1\n',
    '#include <string>\n\nstatic const char *const kFatal[] = {{\n    "{}",\n}};\n',
    "fn main() {{\n    let x = 1;\n    write!(f, \"{}\");\n}}\n",
    # a patch, a list of commits
    "@@ -1,2 +1,3 @@\n context\n-    old line\n+    {} is shown\n",
    "1a2b3c4 Fix {} at start\n2b3c4d5 Add docs\n3c4d5e6 Avoid {}\n",
    # rules of monitors
    "- alert: Bad\n  expr: bad > 0\n  annotations:\n    summary: {}\n",
    "<filter **>\n  @type grep\n  <regexp>\n    key log\n    pattern /{}/\n  </regexp>\n</filter>\n",
    '{{"title": "x",\n "panels": [\n  {{"title": "{}",\n   "targets": [{{"expr": "up"}}]}}\n ]}}\n',
    # tables and chapters that list errors
    "| line | meaning |\n|---|---|\n| {} | a bug |\n",
    "code,text,action\n1,{},reboot\n",
    "# Troubleshooting\n\n## {}\n\nReboot the machine.\n",
    "Runbook for nodes\n\n1. {}\n   Reboot the machine.\n",
    "# Changelog\n\n## 1.2.0\n\n- {} is gone\n",
    "<h1>Known issues</h1>\n<p>{}</p>\n",
    "Häufige Fehler\n==============\n\n{}\n",
    "## 常见报错\n\n{}\n",
    # a sample that somebody announces, even with a header of its own
    "Such a line looks like this:\n\n    {}\n",
    "The log shows, for example:\n```\n[   12.345678] {}\n```\n",
]
KEEPS = [
    # code, and below it what it printed
    "import os\n\ndef f():\n    return 1\n\nf()\n{}\n",
    'x = f(1,\n  """one step""")\nimport os\nimport re\n{}\n',
    "1a2b3c4 Add docs\n2b3c4d5 Add tests\n3c4d5e6 Remove it\nRunning at 3c4d5e6\n{}\n",
    "@@ -1,2 +1,3 @@\n-old\n+new\n$ python t.py\n{}\n",
    # settings that a program printed
    "data:\n  pattern: x\n  exclude: []\n  transforms:\n    - a\nrules:\n  a: 1\nstarting\n{}\n",
    "$ kubectl get cm -o yaml\nkind: ConfigMap\n$ kubectl logs t-0\nalert: none\n{}\n",
    # a table of what happened, a chapter with somebody's own words
    "| time | event |\n|---|---|\n| 10:02 | {} |\n",
    "# Troubleshooting\n\nI tried a reboot, but it comes again:\n\n{}\n",
    "See the troubleshooting guide\nloading\n{}\n",
    "We see this often. For example this morning:\n\n{}\n",
    "# Troubleshooting node07\n\n[   12.345678] {}\n",
]


@pytest.mark.parametrize("text", FINDS)
def test_writing_that_only_names_an_error(tmp_path: Path, text: str) -> None:
    lib = library(tmp_path, {"bad.yaml": signature("bad", ERROR), "quoting.yaml": WORDS})
    report = analyze_text(text.format(ERROR, ERROR), library=lib)
    assert report.findings == []
    assert report.notes, "the error was not seen at all"


@pytest.mark.parametrize("text", KEEPS)
def test_an_error_beside_such_writing_is_reported(tmp_path: Path, text: str) -> None:
    lib = library(tmp_path, {"bad.yaml": signature("bad", ERROR), "quoting.yaml": WORDS})
    assert [f.id for f in analyze_text(text.format(ERROR), library=lib).findings] == ["bad"]


def one(form: str, text: str, line: dict[str, str], **fields: str) -> Record:
    lines = [Line(n, part, part, dict(line)) for n, part in enumerate(text.split("\n"), 1)]
    return Record("s", form, lines, *join_lines(text.split("\n")), None, {**line, **fields})


def test_a_record_is_bare_without_a_header_of_its_own() -> None:
    assert bare(one("text", "a", {}))
    assert bare(one("text", "a", {"pod": "t-0", "time": "2025-03-11T10:02:11Z"}))
    assert not bare(one("text", "a", {"rank": "3"}))
    assert not bare(one("kernel", "a", {}, boot="1.0"))
    assert not bare(one("syslog", "a", {}, host="n7", ident="sshd"))
    assert not bare(one("traceback", "Traceback (most recent call last):\nE: a", {}))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2025-03-11 10:02:11,120 - INFO - text", 33),
        ("[2025-03-11T10:02:11Z] DEBUG text", 29),
        ("2025-03-11 10:02:11,120 - ERROR - text", 0),
        ("text", 0),
    ],
)
def test_the_header_of_a_calm_program(text: str, size: int) -> None:
    assert header(text) == size
