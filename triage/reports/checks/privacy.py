"""Is something quoted that must not stand in a repository?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from triage.redact import detector
from triage.reports.checks.base import KEPT, Check, Subject, line_at
from triage.reports.logs import Quoted
from triage.reports.problem import Edit, Problem

_PARTS = re.compile(r"[._+-]")
# Mail addresses of a role (RFC 2142, and how teams on call are called), and domains that nobody has (RFC 2606).
_ROLES = frozenset(
    """abuse admin alert alerts contact help helpdesk hostmaster incident incidents info infra it mailer noc noreply
    office oncall ops platform postmaster reply root security service sre sysadmin support team webmaster""".split()  # noqa: SIM905
)
_NOBODYS = frozenset(("example.com", "example.org", "example.net"))
# Servers that everybody asks: public resolvers, and the address of a cloud's metadata.
_EVERYBODYS = frozenset(("8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "169.254.169.254"))
_MOST = 16 << 20  # bytes of a linked file that are searched for secrets


class _Private(Check):
    kinds: ClassVar[tuple[str, ...]]
    fixes = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        for one in subject.private:
            if one.kind not in self.kinds or one.kind in KEPT:
                continue
            value = document.text[one.start : one.stop]
            if value in subject.config.allow or self.harmless(value):
                continue
            line, column = line_at(document, one.start)
            lines = document.newline * value.count("\n")
            edits = [Edit(one.start, one.stop, one.new + lines)]
            yield self.problem(subject, line, self.say(value, one.new), edits=edits, column=column)

    def say(self, value: str, new: str) -> str:
        """What is quoted; never a secret itself."""
        raise NotImplementedError

    def harmless(self, value: str) -> bool:
        """Whether a value of this kind names nobody and nothing of the team's own."""
        return False


class SecretQuoted(_Private):
    """A secret is quoted: a token, password, key or cookie.

    Why: whoever can read the repository, now or later, can use it; git keeps it when the line is deleted.

    Instead: revoke the secret first, then run with `--fix`, which puts `[REDACTED:kind]` in its place, and rewrite the
    history if it was pushed. Linked logs of the repository are searched as well; `triage redact` mends those.
    """

    code = "TRI010"
    slug = "secret-quoted"
    kinds = ("secret",)

    def find(self, subject: Subject) -> Iterator[Problem]:
        yield from super().find(subject)
        for quoted in subject.shown.quoted:
            for path in _files(quoted):
                data = path.read_bytes()[:_MOST]
                first = None if b"\0" in data else next(detector.secrets(data), None)
                if first is not None:
                    name = quoted.name if path == quoted.path else f"{quoted.name}/{path.name}"
                    line = data.count(b"\n", 0, first.start) + 1
                    text = f"a secret stands in {name.replace('//', '/')}, line {line} ({first.rule}); revoke it"
                    yield self.problem(subject, quoted.line, text, remedy="commit the output of `triage redact`")

    def say(self, value: str, new: str) -> str:
        kind = new.removeprefix("[REDACTED:").rstrip("]")
        return f"a secret is quoted ({kind}, {len(value)} characters); revoke it"


class PersonQuoted(_Private):
    """The name or the mail address of a person is quoted.

    Why: reports are blameless and outlive their readers; a home folder in a traceback names who ran the job.

    Instead: name roles, not people; `--fix` puts a pseudonym in its place. A name that may stay (a service account)
    goes into `allow` of the configuration.
    """

    code = "TRI011"
    slug = "person-quoted"
    kinds = ("user", "email", "sid")

    def say(self, value: str, new: str) -> str:
        return f"{value!r} names a person"

    def harmless(self, value: str) -> bool:
        local, _, domain = value.lower().partition("@")
        return bool(domain) and (domain in _NOBODYS or not _ROLES.isdisjoint(_PARTS.split(local)))


class AddressQuoted(_Private):
    """An IP or MAC address is quoted.

    Why: addresses of your network are of use to attackers and to nobody else; reports get shared with vendors.

    Instead: `--fix` puts a pseudonym in its place that keeps networks apart. Addresses that may stay go into `allow`.
    """

    code = "TRI012"
    slug = "address-quoted"
    kinds = ("ip", "mac")

    def say(self, value: str, new: str) -> str:
        return f"{value} is an address of a machine"

    def harmless(self, value: str) -> bool:
        return value in _EVERYBODYS


def _files(quoted: Quoted) -> Iterator[Path]:
    """The files behind a linked log; none for a quoted one."""
    path = quoted.path
    if path is not None:
        yield from sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else (path,)
