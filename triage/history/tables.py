"""The tables of the history. `SCHEMA` rises when one changes, and an older triage refuses a newer store."""

from __future__ import annotations

import sqlalchemy as sql

SCHEMA = 1

tables = sql.MetaData()
meta = sql.Table(
    "triage_meta", tables, sql.Column("key", sql.String(32), primary_key=True), sql.Column("value", sql.Text)
)
reports = sql.Table(
    "triage_reports", tables,
    sql.Column("id", sql.String(32), primary_key=True),
    sql.Column("scope", sql.String(200), nullable=False, index=True),
    sql.Column("created", sql.Float, nullable=False, index=True),
    sql.Column("expires", sql.Float, nullable=False, index=True),
    sql.Column("verdict", sql.String(20), nullable=False),
    sql.Column("cause", sql.String(100), nullable=False, index=True),
    sql.Column("device", sql.String(200), nullable=False, index=True),
    sql.Column("host", sql.String(200), nullable=False, index=True),
    sql.Column("summary", sql.Text, nullable=False),
    sql.Column("token", sql.String(64), nullable=False),
    sql.Column("kinds", sql.Text, nullable=False),
    sql.Column("body", sql.Text, nullable=False),
    sql.Column("text", sql.Text, nullable=False),
)  # fmt: skip
marks = sql.Table(
    "triage_marks", tables,
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=True),
    sql.Column("report", sql.String(32), sql.ForeignKey("triage_reports.id", ondelete="CASCADE"), index=True),
    sql.Column("created", sql.Float, nullable=False),
    sql.Column("kind", sql.String(20), nullable=False),
    sql.Column("said", sql.Text, nullable=False),
)  # fmt: skip
