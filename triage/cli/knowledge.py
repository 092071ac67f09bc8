"""`triage explain`, `list` and `lint`: the library for people who read it and who write it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from triage.cli.options import (
    ColourOption,
    Everything,
    Lang,
    LangOption,
    Short,
    ShortFormat,
    Signatures,
    complete_family,
    complete_id,
    did_you_mean,
    library,
)
from triage.cli.streams import Colour, note, row_width, screen, spoken, write, write_rows
from triage.library.library import Library, Signature
from triage.library.lookup import find, suggest


def explain(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="ID",
            help="Id of a signature or playbook, a code (79, xid 79, cuda 700, code 43, TRI001), or a message.",
            autocompletion=complete_id,
        ),
    ],
    form: Short = ShortFormat.terminal,
    signatures: Signatures = None,
    everything: Everything = False,
    lang: LangOption = Lang.en,
    colour: ColourOption = Colour.auto,
) -> None:
    """Show what a code means, how it is recognised and what to do."""
    from triage.render import explain as page
    from triage.render import json
    from triage.render.lang import using

    wanted = " ".join(words)
    if re.fullmatch(r"(?i)tri\d{3}", wanted) and _explain_check(wanted, form):
        return
    known = library(signatures)
    name = find(wanted, known) or _seen(wanted, known) or wanted
    if name not in known.signatures and name not in known.playbooks:
        if re.fullmatch(r"[a-z]+-[a-z-]+", wanted) and _explain_check(wanted, form):
            return
        near = " or ".join(map(repr, suggest(name, known)))
        hint = f" Did you mean {near}?" if near else ""
        raise typer.BadParameter(f"no signature {name!r}.{hint} triage list shows all.", param_hint="'ID'")
    out = screen(colour)
    signature = known.signatures.get(name)
    if form is ShortFormat.json:
        write(json.dumps(page.as_dict(known, signature) if signature else page.playbook_dict(known.playbooks[name])))
        return
    with using(spoken(lang.value)):
        if signature is None:
            rows = page.render_playbook(known, known.playbooks[name], out.width, fancy=out.fancy)
        else:
            examples = page.examples(signature)
            rows = page.render(known, signature, examples, out.width, fancy=out.fancy, everything=everything)
    write_rows(rows, out.colour)


def _seen(message: str, known: Library) -> str | None:
    """The signature that holds on a message, which the page is then about; a note says so."""
    if " " not in message.strip():
        return None
    from triage.pipeline import match_text

    ids = [m.id for m in match_text(message, known) if known.signatures[m.id].role != "context"]
    if ids:
        others = f"; also {', '.join(dict.fromkeys(ids[1:]))}" if len(set(ids)) > 1 else ""
        note(f"the message is {ids[0]}{others}")
    return ids[0] if ids else None


def _explain_check(name: str, form: ShortFormat) -> bool:
    """Explains a code of incident reports, `TRI001` or `cause-not-in-log`; whether it was one."""
    from triage.render import json
    from triage.render.text import wrap
    from triage.reports.checks import BY_NAME

    check = BY_NAME.get(name.upper()) or BY_NAME.get(name)
    if check is None:
        if not name.upper().startswith("TRI"):
            return False
        near = did_you_mean(name.upper(), list(BY_NAME))
        raise typer.BadParameter(f"no code {name!r}.{near} docs/reports.md lists all.", param_hint="'ID'")
    if form is ShortFormat.json:
        data = {"code": check.code, "slug": check.slug, "level": check.level, "fixes": check.fixes}
        write(json.dumps({**data, "explanation": check.explanation}))
    else:
        mended = "mended by --fix" if check.fixes else "mended by hand"
        write(f"{check.code} {check.slug} · {check.level} · {mended}\n")
        for paragraph in check.explanation.split("\n\n"):
            rows = wrap(" ".join(paragraph.split()), screen(Colour.auto).width)
            write("\n" + "".join(f"{row}\n" for row in rows))
    return True


def list_(
    family: Annotated[
        str | None,
        typer.Option("--family", metavar="FAMILY", help="Only this family.", autocompletion=complete_family),
    ] = None,
    stats: Annotated[bool, typer.Option("--stats", help="Only numbers: by family, role, status, examples.")] = False,
    form: Short = ShortFormat.terminal,
    signatures: Signatures = None,
    colour: ColourOption = Colour.auto,
) -> None:
    """List the signatures, by family."""
    from triage.render import catalogue, json

    known = library(signatures)
    found = list(known.signatures.values())
    families = sorted({signature.family for signature in found})
    if family is not None and family not in families:
        near = did_you_mean(family, families) or f" Known: {', '.join(families)}."
        raise typer.BadParameter(f"no family {family!r}.{near}", param_hint="'--family'")
    found = [signature for signature in found if family in (None, signature.family)]
    if stats:
        _stats(known, found, form, colour)
        return
    if form is ShortFormat.json:
        write(json.dumps(catalogue.signatures_dict(found)))
        return
    out = screen(colour)
    write_rows(catalogue.signatures(found, row_width(out), fancy=out.fancy), out.colour)


def _stats(known: Library, found: list[Signature], form: ShortFormat, colour: Colour) -> None:
    from triage.library.proof import read_examples
    from triage.render import catalogue, json

    data = catalogue.stats_dict(found, read_examples(known), known)
    if form is ShortFormat.json:
        write(json.dumps(data))
        return
    out = screen(colour)
    write_rows(catalogue.stats(data, row_width(out), fancy=out.fancy), out.colour)


def lint(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="DIR", help="Folders of signatures; default: the own library.")
    ] = None,
) -> None:
    """Prove signatures, playbooks and links on their own examples.

    Exit status: 0 nothing wrong, 1 problems, 2 not done.
    """
    from triage.library.lint import lint as check
    from triage.render.words import counted

    for folder in folders or []:
        if not folder.exists():
            raise typer.BadParameter(f"{str(folder)!r} does not exist.", param_hint="'DIR'")
    problems = check(folders or [])
    wrong = [problem for problem in problems if problem.level == "error"]
    write("".join(f"{problem}\n" if problem in wrong else f"{problem} ({problem.level})\n" for problem in problems))
    note(f"{counted(len(wrong), 'error')}, {counted(len(problems) - len(wrong), 'note')}")
    raise typer.Exit(1 if wrong else 0)


def formats_(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="How much of it does each format take?")] = None,
    form: Short = ShortFormat.terminal,
    colour: ColourOption = Colour.auto,
) -> None:
    """List the formats that are read, or how a file is read. Each with a sample, or with how much of FILE it takes."""
    from triage.render import catalogue, json

    out = screen(colour)
    if file is None:
        from triage.formats.samples import entries

        known = entries()
        rows, data = catalogue.formats(known, out.width, fancy=out.fancy), catalogue.formats_dict(known)
    else:
        from triage.pipeline import sniff

        scores, remark = sniff(file)
        if remark or not scores:
            note(f"{file}: {remark.removeprefix(str(file)).lstrip() or 'could not be read'}")
        if not scores:
            raise typer.Exit(2)
        rows, data = catalogue.scores(scores, out.width, fancy=out.fancy), catalogue.scores_dict(scores)
    if form is ShortFormat.json:
        write(json.dumps(data))
    else:
        write_rows(rows, out.colour)
