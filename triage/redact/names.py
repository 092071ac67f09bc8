"""Finds the names of people and machines: at the places where programs write them, then wherever they stand.

A name has no shape. `NameBook` learns names from their places (a home folder, the host of a syslog line, `user=`), and
finds them again as whole words. A word that signatures look for is never taken for a name outside of such a place: a
user called `nvidia` must not take the driver out of the log.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from triage import lazy
from triage.library.patterns import compiled
from triage.redact.identities import Identity

_NAME = r"[A-Za-z](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9_-])?"
_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62})(?:\.[A-Za-z0-9_-]{1,63}){0,8}"
# Behind stamps of `dmesg --time-format iso` (T and a comma) and of container runtimes (nanoseconds, Z) no host stands.
_STAMP = (
    r"(?:<[0-9]{1,3}>1? ?)?(?:[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8}(?:\.[0-9]{1,9})?"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:]{8}(?:\.[0-9]{1,6})?| [0-9:.,]{8,20})(?:Z|[+-][0-9:]{4,5})?)"
)
_USERS = (
    r"[\\/](?:home|Users|users|homes)[\\/]{1,4}([A-Za-z0-9][\w.@ -]{0,62}?)[\\/]",
    rf"[\\/](?:home|Users|users|homes)[\\/]{{1,4}}({_NAME})",
    r"[A-Za-z]:\\{1,4}Users\\{1,4}([^\\/:*?\"<>|\r\n\t']{1,64})\\",
    rf"(?i)\b(?:user_?name|logname|sudo_user|slurm_job_user|job_user|run_as_user|target_?user_?name|"
    rf"subject_?user_?name|account name)\"?'?\s{{0,2}}[=:>]\s{{0,3}}[\"']?({_NAME})",
    # `User: What does ...` is a chat.
    rf"(?i)\b(?:user|login)(?:\"?'?\s?=\s?[\"']?|[\"']\s?:\s?[\"'])({_NAME})",
    rf"(?i)\b(?:user|login):\s{{0,3}}[\"']?({_NAME})(?:[\"',;)]|\s*$)",
    rf"(?i)\b(?:for|of|by|as) user '?({_NAME})",
    rf"\buid=[0-9]{{1,10}}\(({_NAME})\)",
    rf"(?i)\blogged in as:? ({_NAME})",
    rf"\bUserId=({_NAME})\(",
    rf"\bsudo(?:\[[0-9]{{1,7}}\])?:\s{{1,12}}({_NAME}) : ",
    rf"\b(?:ssh|scp|rsync)\s[^\n@]{{0,80}}?\b({_NAME})@",
    rf"^\[?({_NAME})@{_HOST}(?::|\s)[~/][^\n$#]{{0,200}}[$#] ",
    rf"^\s{{0,2}}NT AUTHORITY\\({_NAME})|<Data Name='\w{{0,20}}UserName'>({_NAME})<",
)
_HOSTS = (
    rf"^{_STAMP} ({_HOST}) [\w./@()-]{{1,64}}(?:\[[0-9]{{1,7}}\])?:",
    rf"^{_STAMP} ({_HOST}) kernel:",
    rf"\b({_HOST}):[0-9]{{2,7}}:[0-9]{{2,7}} (?:\[-?[0-9]{{1,4}}\] )?(?:NCCL|[\w.:]{{1,80}} NCCL)",
    rf"^\s{{0,8}}host\s{{1,12}}: ({_HOST})\s*$",
    rf"(?i)\b_?(?:host_?name|host|node_?name|computer(?:_?name)?|machine_?name|master_addr|slurmd_nodename|slurm_job_nodelist|"
    rf"slurm_nodelist|slurm_step_nodelist|slurm_launch_node|slurm_submit_host|target_node_name|head_node|nodelist|batchhost)"
    rf"\\?[\"']?(?:\s{{0,3}}[=:]\s{{0,12}}|>)\\?[\"']?({_HOST})",
    rf"\[({_HOST})\]:[0-9]{{2,5}}\b",
    rf"\b[a-z][a-z0-9+]{{1,15}}://(?:[^\s/@]{{1,100}}@)?({_HOST})",
    rf"\b(?:ssh|scp|rsync)\s[^\n@]{{0,80}}?\b{_NAME}@({_HOST})",
    rf"^\[?{_NAME}@({_HOST})(?::|\s)[~/][^\n$#]{{0,200}}[$#] ",
    rf"(?i)\b(?:on|from|at|to) (?:host|node|machine) ['\"]?({_HOST})",
    rf"^({_HOST}) login: ?(?:\[|$)",  # a serial console, and what the kernel says into it
    rf"^\s{{0,8}}Node:\s{{1,20}}({_HOST})/[0-9a-f]|\bSuccessfully assigned \S{{1,200}} to ({_HOST})\b",
    rf"^Linux ({_HOST}) [0-9]{{1,2}}\.[0-9]{{1,3}}\.",
    rf"\bsrun: error: ({_HOST}): ",
    rf"\b(?:slurmstepd|slurmd): error: \*\*\* [^\n]{{0,80}} ON ({_HOST}) ",
    rf"<Computer>({_HOST})</Computer>",
)
_OWN = lazy.pattern(r"^(?:user|host|net|mail)-[0-9]{8}")
_WORD = lazy.pattern(r"[A-Za-z][A-Za-z0-9_-]{1,62}")
_MOST = 5000
_FILE = lazy.pattern(r"(?i)\.(?:py|log|txt|so|c|cc|cpp|cu|h|json|yaml|yml|gz|conf|toml|md|sh|service)$")


class NameBook:
    """The names that were learned; `vocabulary` are words that are never names outside of a name's place."""

    def __init__(self, vocabulary: frozenset[str] = frozenset()) -> None:
        self._vocabulary = vocabulary
        self._kinds: dict[bytes, str] = {}
        self._pattern: Any = None

    def learn(self, text: bytes) -> list[Identity]:
        """Notes the names in `text` that stand at a place for names, and gives them."""
        found = list(_placed(text))
        for one in found:
            self.note(text[one.start : one.stop].decode("utf-8", "replace"), one.kind)
        return found

    def note(self, name: str, kind: str) -> None:
        """Notes one name, and for a host also its first part."""
        for one in (name, name.partition(".")[0]) if kind == "host" else (name,):
            data = one.encode("utf-8", "replace")
            if data not in self._kinds and len(self._kinds) < _MOST and self._is_distinct(one, kind):
                self._kinds[data] = kind
                self._pattern = None

    def _is_distinct(self, name: str, kind: str) -> bool:
        low = name.lower()
        if kind == "host" and low.isalpha():  # `wandb.local` must not take `wandb:` out of the log
            return False
        if len(name) < 3 or low.isdigit() or low in self._vocabulary:
            return False
        return low not in _lists()["users"] and low not in _lists()["hosts"]

    def found(self, text: bytes) -> Iterator[Identity]:
        """Every whole word in `text` that was learned."""
        if not self._kinds:
            return
        if self._pattern is None:
            words = sorted(self._kinds, key=len, reverse=True)
            self._pattern = compiled("|".join(re.escape(word.decode("utf-8", "replace")) for word in words))
        for hit in self._pattern.finditer(text):
            start, stop = hit.span()
            if not _joins(text[start - 1 : start]) and not _joins(text[stop : stop + 1]):
                yield Identity(start, stop, self._kinds[text[start:stop]])


