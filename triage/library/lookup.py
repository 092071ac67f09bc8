"""The signature that a person means: an id, a code as people write it, or words of it."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence

from triage.library.library import Library, Signature

_CODE = re.compile(
    r"(?:(xid|sxid|code|win-code|windows-code|cuda|cuda-error|error|cudaerror)-?)?(\d{1,6})"
)  # fmt: skip
_TITLED = re.compile(r"\(CUDA (\d[\d, to]*)\)")
_RANGE = re.compile(r"(\d+)(?: to (\d+))?")
_SMALL = "a an and are by does from has have in is it my no not of off on or the to was what why with"
_STOP = frozenset(_SMALL.split())


def find(name: str, known: Library) -> str | None:
    """The id that is meant: `79`, `Xid 79`, `sxid 20034`, `code 43`, `cuda 700`, `710`; None if there is none.

    A number alone is an Xid, else an SXid, else a CUDA error.
    """
    word = re.sub(r"[\s_:#]+", "-", name.strip().lower())
    if word in known.signatures or word in known.playbooks:
        return word
    found = _CODE.fullmatch(word)
    if not found:
        return None
    kind, number = found[1] or "", int(found[2])
    if "code" in kind:
        ids = [f"win-code-{number}"]
    elif kind in ("xid", "sxid"):
        ids = [f"{kind}-{number}"]
    else:
        ids = [] if kind else [f"xid-{number}", f"sxid-{number}"]
        ids += [f"cuda-error-{number}", f"cuda-{number}"]
    exact = next((one for one in ids if one in known.signatures), None)
    return exact or (None if "code" in kind or "xid" in kind else _cuda(number, known))


def _cuda(number: int, known: Library) -> str | None:
    """The signature of a CUDA error that has its own file: its title names the number, `(CUDA 218, 221 to 223)`."""
    for signature in known.signatures.values():
        if (named := _TITLED.search(signature.title)) and not signature.refines:
            for first, last in _RANGE.findall(named[1]):
                if int(first) <= number <= int(last or first):
                    return signature.id
    return None


def suggest(name: str, known: Library, most: int = 3) -> list[str]:
    """At most `most` ids for what is no id: those whose id, title and words fit best, else misspelt ones."""
    words = [word for word in re.findall(r"[a-z0-9]+", name.lower()) if len(word) > 1 and word not in _STOP]
    linked = Counter(end for link in known.links for end, _ in (*link.cause, *link.effect))
    scored = [(score, one) for one in known.signatures.values() if (score := _score(words, one))]
    best = sorted(scored, key=lambda pair: (-pair[0], -linked[pair[1].id], pair[1].id))
    near = difflib.get_close_matches(re.sub(r"[\s_]+", "-", name.lower()), [*known.signatures, *known.playbooks], most)
    return list(dict.fromkeys([*(one.id for _, one in best), *near]))[:most]


def _score(words: Sequence[str], one: Signature) -> float:
    """How well the words fit: where each is said counts, and a signature that lacks one of several is out.

    Faults come before facts, and those that are met often (they have a Chinese title) before rare ones.
    """
    spoken = {"id": one.id.split("-"), "title": re.findall(r"[a-z0-9]+", one.title.lower())}
    seen = " ".join([one.means, *(p.regex for p in one.match)]).lower()
    points = 0.0
    for word in words:
        said = 3.0 if word in spoken["id"] else 2.0 if word in spoken["title"] else 1.0 if word in seen else 0.0
        if not said:
            return 0.0
        points += said
    return points and points + (2.0 if one.title_zh else 0.0) + (0.5 if one.role != "context" else 0.0)
