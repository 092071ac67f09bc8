"""One-line JSON around a message: journald, Docker, Loki, cloud exports, and programs that log in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from triage.sources.notebooks import cell_texts, is_notebook

Fields = dict[str, str]
Object = dict[str, Any]

# PRIORITY of journald and syslog (RFC 5424, table 2).
_PRIORITIES = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
_MESSAGES = (
    "MESSAGE", "message", "msg", "log", "line", "@message", "textPayload", "LogMessage", "LogEntry", "text", "event",
)  # fmt: skip
_LEVELS = ("level", "severity", "levelname", "lvl", "log.level", "loglevel")
_TIMES = ("time", "ts", "timestamp", "@timestamp", "asctime", "datetime", "date", "t", "TimeGenerated")
_ERRORS = (
    "error", "err", "errors", "exception", "exc_info", "exc_text", "exc", "stack", "stack_trace", "stacktrace",
    "stack_info", "traceback", "tb", "py_callstack", "errorVerbose", "reason", "cause", "details",
)  # fmt: skip
_NAMED = {
    "host": ("hostname", "host", "node", "nodename", "Computer"), "rank": ("rank", "global_rank"),
    "local_rank": ("local_rank",), "pod": ("pod", "pod_name", "PodName"), "pid": ("pid", "process_id"),
    "container": ("container", "container_name"),
}  # fmt: skip
_WRAPPERS = ("jsonPayload", "_source", "kubernetes", "labels", "resource", "extraInfo")
_LISTS = ("events", "entries", "hits", "results", "items", "logs", "messages", "records", "value")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_object(text: str) -> Object | list[Any] | None:
    """The JSON object (or list of objects) that a line holds, or None. A comma may follow, as in an array."""
    text = text.strip().rstrip(",")
    if len(text) < 2 or text[-1] not in "}]":
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return value
    return value if isinstance(value, list) and value and all(isinstance(item, dict) for item in value) else None


def messages(value: Object | list[Any], depth: int = 0) -> list[tuple[str, Fields]]:
    """The messages inside, each with its fields; empty when the object carries no message.

    The first text is the message, further ones are its error, exception or stack keys. Texts may hold newlines.
    """
    if depth > 3:
        return []
    if isinstance(value, list):
        return [found for item in value if isinstance(item, dict) for found in messages(item, depth + 1)]
    if "__REALTIME_TIMESTAMP" in value or ("MESSAGE" in value and "_HOSTNAME" in value):
        return [(_bytes_or_text(value.get("MESSAGE")), _journal_fields(value))]
    if is_notebook(value):
        return list(cell_texts(value))
    if isinstance(data := value.get("data"), dict) and isinstance(data.get("result"), list):
        return _loki(data["result"])
    for key in _LISTS:
        inner = value.get(key)
        if isinstance(inner, dict) and isinstance(inner.get(key), list):  # Elastic: hits.hits
            inner = inner[key]
        if isinstance(inner, list) and inner and (found := messages(inner, depth + 1)):
            return found
    return _application(value, depth)


def inner_objects(value: Any, depth: int = 0) -> Iterator[tuple[Object | None, str]]:
    """The objects inside a JSON document that carry a message, each with its text; texts of a list come alone."""
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        yield from ((None, item) for item in value)
        return
    items = value if isinstance(value, list) else [value]
    for item in items if depth < 4 else ():
        if not isinstance(item, dict):
            continue
        if is_notebook(item):
            yield from (({"message": text, **told} if told else None, text) for text, told in cell_texts(item))
            continue
        inner = next((item[key] for key in _LISTS if isinstance(item.get(key), list | dict) and item[key]), None)
        if isinstance(inner, dict):  # Elastic: hits.hits
            inner = next((inner[key] for key in _LISTS if isinstance(inner.get(key), list)), None)
        if isinstance(inner, list) and inner and (found := list(inner_objects(inner, depth + 1))):
            yield from found
        elif texts := messages(item):
            yield item, texts[0][0]


def _loki(streams: list[Any]) -> list[tuple[str, Fields]]:
    """The answer of Loki's HTTP API, newest line first: streams with labels and pairs of nanoseconds and text."""
    found: list[tuple[int, str, Fields]] = []
    for stream in streams:
        labels = stream.get("stream") if isinstance(stream, dict) else None
        pairs = stream.get("values") if isinstance(stream, dict) else None
        if not isinstance(labels, dict) or not isinstance(pairs, list):
            continue
        for pair in pairs:
            if isinstance(pair, list) and len(pair) >= 2 and isinstance(pair[1], str) and str(pair[0]).isdigit():
                fields = _fields({**labels, "time": int(pair[0])})
                found.append((int(pair[0]), pair[1], fields))
    newest_first = len(found) > 1 and found[0][0] > found[-1][0]
    ordered = sorted(reversed(found) if newest_first else found, key=lambda item: item[0])
    return [(text, fields) for _, text, fields in ordered]