def _joins(byte: bytes) -> bool:
    """Whether this neighbour makes the word longer."""
    return byte.isalnum() or byte == b"_" or byte >= b"\x80"


def _placed(text: bytes) -> Iterator[Identity]:
    """The users and hosts in `text` that stand where programs write such names."""
    for kind, regexes in (("user", _USERS), ("host", _HOSTS)):
        fits = is_user if kind == "user" else is_host
        for regex in regexes:
            for hit in compiled(regex).finditer(text):
                number = hit.lastindex
                if number and fits(hit.group(number).decode("utf-8", "replace")):
                    yield Identity(hit.start(number), hit.end(number), kind)


@lru_cache(maxsize=1 << 14)
def is_user(name: str) -> bool:
    """Whether this is the name of a person's account, and not of one that every machine has."""
    return len(name) >= 2 and name.lower() not in _lists()["users"] and not name.isdigit() and not _OWN.match(name)


@lru_cache(maxsize=1 << 14)
def is_host(name: str) -> bool:
    """Whether this names a machine of somebody's own: no number, no public server, no word of a message."""
    low = name.lower()
    if low in _lists()["hosts"] or len(name) < 2 or _OWN.match(low) or _is_public(low) or _FILE.search(low):
        return False
    return not re.fullmatch(r"[0-9.:]+|[0-9a-f]{1,4}|0x[0-9a-f]+", low)


def _is_public(name: str) -> bool:
    parts = name.split(".")
    return any(".".join(parts[at:]) in _lists()["public"] for at in range(len(parts)))


@cache
def _lists() -> dict[str, frozenset[str]]:
    table = tomllib.loads(files(__package__).joinpath("names.toml").read_text(encoding="utf-8"))
    return {name: frozenset(text.split()) for name, text in table.items()}


def words(texts: Iterable[str]) -> frozenset[str]:
    """The words in `texts`, in lower case."""
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))
