"""What Kubernetes says of pods and nodes: `kubectl describe`, `get -o wide`, `get -o yaml` and `-o json`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from triage import clock, lazy
from triage.formats.base import Format, record
from triage.model import Line, Record, Stamp, Value

_NAME = lazy.pattern(r"Name:\s+(?P<name>[a-z0-9][a-z0-9.-]{0,252})\s*$")
_NODE = lazy.pattern(r"Node:\s+(?P<host>[A-Za-z0-9][\w.-]{0,252})/\S*\s*$")
_STATE = lazy.pattern(r"(?P<indent>\s+)(?:Last )?State:\s+Terminated\s*$")
_NOW = lazy.pattern(r"\s+State:\s+(?P<state>\w+)\s*$")
_TERMINATED = lazy.pattern(r"(?P<indent>\s+)\"?terminated\"?:\s*\{?\s*$")
_NODE_NAME = lazy.pattern(r"\s+\"?nodeName\"?: \"?(?P<host>[A-Za-z0-9][\w.-]{0,252}?)\"?,?\s*$")
_OWN_NAME = lazy.pattern(r"(?P<indent>\s+)\"?name\"?: \"?(?P<name>[a-z0-9][a-z0-9.-]{0,252}?)\"?,?\s*$")
_METADATA = lazy.pattern(r"(?P<indent>[\s-]*)\"?metadata\"?:\s*\{?\s*$")
_FIELD = lazy.pattern(r"(?P<indent>\s*)\"?(?P<name>[A-Za-z][\w ]{0,30}?)\"?:\s+\"?(?P<value>.*?)\"?,?\s*$")
_LABELS = {
    "reason": "Reason", "exitCode": "Exit Code", "finishedAt": "Finished", "startedAt": "Started", "message": "Message",
    "signal": "Signal",
}  # fmt: skip
_TABLE = lazy.pattern(r"(?:NAMESPACE\s+)?NAME\s+READY\s+STATUS\s+RESTARTS\s")
_ROW = lazy.pattern(r"(?:[a-z0-9-]+\s+)?[a-z0-9][a-z0-9.-]*\s+\d+/\d+\s+\S")
_RESOURCE = lazy.pattern(r"\s+nvidia\.com/gpu:?\s+(?P<count>\d+)\s*$")
_FAR = 2000  # lines between the name of a pod and how its containers ended
_LONGEST, _MANY = 60, 400  # lines of an end, of the metadata of a pod
_DAWN = 631152000.0  # 1990: a container whose end nobody saw has the year 1


class KubePod(Format):
    """How a container ended and where its pod ran, one record each.

    Fields: `pod`, `host`, `exit_code`; `state`, what it is now (`Terminated`, `Waiting`, `Running`), where told.

        Name:             llama-train-worker-2
        Node:             gpu-07/10.4.0.17
            Last State:     Terminated
              Reason:       OOMKilled
              Exit Code:    137
              Finished:     Mon, 05 May 2025 12:01:58 +0000

    YAML and JSON read in the words of `describe`. A row of `kubectl get pods -o wide` tells pod and node, too.
    """

    name: ClassVar[str] = "kube-pod"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        text = lines[at].text
        if text[:1].isspace():
            if ended := _STATE.match(text) or _TERMINATED.match(text):
                return self._ended(lines, at, len(ended["indent"]))
            if found := _NODE_NAME.match(text):
                pod = _pod_above(lines, at)
                return record(self.name, lines[at : at + 1], [f"Node: {found['host']}"], pod=pod, host=found["host"])
            return None
        if text.startswith("Name:"):
            return self._described(lines, at)
        return self._row(lines, at) if "/" in text and _ROW.match(text) else None

    def _described(self, lines: Sequence[Line], at: int) -> Record | None:
        """The head of a description, up to the node."""
        found = _NAME.match(lines[at].text)
        if not found:
            return None
        for end in range(at + 1, min(len(lines), at + 12)):
            if node := _NODE.match(lines[end].text):
                texts = [line.text for line in lines[at:end]]
                own = lines[at : end + 1]
                return record(self.name, own, [*texts, f"Node: {node['host']}"], pod=found["name"], host=node["host"])
            if _NAME.match(lines[end].text):
                break
        return None

    def _ended(self, lines: Sequence[Line], at: int, indent: int) -> Record:
        texts, end = ["State: Terminated"], at + 1
        told: dict[str, str] = {}
        while end < len(lines) and end - at < _LONGEST:
            found = _FIELD.match(lines[end].text)
            if not found or len(found["indent"]) <= indent:
                break
            name = _LABELS.get(found["name"], found["name"])
            told[name] = found["value"]
            texts.append(f"{name}: {found['value']}")
            end += 1
        pod, host = _owner(lines, at)
        code: Value | None = int(told["Exit Code"]) if told.get("Exit Code", "").isdecimal() else None
        when = _moment(told.get("Finished", ""))
        state = _state(lines, at)
        return record(self.name, lines[at:end], texts, when, pod=pod, host=host, exit_code=code or None, state=state)

    def _row(self, lines: Sequence[Line], at: int) -> Record | None:
        head = next((one.text for one in reversed(lines[max(0, at - _FAR) : at]) if _TABLE.match(one.text)), None)
        if head is None:
            return None
        row = dict(zip(re.split(r"\s{2,}", head.strip()), re.split(r"\s{2,}", lines[at].text.strip()), strict=False))
        shown = "   ".join(cell for name, cell in row.items() if name != "NAMESPACE")
        node = row.get("NODE", "<none>")
        host = node if node != "<none>" else None
        return record(self.name, lines[at : at + 1], [shown], pod=row.get("NAME"), host=host)


class KubeNode(Format):
    """The description of one node by `kubectl describe node`, one record.

    Fields: `host`, and how many GPUs the node has (`gpus`) and offers (`gpus_allocatable`).

        Name:               gpu-07
        Roles:              worker
        Capacity:
          nvidia.com/gpu:     8
        Allocatable:
          nvidia.com/gpu:     7
    """

    name: ClassVar[str] = "kube-node"

    def take(self, lines: Sequence[Line], at: int) -> Record | None:
        found = _NAME.match(lines[at].text) if lines[at].text.startswith("Name:") else None
        if not found or at + 1 >= len(lines) or not lines[at + 1].text.startswith("Roles:"):
            return None
        end = at + 1
        while end < len(lines) and end - at < _FAR and not lines[end].text.startswith("Name:"):
            end += 1
        counts: dict[str, int] = {}
        part = ""
        for line in lines[at:end]:
            if not line.text[:1].isspace():
                part = line.text.partition(":")[0]
            elif one := _RESOURCE.match(line.text):
                counts.setdefault(part, int(one["count"]))
        return record(
            self.name, lines[at:end], [line.text for line in lines[at:end]], host=found["name"],
            gpus=counts.get("Capacity"), gpus_allocatable=counts.get("Allocatable"),
        )  # fmt: skip


def _state(lines: Sequence[Line], at: int) -> str | None:
    """What the container that ended at a line is now: a `Last State` stands below the present one."""
    text = lines[at].text.strip()
    if text.startswith("State"):
        return "Terminated"
    if not text.startswith("Last"):  # a manifest names the present one in the line above
        return "Terminated" if at and lines[at - 1].text.strip().strip('"').startswith("state") else None
    above = (_NOW.match(line.text) for line in reversed(lines[max(0, at - 6) : at]))
    return next((found["state"] for found in above if found), None)


def _owner(lines: Sequence[Line], at: int) -> tuple[str | None, str | None]:
    """Pod and node of what stands at a line: from the head of its description, or from its manifest."""
    host = None
    for index in range(at - 1, max(-1, at - _FAR), -1):
        text = lines[index].text
        if found := _NODE.match(text) or _NODE_NAME.match(text):
            host = host or found["host"]
        if name := _NAME.match(text):
            return name["name"], host
        if _METADATA.match(text):
            return _named(lines, index), host
    return None, host


def _pod_above(lines: Sequence[Line], at: int) -> str | None:
    low = max(-1, at - _FAR)
    return next((_named(lines, i) for i in range(at - 1, low, -1) if _METADATA.match(lines[i].text)), None)


def _named(lines: Sequence[Line], at: int) -> str | None:
    """The name in the metadata that begin at a line."""
    own = [line.text for line in lines[at + 1 : at + _MANY] if line.text.strip()]
    depth = len(own[0]) - len(own[0].lstrip()) if own else 0  # labels and owners have names too, deeper
    for text in own:
        if len(text) - len(text.lstrip()) < depth:
            break
        if (name := _OWN_NAME.match(text)) and len(name["indent"]) == depth:
            return name["name"]
    return None


def _moment(text: str) -> Stamp | None:
    stamp = clock.parse(text) if text else None
    return stamp if stamp and stamp.seconds > _DAWN else None
