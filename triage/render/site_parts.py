"""What the pages of the published library are made of: addresses, examples, escaped text, the frame of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from triage.library.library import Library, Signature
from triage.render import web
from triage.render.site_style import SCRIPT, STYLE
from triage.render.web import plain

FAMILIES = {
    "cuda": "CUDA", "data": "Data and checkpoints", "hf": "Hugging Face, vLLM, DeepSpeed, Ray",
    "host": "Host and kernel",
    "launcher": "Launchers", "libs": "CUDA libraries and builds", "nccl": "NCCL", "nvidia": "NVIDIA driver",
    "pcie": "PCIe and IOMMU", "python": "Python", "pytorch": "PyTorch distributed", "smi": "nvidia-smi and DCGM",
    "windows": "Windows", "vgpu": "vGPU and virtual machines", "amd": "AMD ROCm", "env": "Settings and environment",
    "codes": "Numbers and exit codes", "advice": "Risky advice", "watch": "Time series of a machine",
}  # fmt: skip


class Links:
    """Addresses of pages, and who stands in relation to whom."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._used: dict[str, list[Signature]] = {}
        for signature in library.signatures.values():
            self._used.setdefault(signature.playbook, []).append(signature)
        self._causes: dict[str, dict[str, list[str]]] = {}
        self._effects: dict[str, dict[str, list[str]]] = {}
        for link in library.links:
            causes, effects = self._expanded(link.cause), self._expanded(link.effect)
            for cause, when in causes:
                for effect, also in effects:
                    if cause != effect:
                        words = [text for text in (when, also) if text]
                        self._effects.setdefault(cause, {}).setdefault(effect, []).extend(words)
                        self._causes.setdefault(effect, {}).setdefault(cause, []).extend(words)

    def _expanded(self, side: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The ids of one side of a link, `xid-*` as all ids that it stands for."""
        found: list[tuple[str, str]] = []
        for name, when in side:
            if name.endswith("*"):
                found += [(one, when) for one in self.library.signatures if one.startswith(name[:-1])]
            elif name in self.library.signatures:
                found.append((name, when))
        return found

    def signature(self, name: str) -> str:
        return f"s/{file_name(name)}.html"

    def playbook(self, name: str) -> str:
        return f"p/{file_name(name)}.html"

    def used_by(self, playbook: str) -> list[Signature]:
        return sorted(self._used.get(playbook, []), key=lambda s: (s.family, s.id))

    def causes(self, name: str) -> Mapping[str, list[str]]:
        """What can explain `name`, each with the conditions of the links."""
        return self._causes.get(name, {})

    def effects(self, name: str) -> Mapping[str, list[str]]:
        return self._effects.get(name, {})


def file_name(name: str) -> str:
    """A file name for an id, whatever characters a library of one's own puts into it."""
    return re.sub(r"[^a-z0-9-]", lambda found: f"_{ord(found[0]):x}_", name) or "_"


@dataclass(slots=True)
class Sample:
    match: list[str] = field(default_factory=list)
    ignore: list[str] = field(default_factory=list)


class Samples:
    """The examples of the signatures, each file read once."""

    def __init__(self) -> None:
        self._files: dict[str, dict[str, Any]] = {}

    def of(self, signature: Signature) -> Sample:
        data = self._read(signature.path)
        found = Sample()
        for kind, texts in (("match", found.match), ("ignore", found.ignore)):
            for one in data.get(kind) or ():
                # What a table must ignore belongs to no row of it.
                owner = "" if signature.table and kind == "ignore" else signature.id
                if isinstance(one, dict) and "text" in one and one.get("id", owner) == signature.id:
                    texts.append(str(one["text"]))
        return found

    def _read(self, path: str) -> dict[str, Any]:
        if path not in self._files:
            import yaml

            from triage.library.loader import default_folder

            try:
                text = (default_folder() / path).read_text(encoding="utf-8")
                data = yaml.load(text, Loader=yaml.CSafeLoader)["examples"]
            except (OSError, UnicodeDecodeError, yaml.YAMLError, KeyError, TypeError):
                data = {}
            self._files[path] = data if isinstance(data, dict) else {}
        return self._files[path]


def page(title: str, body: str, up: str, head: str = "", crumbs: str = "", script: bool = False) -> str:
    """A whole page. `up` leads to the folder of the index."""
    home = f'<a href="{up}index.html">triage library</a>' if up else '<span aria-current="page">triage library</span>'
    header = f'<header><nav aria-label="Where you are"><ol><li>{home}</li>{crumbs}</ol></nav></header>'
    footer = (
        "<footer><p>Written by <code>triage docs build</code> from the library. "
        "Nothing here is loaded from a network.</p></footer>"
    )
    main = f"<h1>{plain(title)}</h1>{body}"
    return web.document(f"{title} - triage", main, STYLE, header, footer, head, SCRIPT if script else "")


def item(links: Links, one: Signature, up: str = "", tail: str = "") -> str:
    """A row of a list of signatures."""
    return (
        f'<li><span class="name"><a href="{up}{links.signature(one.id)}">{plain(one.id)}</a></span>'
        f'<span>{plain(one.title)}{tail}</span><span class="of"><span class="{escape(one.severity)}">'
        f"{plain(one.severity)}</span>, {plain(one.role)}</span></li>"
    )
