"""Redaction: secrets out, stable pseudonyms in, the diagnosis as before."""

from __future__ import annotations

from triage.redact.redactor import Redactor, redact

__all__ = ["Redactor", "redact"]
