"""Pods and nodes as kubectl prints them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from triage.formats import read
from triage.model import Line, Record
from triage.pipeline import analyze_text

DESCRIBE = """\
Name:             llama-train-worker-2
Namespace:        research
Node:             gpu-07/10.4.0.17
Init Containers:
  init-pytorch:
    State:          Terminated
      Reason:       Completed
      Exit Code:    0
Containers:
  pytorch:
    State:          Running
      Started:      Mon, 05 May 2031 12:03:00 +0200
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Mon, 05 May 2031 08:14:22 +0200
      Finished:     Mon, 05 May 2031 12:01:58 +0200
    Ready:          True

Name:             llama-train-worker-3
Node:             <none>
Containers:
  pytorch:
    Last State:     Terminated
      Reason:       ContainerStatusUnknown
      Exit Code:    137
      Finished:     Mon, 01 Jan 0001 00:00:00 +0000
"""
YAML = """\
kind: Pod
metadata:
  labels:
    name: other
  name: trainer-0
  ownerReferences:
  - kind: PyTorchJob
    name: trainer
spec:
  containers:
  - name: main
  nodeName: gpu-08
status:
  containerStatuses:
  - name: main
    lastState:
      terminated:
        exitCode: 139
        finishedAt: "2031-05-05T12:01:58Z"
        reason: Error
    ready: false
"""
JSON = """\
{
    "kind": "Pod",
    "metadata": {
        "labels": {
            "name": "other"
        },
        "name": "trainer-0"
    },
    "spec": {
        "nodeName": "gpu-08"
    },
    "status": {
        "containerStatuses": [
            {
                "lastState": {
                    "terminated": {
                        "exitCode": 139,
                        "finishedAt": "2031-05-05T12:01:58Z",
                        "reason": "Error"
                    }
                }
            }
        ]
    }
}
"""
TABLE = """\
NAMESPACE   NAME        READY   STATUS      RESTARTS      AGE   IP           NODE     NOMINATED NODE
ml          trainer-0   0/1     OOMKilled   3 (5m ago)    12m   10.244.3.9   gpu-07   <none>
ml          trainer-1   0/1     Pending     0             12m   <none>       <none>   <none>
"""
NODE = """\
Name:               gpu-07
Roles:              worker
Conditions:
  Type             Status  Reason
  Ready            True    KubeletReady
Capacity:
  nvidia.com/gpu:     8
Allocatable:
  nvidia.com/gpu:     7
Allocated resources:
  nvidia.com/gpu     3           3
Name:               gpu-08
Roles:              worker
"""


def records(text: str, name: str) -> list[Record]:
    lines = [Line(i, one, one) for i, one in enumerate(text.rstrip("\n").split("\n"), 1)]
    return [one for one in read(lines, "test") if one.format == name]


def told(record: Record) -> tuple[object, ...]:
    return record.fields.get("pod"), record.fields.get("host"), record.fields.get("exit_code")


def test_a_description_tells_how_each_container_ended_and_where() -> None:
    head, first, last, unknown = records(DESCRIBE, "kube-pod")
    assert told(head) == ("llama-train-worker-2", "gpu-07", None)
    assert told(first) == ("llama-train-worker-2", "gpu-07", None)
    assert told(last) == ("llama-train-worker-2", "gpu-07", 137)
    assert last.text.split("\n")[:3] == ["State: Terminated", "Reason: OOMKilled", "Exit Code: 137"]
    assert last.time is not None
    assert last.time.seconds == datetime(2031, 5, 5, 10, 1, 58, tzinfo=UTC).timestamp()
    assert told(unknown) == ("llama-train-worker-3", None, 137)
    assert unknown.time is None


@pytest.mark.parametrize("text", [YAML, JSON])
def test_a_manifest_reads_like_a_description(text: str) -> None:
    node, ended = records(text, "kube-pod")
    assert told(node) == ("trainer-0", "gpu-08", None)
    assert told(ended) == ("trainer-0", "gpu-08", 139)
    assert "Reason: Error" in ended.text
    assert ended.time is not None
    assert ended.time.seconds == datetime(2031, 5, 5, 12, 1, 58, tzinfo=UTC).timestamp()


def test_a_row_tells_pod_and_node_by_its_heading() -> None:
    first, second = records(TABLE, "kube-pod")
    assert told(first) == ("trainer-0", "gpu-07", None)
    assert first.text.startswith("trainer-0   0/1   OOMKilled")
    assert told(second) == ("trainer-1", None, None)


def test_a_node_tells_how_many_gpus_it_has_and_offers() -> None:
    first, second = records(NODE, "kube-node")
    assert (first.fields["host"], first.fields["gpus"], first.fields["gpus_allocatable"]) == ("gpu-07", 8, 7)
    assert second.fields["host"] == "gpu-08"
    assert "gpus" not in second.fields


@pytest.mark.parametrize(("now", "role"), [("Waiting", "unknown"), ("Running", ""), ("Terminated", "unknown")])
def test_how_a_container_ended_counts_while_it_is_down(now: str, role: str) -> None:
    end = "      Reason:       Error\n      Exit Code:    139\n"
    before = f"    State:          {now}\n" + (end if now == "Terminated" else "      Reason:       CrashLoopBackOff\n")
    last = f"    Last State:     Terminated\n{end}" if now != "Terminated" else ""
    report = analyze_text(f"Name:             trainer-0\nNode:             gpu-07/10.4.0.17\n{before}{last}")
    found = [one for one in report.findings if one.id == "k8s-container-failed"]
    assert [one.role for one in found] == ([role] if role else [])
