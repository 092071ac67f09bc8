"""Earlier reports: what was seen before on this GPU or host, and what helped then.

One SQLite file by default, any database of SQLAlchemy by URL (PostgreSQL is tested). A report is kept as the JSON of
`--format json`, redacted by its caller: names in it are pseudonyms that stay the same within one store, because
the store holds the salt. Drain state and pickles are never stored.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sql

from triage.history.likeness import device_of, digest, kinds_of, one, overlap, root
from triage.history.tables import SCHEMA, marks, meta, reports, tables

DAY = 86_400.0
KEEP = 90 * DAY  # counted from creation
_CONNECT = 10  # seconds, else a lost database would hold each request for minutes
_COMPARED = 500  # reports among which the nearest are looked for, newest first

Mark = Literal["fixed", "not-same", "helpful", "not-helpful"]
MARKS: tuple[Mark, ...] = ("fixed", "not-same", "helpful", "not-helpful")

_BRIEF = (
    reports.c.id, reports.c.scope, reports.c.created, reports.c.expires, reports.c.verdict, reports.c.cause,
    reports.c.device, reports.c.host, reports.c.summary,
)  # fmt: skip


class HistoryError(Exception):
    """The store cannot be opened or asked; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored report without its body. `created` and `expires` are seconds since 1970 (UTC)."""

    id: str
    scope: str
    created: float
    expires: float
    verdict: str
    cause: str
    device: str
    host: str
    summary: str


@dataclass(frozen=True, slots=True)
class Kept:
    """What `add` gives: the unguessable id, and the token that deletes the report; it is told only here."""

    id: str
    token: str
    expires: float


@dataclass(frozen=True, slots=True)
class Seen:
    """How often one cause was reported before; `where` is the device or the host, or empty (anywhere in the scope)."""

    cause: str
    where: str
    count: int
    first: float
    last: float
    helped: list[str] = field(default_factory=list)  # newest first


class History:
    """A store of reports.

    `url` is a path of a SQLite file or a URL of SQLAlchemy; `keep` is how long a report is kept, in seconds.
    """

    def __init__(self, url: str | Path, keep: float = KEEP) -> None:
        self.keep = keep
        address = str(url) if "://" in str(url) else f"sqlite:///{Path(url).expanduser()}"
        try:
            if address.startswith("sqlite:///"):
                _private(Path(address.removeprefix("sqlite:///").partition("?")[0]))
            self._engine = _engine(address)
            if self._engine.dialect.name == "sqlite":
                sql.event.listen(self._engine, "connect", _durable)
            tables.create_all(self._engine)
            self.salt = self._constant("salt", secrets.token_hex(32))
            version = int(self._constant("schema", str(SCHEMA)))
        except (sql.exc.SQLAlchemyError, ImportError, OSError) as error:
            raise HistoryError(f"the history at {_without_password(address)} cannot be opened: {error}") from error
        if version > SCHEMA:
            raise HistoryError(f"the history was written by a newer triage (schema {version}): update triage")

    def add(self, report: Mapping[str, Any], text: str = "", scope: str = "") -> Kept:
        """Keeps a redacted report, as `render.json.as_dict` gives it, and the redacted text that it is about.

        `scope` (a workspace and channel, a repository) bounds who can see it as an earlier one.
        """
        now = time.time()
        kept = Kept(secrets.token_urlsafe(18), secrets.token_hex(32), now + self.keep)
        cause = root(report)
        row = {
            "id": kept.id, "scope": scope, "created": now, "expires": kept.expires, "verdict": report["verdict"],
            "cause": str(cause.get("id", "")), "device": device_of(cause), "host": one(cause, "host"),
            "summary": report["summary"], "token": digest(kept.token), "kinds": json.dumps(sorted(kinds_of(report))),
            "body": json.dumps(report), "text": text.replace("\0", "\N{REPLACEMENT CHARACTER}"),
        }  # fmt: skip
        with self._asking() as db:
            db.execute(reports.insert().values(row))
        return kept

    def get(self, id: str) -> tuple[Entry, dict[str, Any], str] | None:
        """The entry, the report and the text, or None where there is none (any more)."""
        wanted = sql.select(*_BRIEF, reports.c.body, reports.c.text)
        with self._asking() as db:
            row = db.execute(wanted.where(reports.c.id == id, reports.c.expires > time.time())).first()
        return None if row is None else (Entry(*row[:-2]), json.loads(row.body), row.text)

    def forget(self, id: str, token: str | None = None) -> bool:
        """Deletes a report with its marks; false if there is none, or `token` (of `add`) is given and not its own."""
        with self._asking() as db:
            row = db.execute(sql.select(reports.c.token).where(reports.c.id == id)).first()
            if row is None or (token is not None and not secrets.compare_digest(row.token, digest(token))):
                return False
            db.execute(marks.delete().where(marks.c.report == id))
            return db.execute(reports.delete().where(reports.c.id == id)).rowcount > 0

    def purge(self) -> int:
        """Deletes what has expired; gives how many."""
        gone = sql.select(reports.c.id).where(reports.c.expires <= time.time())
        with self._asking() as db:
            db.execute(marks.delete().where(marks.c.report.in_(gone)))
            return db.execute(reports.delete().where(reports.c.expires <= time.time())).rowcount

    def mark(self, id: str, kind: Mark, said: str = "") -> None:
        """Notes what a person says of a report: what fixed it, or that it is not the same as the earlier ones."""
        if kind not in MARKS:
            raise HistoryError(f"no mark {kind!r}: one of {', '.join(MARKS)}")
        with self._asking() as db:
            if db.execute(sql.select(reports.c.id).where(reports.c.id == id)).first() is None:
                raise HistoryError(f"no report {id}")
            db.execute(marks.insert().values(report=id, created=time.time(), kind=kind, said=said[:2000]))

    def entries(
        self, *, cause: str = "", device: str = "", host: str = "", scope: str | None = None, limit: int = 50
    ) -> list[Entry]:
        """Stored reports, newest first; `scope` None means all scopes."""
        wanted = sql.select(*_BRIEF).where(reports.c.expires > time.time(), *_where(cause, device, host, scope))
        with self._asking() as db:
            return [Entry(*row) for row in db.execute(wanted.order_by(reports.c.created.desc()).limit(limit))]

    def seen(self, report: Mapping[str, Any], scope: str | None = None, but: str = "") -> Seen | None:
        """The earlier reports of the same cause on the same device, else host, else anywhere in the scope.

        `but` is the id of the report itself. Reports that a person marked as not the same do not count. None where the
        cause is unknown: rather nothing than something vague.
        """
        cause = root(report)
        if not cause or cause.get("role") != "cause":
            return None
        device, host = device_of(cause), one(cause, "host")
        for name, found in ((device, {"device": device}), (host, {"host": host}), ("", {})):
            if name or not found:
                seen = self._seen(str(cause["id"]), name, scope, but, **found)
                if seen is not None:
                    return seen
        return None

    def nearest(
        self, report: Mapping[str, Any], scope: str | None = None, but: str = "", most: int = 3
    ) -> list[tuple[float, Entry]]:
        """Earlier reports that share most kinds of lines and findings, with the share (Jaccard, 0 to 1)."""
        own = kinds_of(report)
        wanted = sql.select(*_BRIEF, reports.c.kinds).where(
            reports.c.expires > time.time(), reports.c.id != but, *_where("", "", "", scope)
        )
        with self._asking() as db:
            rows = db.execute(wanted.order_by(reports.c.created.desc()).limit(_COMPARED)).all()
        near = [(overlap(own, set(json.loads(row.kinds))), Entry(*row[:-1])) for row in rows]
        return sorted((pair for pair in near if pair[0] > 0), key=lambda pair: -pair[0])[:most]

    def _seen(self, cause: str, where: str, scope: str | None, but: str, **place: str) -> Seen | None:
        other = sql.select(marks.c.report).where(marks.c.kind == "not-same")
        held = (
            reports.c.expires > time.time(), reports.c.id != but, reports.c.id.not_in(other),
            *_where(cause, place.get("device", ""), place.get("host", ""), scope),
        )  # fmt: skip
        stats = sql.select(sql.func.count(), sql.func.min(reports.c.created), sql.func.max(reports.c.created))
        fixes = sql.select(marks.c.said).join(reports, marks.c.report == reports.c.id)
        with self._asking() as db:
            count, first, last = db.execute(stats.where(*held)).one()
            if not count:
                return None
            helped = fixes.where(*held, marks.c.kind == "fixed", marks.c.said != "").order_by(marks.c.created.desc())
            said = [row.said for row in db.execute(helped.limit(20))]
        return Seen(cause, where, count, first, last, list(dict.fromkeys(said)))

    def _constant(self, key: str, value: str) -> str:
        """The value under `key`; the first who asks sets it, and a second process at the same moment gets the same."""
        wanted = sql.select(meta.c.value).where(meta.c.key == key)
        try:
            with self._engine.begin() as db:
                row = db.execute(wanted).first()
                if row is not None:
                    return str(row.value)
                db.execute(meta.insert().values(key=key, value=value))
                return value
        except sql.exc.IntegrityError:
            with self._engine.begin() as db:
                return str(db.execute(wanted).scalar_one())

    @contextmanager
    def _asking(self) -> Iterator[sql.Connection]:
        try:
            with self._engine.begin() as db:
                yield db
        except sql.exc.SQLAlchemyError as error:
            told = getattr(error, "orig", None) or error  # without the statement, which no reader needs
            raise HistoryError(f"the history does not answer: {told}") from error

    def close(self) -> None:
        """Lets go of all connections."""
        self._engine.dispose()


def _where(cause: str, device: str, host: str, scope: str | None) -> Sequence[sql.ColumnElement[bool]]:
    wanted = (("cause", cause), ("device", device), ("host", host))
    conditions = [reports.c[name] == value for name, value in wanted if value]
    return conditions if scope is None else [*conditions, reports.c.scope == scope]


def _private(path: Path) -> None:
    """A new file, and a new folder around it, are for their owner alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        path.touch(mode=0o600)


def _engine(address: str) -> sql.Engine:
    if address == "sqlite://":  # in memory: one connection for all threads, or each would have a store of its own
        shared = {"check_same_thread": False}
        return sql.create_engine(address, poolclass=sql.StaticPool, connect_args=shared, hide_parameters=True)
    # A connection that the server has closed is replaced; no message holds text of a log.
    options: dict[str, Any] = {"pool_pre_ping": True, "pool_timeout": _CONNECT, "hide_parameters": True}
    if sql.make_url(address).get_backend_name() == "postgresql":
        options["connect_args"] = {"connect_timeout": _CONNECT}
    return sql.create_engine(address, **options)


def _durable(connection: Any, _record: Any) -> None:
    """A finished report survives a killed process (WAL), several processes may write, deleted rows are overwritten."""
    pragmas = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "foreign_keys=ON", "secure_delete=ON")
    for setting in pragmas:
        connection.execute(f"PRAGMA {setting}")


def _without_password(address: str) -> str:
    try:
        return sql.make_url(address).render_as_string(hide_password=True)
    except sql.exc.ArgumentError:
        return "(not a database URL)"
