"""Is something quoted that must not stand in a repository?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from triage.reports.checks.base import KEPT, Check, Subject, line_at
from triage.reports.problem import Edit, Problem


class _Private(Check):
    kinds: ClassVar[tuple[str, ...]]
    fixes = True

    def find(self, subject: Subject) -> Iterator[Problem]:
        document = subject.document
        for one in subject.private:
            if one.kind not in self.kinds or one.kind in KEPT:
                continue
            value = document.text[one.start : one.stop]
            if value in subject.config.allow:
                continue
            line, column = line_at(document, one.start)
            lines = document.newline * value.count("\n")
            edits = [Edit(one.start, one.stop, one.new + lines)]
            yield self.problem(subject, line, self.say(value, one.new), edits=edits, column=column)

    def say(self, value: str, new: str) -> str:
        """What is quoted; never a secret itself."""
        raise NotImplementedError


class SecretQuoted(_Private):
    """A secret is quoted: a token, password, key or cookie.

    Why: whoever can read the repository, now or later, can use it; git keeps it when the line is deleted.

    Instead: revoke the secret first, then run with `--fix`, which puts `[REDACTED:kind]` in its place, and rewrite the
    history if it was pushed.
    """

    code = "TRI010"
    slug = "secret-quoted"
    kinds = ("secret",)

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