def _application(value: Object, depth: int) -> list[tuple[str, Fields]]:
    fields = _fields(value)
    texts: list[str] = []
    for key in _MESSAGES:
        inner = value.get(key)
        if isinstance(inner, str) and (inner.strip() or key == "log"):
            texts.append(inner)
            break
        if isinstance(inner, dict) and (found := messages(inner, depth + 1)):  # torchrun's error.json
            return [(text, {**fields, **own}) for text, own in found]
    if not texts:
        for key in ("jsonPayload", "_source"):
            inner = value.get(key)
            if isinstance(inner, dict) and (found := messages(inner, depth + 1)):
                return [(text, {**own, **fields}) for text, own in found]
    extra = [text for key in _ERRORS for text in _texts(value.get(key))]
    if isinstance(info := value.get("extraInfo"), dict):
        extra += _texts(info.get("py_callstack"))
    if not texts and not (extra and any(key in value for key in (*_LEVELS, *_TIMES))):
        return [("", fields)] if "time" in fields and any(value.get(key) == "" for key in _MESSAGES) else []
    return [(text, fields) for text in [*texts, *(text for text in extra if text not in texts)]]


def _texts(value: Any) -> Iterator[str]:
    """The texts of an error key: a string, a list of them, or an object with message and stack."""
    if isinstance(value, str):
        if value.strip():
            yield value
    elif isinstance(value, list):
        for item in value[:200]:
            if isinstance(item, str):
                yield item
    elif isinstance(value, dict):
        for key in ("type", "name", "message", "msg", "error", "stack", "stacktrace", "traceback"):
            if isinstance(value.get(key), str):
                yield value[key]


def _fields(value: Object) -> Fields:
    fields: Fields = {}
    if level := _first(value, _LEVELS):
        fields["level"] = level.lower()
    for key in _TIMES:
        if (stamp := iso_time(value.get(key))) is not None:
            fields["time"] = stamp
            break
    places = [value, *(inner for key in _WRAPPERS if isinstance(inner := value.get(key), dict))]
    places += [inner for place in places[1:] if isinstance(inner := place.get("labels"), dict)]
    for field, keys in _NAMED.items():
        if found := next((text for place in places if (text := _first(place, keys))), ""):
            fields[field] = found
    return fields


def _first(value: Object, keys: tuple[str, ...]) -> str:
    for key in keys:
        inner = value.get(key)
        if isinstance(inner, str) and inner and len(inner) < 200:
            return inner
        if isinstance(inner, int) and not isinstance(inner, bool) and -1 < inner < 1 << 63:
            return str(inner)
    return ""


def _journal_fields(value: Object) -> Fields:
    """Fields of `journalctl -o json` (systemd.journal-fields(7)); the time is when journald received the line."""
    names = {
        "host": ("_HOSTNAME",), "pid": ("_PID", "SYSLOG_PID"), "ident": ("SYSLOG_IDENTIFIER", "_COMM"),
        "unit": ("_SYSTEMD_UNIT", "UNIT"), "boot": ("_BOOT_ID",), "container": ("CONTAINER_NAME",),
    }  # fmt: skip
    fields = {name: text for name, keys in names.items() if (text := _first(value, keys))}
    if value.get("_TRANSPORT") == "kernel":
        fields["ident"] = "kernel"
    priority = _first(value, ("PRIORITY",))
    # What a service prints without saying how grave it is gets the priority 6.
    told = value.get("_TRANSPORT") in ("kernel", "syslog", "journal", "audit") or priority != "6"
    if told and priority.isascii() and priority.isdigit() and int(priority) < len(_PRIORITIES):
        fields["level"] = _PRIORITIES[int(priority)]
    stamp = _first(value, ("__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP"))
    if stamp.isascii() and stamp.isdigit() and (time := _from_epoch(int(stamp))):
        fields["time"] = time
    elif (verbose := iso_time(value.get("timestamp"))) is not None:
        fields["time"] = verbose
    return fields


def _bytes_or_text(value: Any) -> str:
    """A MESSAGE: text, or a list of byte numbers when it held control characters, or null when it was too big."""
    if isinstance(value, list) and all(isinstance(item, int) and 0 <= item < 256 for item in value):
        return bytes(value).decode("utf-8", "replace")
    if isinstance(value, list):  # the field came more than once
        return "\n".join(_bytes_or_text(item) for item in value[:200] if isinstance(item, str | list))
    return value if isinstance(value, str) else ""


def iso_time(value: Any) -> str | None:
    """A JSON time as ISO text: an epoch number (s, ms, us or ns) becomes UTC, a text with a digit stays."""
    if isinstance(value, str):
        digits = value.replace(".", "", 1)
        if not (digits.isascii() and digits.isdigit()):
            return value if 8 <= len(value) < 64 and any(c.isdigit() for c in value) else None
        value = float(value) if "." in value else int(value[:30])
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1e8 < value < 1e20:
        return None
    for limit, factor in ((1e11, 1_000_000), (1e14, 1_000), (1e17, 1)):
        if value < limit:
            return _from_epoch(round(value * factor))
    return _from_epoch(int(value) // 1000)


def _from_epoch(microseconds: int) -> str | None:
    try:
        return (_EPOCH + timedelta(microseconds=microseconds)).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return None
