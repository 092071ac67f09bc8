"""What people send, as a text or as files in a folder that is gone afterwards."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from triage.clock import zone_of
from triage.serve.guard import Refusal
from triage.serve.settings import Settings

_UNSAFE = re.compile(r"[^\w.+@=,\- ()\[\]]+", re.ASCII)
_NAME = 120
YES, NO = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


@dataclass(slots=True)
class Intake:
    """Text, or files; `zone` as seconds east of UTC."""

    text: str = ""
    paths: list[Path] = field(default_factory=list)
    zone: float | None = None
    keep: bool = True


@asynccontextmanager
async def taken(request: Request, settings: Settings) -> AsyncIterator[Intake]:
    """The body of a request: JSON, a form, or the text itself. Files lie in a folder that exists inside the block.

    The text of a form is in `request.state.text`, too, for a page that must show it again.
    """
    kind = request.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
    asked = _options(dict(request.query_params))
    if kind == "application/json":
        yield _from_json(await _json(request), asked, settings)
    elif kind in ("multipart/form-data", "application/x-www-form-urlencoded"):
        async with _form(request, kind, settings) as form:
            with tempfile.TemporaryDirectory(prefix="triage-") as folder:
                request.state.text = "\n".join(one for one in form.getlist("text") if isinstance(one, str))
                yield await _from_form(form, Path(folder), asked, settings)
    elif kind.startswith("text/") or kind == "application/octet-stream":
        with tempfile.TemporaryDirectory(prefix="triage-") as folder:
            yield _from_body(await request.body(), Path(folder), asked, settings)
    else:
        raise Refusal(415, "send text/plain, application/json with `text`, or a form with `text` or `files`")


@asynccontextmanager
async def _form(request: Request, kind: str, settings: Settings) -> AsyncIterator[FormData]:
    """The form. A pasted text is a field, and fields are held in memory: the text's own limit bounds each."""
    most = settings.text if kind == "multipart/form-data" else settings.body
    try:
        form = await request.form(max_files=settings.files, max_fields=20, max_part_size=most)
    except HTTPException as error:
        if "exceeded maximum size" in str(error.detail):
            raise _too_long(settings) from error
        raise
    try:
        yield form
    finally:
        await form.close()


async def _json(request: Request) -> dict[str, Any]:
    try:
        data = await request.json()
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"the body is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise Refusal(400, 'the body must be a JSON object such as {"text": "..."}')
    return data


def _from_json(data: dict[str, Any], asked: dict[str, Any], settings: Settings) -> Intake:
    text = data.get("text")
    if not isinstance(text, str):
        raise Refusal(422, "`text` is missing or no string")
    said = {name: data[name] for name in ("keep", "zone") if name in data}
    if not isinstance(said.get("keep", True), bool):
        raise Refusal(422, "`keep` must be true or false")
    if not isinstance(said.get("zone", ""), str):
        raise Refusal(422, "`zone` must be a text such as +08:00")
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no text
    _bounded(len(text.encode()), settings)
    return Intake(text=text, **asked | _options({name: str(value) for name, value in said.items()}))


async def _from_form(form: FormData, folder: Path, asked: dict[str, Any], settings: Settings) -> Intake:
    """`text` may come more than once, and as a file, too (`curl -F text=@log`)."""
    fields = {key: value for key, value in form.items() if isinstance(value, str) and key != "text"}
    if "files" in fields:
        raise Refusal(422, "`files` holds a text: send it as `text`, or as a file with a name")
    if "text" not in form and "files" not in form:  # what `curl --data-binary @log` sends if it is not told better
        raise Refusal(422, "no field `text` or `files` in the form; send a log as it is as `content-type: text/plain`")
    sent = [*form.getlist("text"), *form.getlist("files")]
    text = "\n".join(value for value in sent if isinstance(value, str))
    _bounded(len(text.encode("utf-8", "replace")), settings)
    made = Intake(text=text, **asked | _options(fields))
    for upload in sent:
        if isinstance(upload, UploadFile) and (upload.filename or upload.size):  # a page sends an empty field
            path = _place(folder, upload.filename or "")
            await run_in_threadpool(_save, upload, path)
            made.paths.append(path)
    if made.paths and text.strip():  # both are evidence of the same incident
        path = _place(folder, "paste")
        path.write_text(text, encoding="utf-8", errors="replace")
        made.paths.append(path)
    return made


def _save(upload: UploadFile, path: Path) -> None:
    with path.open("wb") as out:
        shutil.copyfileobj(upload.file, out, 1 << 20)


def _place(folder: Path, name: str) -> Path:
    """A free path for a name that is safe to show and to store; a doubled name gets a folder of its own."""
    last = re.split(r"[/\\]", name)[-1]
    clean = _UNSAFE.sub("_", last).strip(". ")[-_NAME:] or "file"
    path, number = folder / clean, 1
    while path.exists():
        number += 1
        path = folder / str(number) / clean
    path.parent.mkdir(exist_ok=True)
    return path


def _from_body(body: bytes, folder: Path, asked: dict[str, Any], settings: Settings) -> Intake:
    _bounded(len(body), settings)
    try:
        return Intake(text=body.decode(), **asked)
    except UnicodeDecodeError:  # GBK, UTF-16, or an archive: what opens files knows them
        path = folder / "paste"
        path.write_bytes(body)
        return Intake(paths=[path], **asked)


def _bounded(size: int, settings: Settings) -> None:
    if size > settings.text:
        raise _too_long(settings)


def _too_long(settings: Settings) -> Refusal:
    return Refusal(413, f"the text is larger than {settings.text >> 20} MiB: send it as a file")


def _options(said: dict[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if zone := said.get("zone", ""):
        try:
            options["zone"], _ = zone_of(zone)
        except ValueError as error:
            raise Refusal(422, f"`zone`: {error}") from error
    if (keep := said.get("keep")) is not None:
        if keep.lower() not in (*YES, *NO):  # whoever misspells "no" must not find the log kept
            raise Refusal(422, "`keep` must be true or false")
        options["keep"] = keep.lower() in YES
    return options
