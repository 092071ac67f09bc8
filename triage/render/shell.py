"""Commands of steps as a person pastes them: quoted for their shell, broken where they still are one command."""

from __future__ import annotations

from triage import lazy
from triage.advise import shell_line
from triage.model import Step
from triage.render.text import cells, clean

_SHELL_WORD = lazy.pattern(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+""")


def command_line(step: Step, windows: bool = False) -> str:
    """The command of a step to paste, quoted for the shell of the place where it runs."""
    words = [clean(word) for word in step.command or []]
    return shell_line(words, "powershell" if windows or step.where == "windows" else "posix")


def break_command(command: str, width: int, windows: bool = False) -> list[str]:
    """`command` in rows of at most `width` columns that still paste as one command.

    Rows are joined by the shell's own continuation mark. Python code behind `-c` is broken between the arguments of
    a call, where Python allows it. Any other longer word is left whole: a cut would change what is run; the terminal
    then wraps it itself.
    """
    mark = " `" if windows else " \\"
    rows: list[str] = []
    row = ""
    words = _SHELL_WORD.findall(clean(command))
    for at, word in enumerate(words):
        if not row:
            row = word
        elif cells(row) + 1 + cells(word) + len(mark) <= width:
            row += " " + word
        else:
            rows.append(row + mark)
            row = "  " + word
            if not windows and cells(row) > width and at > 1 and words[at - 1] == "-c" and "python" in words[at - 2]:
                *whole, row = _break_code(word, width - 4)
                rows += [f"  {piece}" for piece in whole]
                row = "  " + row
    return [*rows, row] if row else []


def _break_code(word: str, width: int) -> list[str]:
    """A quoted word of Python code, broken behind commas that stand inside brackets and outside of strings."""
    rows: list[str] = []
    row, piece, depth, inside = "", "", 0, ""
    for at, char in enumerate(word):
        piece += char
        if inside:
            inside = "" if char == inside else inside
        elif char in "'\"" and 0 < at < len(word) - 1:
            inside = char
        depth += 0 if inside else (char in "([{") - (char in ")]}")
        if (char == " " and word[at - 1] == "," and depth > 0 and not inside) or at == len(word) - 1:
            if row and cells(row) + cells(piece.rstrip()) > width:
                rows.append(row.rstrip())
                row = "  "
            row += piece
            piece = ""
    return [*rows, row]
