"""Who raised first: exceptions that pass on those of data workers, processes, pools and remote tasks."""

from __future__ import annotations

import textwrap
import traceback
from multiprocessing import get_context

import pytest
from taken import records

from triage.formats.pychain import original, unspoken
from triage.formats.python import Traceback, exceptions
from triage.model import Record
from triage.pipeline import analyze_text

LOADER = """\
Traceback (most recent call last):
  File "/app/t.py", line 30, in <module>
    for batch in loader:
  File "/opt/venv/lib/python3.11/site-packages/torch/_utils.py", line 733, in reraise
    raise exception
{kind}: Caught {kind} in DataLoader worker process 2.
Original Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/utils/data/_utils/worker.py", line 349, in _worker_loop
    data = fetcher.fetch(index)
  File "/app/data.py", line 21, in __getitem__
    return table[key]
{kind}: {message}
"""
SPAWN = """\
Traceback (most recent call last):
  File "/app/main.py", line 40, in <module>
    mp.spawn(run, nprocs=4)
  File "/opt/venv/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 215, in join
    raise ProcessRaisedException(msg, error_index, failed_process.pid)
torch.multiprocessing.spawn.ProcessRaisedException:

-- Process 2 terminated with the following error:
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 90, in _wrap
    fn(i, *args)
  File "/app/main.py", line 21, in run
    tokens = vocab[word]
KeyError: '<extra_id_7>'
"""
RAY = """\
Traceback (most recent call last):
  File "/opt/venv/lib/python3.11/site-packages/ray/_private/worker.py", line 2667, in get
    values, debugger_breakpoint = worker.get_objects(object_refs, timeout=timeout)
ray.exceptions.RayTaskError(ValueError): ray::Worker.next() (pid=4500, ip=10.0.0.3)
  File "/app/train.py", line 77, in train_loop
    raise ValueError("4097 tokens")
ValueError: 4097 tokens
"""
TABLE = """\
Traceback (most recent call last):
  File "/app/table.py", line 9, in look
    return rows[key]
KeyError: 'b'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/app/main.py", line 40, in <module>
    stop()
{last}
"""


def one(text: str) -> Record:
    (found,) = records(textwrap.dedent(text).rstrip("\n"), Traceback())
    return found


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (LOADER.format(kind="KeyError", message="'b'"), "KeyError", "'b'"),
        (SPAWN, "KeyError", "'<extra_id_7>'"),
        (RAY, "ValueError", "4097 tokens"),
    ],
)
def test_what_is_passed_on_is_the_original(text: str, kind: str, message: str) -> None:
    found = one(text)
    assert (found.fields["original"], found.fields["original_message"]) == (kind, message)
    chain = exceptions(found)
    at = original(chain, [raised.carrier for raised in chain])
    assert (chain[at].type, chain[at].frame is not None) == (kind, True)


def test_a_pool_raises_the_same_again() -> None:
    with get_context("fork").Pool(1) as pool:
        try:
            pool.map(int, ["x"])
        except ValueError:
            text = traceback.format_exc()
    chain = exceptions(one(text))
    at = original(chain, [raised.carrier for raised in chain])
    assert at == 0
    assert chain[at].message == chain[-1].message


def test_an_exception_of_its_own_is_no_original() -> None:
    found = one(TABLE.format(last="RuntimeError: cannot stop"))
    assert "original" not in found.fields
    chain = exceptions(found)
    assert original(chain, [raised.carrier for raised in chain]) == 1


def test_the_first_that_nobody_speaks_of() -> None:
    chain = exceptions(one(TABLE.format(last="RuntimeError: cannot stop")))
    assert unspoken(chain, [chain[1].offset]) is chain[0]
    assert unspoken(chain, [chain[0].offset]) is None
    assert unspoken(chain, []) is None
    library = exceptions(one(TABLE.format(last="RuntimeError: x").replace("/app/table.py", "/usr/lib/python3.11/queue.py")))
    assert unspoken(library, [library[1].offset]) is None, "control flow inside of a library is no cause"


@pytest.mark.parametrize(
    ("text", "top", "title"),
    [
        (LOADER.format(kind="KeyError", message="'b'"), "dataloader-caught", "KeyError: 'b'"),
        (LOADER.format(kind="OSError", message="cannot identify image file '/data/7.jpg'"), "dataloader-caught", "cannot identify image file '/data/7.jpg'"),
        (LOADER.format(kind="RuntimeError", message="mat1 and mat2 shapes cannot be multiplied (32x512 and 768x256)"), "shape-mismatch", ""),
        (SPAWN, "python-exception", "KeyError: '<extra_id_7>'"),
        (RAY, "python-exception", "ValueError: 4097 tokens"),
        (TABLE.format(last="RuntimeError: NCCL communicator was aborted on rank 3."), "python-exception", "KeyError: 'b'"),
        (TABLE.format(last="RuntimeError: CUDA error: device-side assert triggered"), "cuda-assert", ""),
    ],
)  # fmt: skip
def test_the_unknown_exception_is_what_to_look_at(text: str, top: str, title: str) -> None:
    report = analyze_text(text)
    assert report.findings[0].id == top
    assert report.findings[0].title.endswith(title)


DIED = """\
Traceback (most recent call last):
  File "/opt/job/main.py", line 103, in main
    ray.get(task.remote(config))
ray.exceptions.RayTaskError(ActorDiedError): ray::TaskRunner.run() (pid=32904, ip=10.18.2.61)
  File "/opt/job/base.py", line 49, in func
    output = ray.get(output)
ray.exceptions.{last}
"""


@pytest.mark.parametrize(
    ("last", "ids"),
    [
        ("ActorDiedError: The actor died unexpectedly before finishing this task.", ["ray-actor-died"]),
        ("KeyError: 'b'", ["python-exception", "ray-actor-died"]),
    ],
)
def test_an_exception_that_a_signature_speaks_of_is_not_unknown(last: str, ids: list[str]) -> None:
    assert [found.id for found in analyze_text(DIED.format(last=last)).findings] == ids


def test_a_symptom_is_explained_by_the_unknown_exception_before_it() -> None:
    report = analyze_text(TABLE.format(last="RuntimeError: NCCL communicator was aborted on rank 3."))
    cause, effect = report.findings
    assert (effect.id, effect.explained_by) == ("pg-communicator-aborted", ["python-exception"])
    assert cause.evidence[0].text == "KeyError: 'b'"
    assert cause.evidence[1].text.strip().startswith('File "/app/table.py"')


def test_the_proof_quotes_the_original_first() -> None:
    evidence = analyze_text(LOADER.format(kind="KeyError", message="'b'")).findings[0].evidence
    assert [line.line for line in evidence] == [12, 10, 6]


def test_a_message_that_ends_with_a_colon_goes_on_in_the_next_line() -> None:
    text = """Traceback (most recent call last):
  File "/app/train.py", line 40, in <module>
    out = model(x)
torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:
CalledProcessError: Command '['/usr/bin/gcc', '/tmp/main.c']' returned non-zero exit status 1.

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace"""
    assert exceptions(one(text))[-1].message.startswith("backend='inductor' raised: CalledProcessError: Command")
    assert analyze_text(text).findings[0].title.endswith("returned non-zero exit status 1.")
