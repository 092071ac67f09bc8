"""Commands paste as the same program, however narrow the terminal is."""

from __future__ import annotations

import ast
import shlex

from triage.render.shell import break_command


def test_commands_break_where_they_still_paste():
    command = "nvidia-smi --query-gpu=index,name --format=csv 'one argument with spaces' -i 0"
    rows = break_command(command, 40)
    assert all(len(row) <= 40 for row in rows)
    assert all(row.endswith(" \\") for row in rows[:-1])
    assert "".join(row.removesuffix("\\").strip() + " " for row in rows).strip() == command
    assert any("'one argument with spaces'" in row for row in rows)


def test_python_code_breaks_between_arguments_and_stays_the_same_program():
    code = "import os, torch; print(os.environ.get('A, B'), torch.cuda.device_count(), [1, 2], 'x, (y')"
    rows = break_command(f'python3 -c "{code}" --more', 60)
    assert all(len(row) <= 60 for row in rows)
    found = shlex.split("\n".join(rows).replace(" \\\n", " "))
    assert found[:2] == ["python3", "-c"]
    assert found[3] == "--more"
    assert ast.dump(ast.parse(found[2])) == ast.dump(ast.parse(code))
