"""Tracebacks, fault handler dumps and C++ aborts; the texts are those of real programs."""

from __future__ import annotations

import sys
import textwrap
import threading
import traceback
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triage.formats import read
from triage.formats.glog import Glog
from triage.formats.nccl import Nccl
from triage.formats.python import CppAbort, Faulthandler, Traceback, exceptions
from triage.formats.torchrun import Torchrun
from triage.model import Line, Record

ALL = (Nccl(), Glog(), Torchrun(), CppAbort(), Traceback(), Faulthandler())


def lines(text: str) -> list[Line]:
    return [Line(number, line, line) for number, line in enumerate(textwrap.dedent(text).strip("\n").split("\n"), 1)]


def records(text: str | list[Line]) -> list[tuple[str, Record]]:
    """The records of all formats of job logs, lines without a format as `text`."""
    own, found, at = lines(text) if isinstance(text, str) else text, [], 0
    while at < len(own):
        taken = next((record for form in ALL if (record := form.take(own, at))), None)
        if taken is not None:
            assert taken.lines == own[at : at + len(taken.lines)]
            found.append((taken.format, taken))
        at += len(taken.lines) if taken else 1
    return found


def one(text: str) -> Record:
    found = records(text)
    assert [name for name, _ in found] == ["traceback"], found
    return found[0][1]


OOM = """
Traceback (most recent call last):
  File "/home/ml/job/train.py", line 218, in load
    try: torch.empty(300 * 2**30 // 4, device="cuda")
         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 GiB.
"""


def test_plain() -> None:
    fields = one(OOM).fields
    assert fields["exception"] == fields["root_exception"] == fields["chain"] == "torch.OutOfMemoryError"
    assert fields["message"] == "CUDA out of memory. Tried to allocate 300.00 GiB."
    assert (fields["path"], fields["line_number"], fields["function"]) == ("/home/ml/job/train.py", 218, "load")
    assert str(fields["code_line"]).startswith("try: torch.empty(")


def test_chain() -> None:
    found = one(
        OOM
        + """
The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/ml/job/train.py", line 219, in load
    except torch.OutOfMemoryError as e: raise RuntimeError("could not place layer 17 on cuda:0") from e
RuntimeError: could not place layer 17 on cuda:0

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/ml/job/train.py", line 222, in nested_exception
    raise KeyError("fallback")
KeyError: 'fallback'

Some prose of the one who pasted this.
"""
    )
    assert found.fields["chain"] == "torch.OutOfMemoryError,RuntimeError,KeyError"
    assert found.fields["exception"] == "KeyError"
    assert found.fields["root_exception"] == "torch.OutOfMemoryError"
    assert "prose" not in found.text
    hit = found.text.index("Tried to allocate")
    assert [e.type for e in exceptions(found) if e.start <= hit <= e.end] == ["torch.OutOfMemoryError"]
    for raised in exceptions(found):
        assert found.text[raised.offset :].startswith(raised.type)


def test_real_chain_of_this_interpreter() -> None:
    try:
        try:
            int("x")
        except ValueError as error:
            raise TypeError("two\nlines\n  indented") from error
    except TypeError:
        text = traceback.format_exc()
    found = one(text)
    assert found.fields["chain"] == "ValueError,TypeError"
    assert found.text.endswith("indented")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups")
def test_real_group_of_this_interpreter() -> None:
    def failing(error: Exception) -> Exception:
        try:
            raise error
        except Exception as caught:
            return caught

    try:
        raise ExceptionGroup("outer", [failing(ValueError("a")), ExceptionGroup("inner", [failing(OSError("b"))])])
    except ExceptionGroup:
        text = traceback.format_exc()
    found = one(text)
    assert found.fields["chain"] == "ValueError,OSError,ExceptionGroup,ExceptionGroup"
    assert found.fields["message"] == "outer (2 sub-exceptions)"


def test_thread_of_this_interpreter(capfd: pytest.CaptureFixture[str]) -> None:
    hook = threading.excepthook
    threading.excepthook = threading.__excepthook__
    thread = threading.Thread(target=lambda: 1 / 0, name="loader-3")
    thread.start()
    thread.join()
    threading.excepthook = hook
    found = one(capfd.readouterr().err)
    assert found.fields["exception"] == "ZeroDivisionError"
    assert str(found.fields["thread"]).startswith("loader-3")


def test_original_traceback_is_the_root() -> None:
    found = one("""
    Traceback (most recent call last):
      File "/job/train.py", line 118, in loop
        for _ in loader: pass
      File "/opt/venv/lib/python3.12/site-packages/torch/_utils.py", line 785, in reraise
        raise exception
    KeyError: Caught KeyError in DataLoader worker process 1.
    Original Traceback (most recent call last):
      File "/job/data.py", line 8, in get
        return self.index[i]
    IndexError: list index out of range

    During handling of the above exception, another exception occurred:

    Traceback (most recent call last):
      File "/job/data.py", line 10, in get
        raise KeyError(i)
    KeyError: 7
    """)
    assert found.fields["chain"] == "IndexError,KeyError,KeyError"
    assert found.fields["message"] == "Caught KeyError in DataLoader worker process 1."
    assert found.fields["path"] == "/job/train.py"


def test_remote_tracebacks() -> None:
    ray = one("""
    Traceback (most recent call last):
      File "train_fashion.py", line 152, in <module>
        results = trainer.fit()
    ray.exceptions.RayTaskError(RuntimeError): ray::Worker.execute() (pid=6630, ip=10.60.4.22, repr=<Worker>)
      File "/job/worker.py", line 496, in __init__
        dist._verify_model_across_ranks(self.process_group, parameters)
    RuntimeError: NCCL error in: ProcessGroupNCCL.cpp:911, unhandled system error, NCCL version 2.7.8
    ncclSystemError: System call (socket, malloc, munmap, etc) failed.
    """)
    assert ray.fields["chain"] == "RuntimeError,ray.exceptions.RayTaskError"
    assert ray.fields["pid"] == 6630
    spawned = one("""
    Traceback (most recent call last):
      File "/job/train.py", line 9, in <module>
        mp.spawn(run, nprocs=2)
    torch.multiprocessing.spawn.ProcessRaisedException:

    -- Process 1 terminated with the following error:
    Traceback (most recent call last):
      File "/job/train.py", line 5, in run
        raise ValueError("bad batch")
    ValueError: bad batch
    """)
    assert spawned.fields["chain"] == "ValueError,torch.multiprocessing.spawn.ProcessRaisedException"
    pool = one('''
    multiprocessing.pool.RemoteTraceback:
    """
    Traceback (most recent call last):
      File "/usr/lib/python3.11/multiprocessing/pool.py", line 125, in worker
        result = (True, func(*args, **kwds))
    OSError: [Errno 28] No space left on device
    """

    The above exception was the direct cause of the following exception:

    Traceback (most recent call last):
      File "/job/prepare.py", line 3, in <module>
        pool.map(f, x)
    OSError: [Errno 28] No space left on device
    ''')
    assert pool.fields["chain"] == "OSError,multiprocessing.pool.RemoteTraceback,OSError"


def test_message_runs_on_until_something_else_begins() -> None:
    found = records("""
    Traceback (most recent call last):
      File "/job/train.py", line 72, in step
        torch.cuda.synchronize()
    torch.AcceleratorError: CUDA error: an illegal memory access was encountered
    Search for `cudaErrorIllegalAddress' in https://docs.nvidia.com/cuda/ for more information.
    CUDA kernel errors might be asynchronously reported at some other API call.
    For debugging consider passing CUDA_LAUNCH_BLOCKING=1

    Exception raised from c10_cuda_check_implementation at /pytorch/c10/cuda/CUDAException.cpp:43 (most recent call first):
    frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f in libc10.so)

    [W1130 00:52:26.055512907 ProcessGroupNCCL.cpp:1575] Warning: WARNING: destroy_process_group() was not called
    """)
    assert [name for name, _ in found] == ["traceback", "glog"]
    assert found[0][1].text.endswith("libc10.so)")


@pytest.mark.parametrize(
    "following",
    [
        "node07:3187:3187 [0] NCCL INFO ENV/Plugin: Closing env plugin ncclEnvDefault",
        "[2026-11-30 01:00:19] node07:2742:2742 [0] init.cc:904 NCCL WARN Duplicate GPU detected",
        "E1130 01:00:19.826000 2663 torch/distributed/elastic/multiprocessing/api.py:986] failed (exitcode: 1)",
        "2026-01-19 16:47:09,552 INFO worker.py:1724 -- Connecting",
        "INFO trainer: trying per_device_train_batch_size=32",
        "{'loss': 1.9012, 'grad_norm': 2.11}",
        "  0%|          | 0/1173 [00:00<?, ?it/s]",
        "[  812.345678] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
        "Fatal Python error: Segmentation fault",
        "terminate called after throwing an instance of 'c10::Error'",
        "Exception ignored in: <function _releaseLock at 0x7f>",
        "Segmentation fault (core dumped)",
        "srun: error: node07: task 3: Exited with exit code 1",
        "============================================================",
        "Traceback (most recent call last):",
    ],
)
def test_message_ends_before(following: str) -> None:
    found = records(OOM.strip("\n") + "\n" + following + "\n")
    assert found[0][0] == "traceback"
    assert found[0][1].text.endswith("300.00 GiB.")


def test_head_cut_off() -> None:
    found = one(
        """
      File "/home/user/inference.py", line 61, in main
        text_encoder = CLIPTextModel.from_pretrained(path).cuda()
      File "/opt/env/lib/python3.10/site-packages/transformers/modeling_utils.py", line 3284, in from_pretrained
        with safe_open(resolved_archive_file, framework="pt") as f:
    safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge
    """.replace("\n    ", "\n")
    )
    assert found.fields["exception"] == "safetensors_rust.SafetensorError"
    assert found.fields["path"] == "/home/user/inference.py"


def test_bare_exception_has_no_frames() -> None:
    found = one("RuntimeError: No CUDA GPUs are available")
    assert (found.fields["exception"], found.fields["frames"]) == ("RuntimeError", 0)
    assert records("FutureWarning: use of TRANSFORMERS_CACHE is deprecated\nERROR: all is lost\nEpoch: 5") == []
    assert records("I see Traceback (most recent call last) in my log, what is it?\nStep 5") == []


def test_log_prefix_on_each_line() -> None:
    found = records("""
    ERROR 12-17 03:10:23 engine.py:135] Traceback (most recent call last):
    ERROR 12-17 03:10:23 engine.py:135]   File "/usr/local/lib/python3.12/dist-packages/vllm/engine.py", line 133, in start
    ERROR 12-17 03:10:23 engine.py:135]     self.run_engine_loop()
    ERROR 12-17 03:10:23 engine.py:135] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.28 GiB.
    CRITICAL 12-17 03:10:23 launcher.py:99] MQLLMEngine is already dead, terminating server process
    """)
    assert len(found) == 1
    record = found[0][1]
    assert record.text.startswith("Traceback")
    assert record.text.endswith("9.28 GiB.")
    assert (record.fields["exception"], record.fields["level"]) == ("torch.OutOfMemoryError", "error")


def test_prefix_of_another_rank_or_record_ends_it() -> None:
    found = records("""
    [rank3]: Traceback (most recent call last):
    [rank3]:   File "/job/a.py", line 3, in f
    [rank3]: RuntimeError: boom
    [rank3]: second line
    [rank2]: other
    """)
    assert found[0][1].text.endswith("boom\nsecond line")
    logged = records("""
    2026-01-19 16:47:09,552 ERROR main: Traceback (most recent call last):
    2026-01-19 16:47:09,552 ERROR main:   File "/job/a.py", line 3, in f
    2026-01-19 16:47:09,553 ERROR main: RuntimeError: boom
    2026-01-19 16:47:12,100 ERROR main: will exit
    """)
    assert logged[0][1].text.endswith("boom")
    assert logged[0][1].time is not None


def test_level_of_the_announcing_line() -> None:
    warned = records("WARNING trainer: caught while probing, will retry with half the batch:\n" + OOM.strip("\n"))
    assert warned[0][1].fields["level"] == "warning"
    by_chance = records("INFO trainer: epoch 3 of 10\n" + OOM.strip("\n"))
    assert "level" not in by_chance[0][1].fields


def test_launcher_is_not_the_program() -> None:
    found = one("""
    Traceback (most recent call last):
      File "<frozen runpy>", line 198, in _run_module_as_main
      File "/opt/venv/lib/python3.12/site-packages/torch/distributed/run.py", line 994, in <module>
        main()
      File "/opt/venv/lib/python3.12/site-packages/torch/distributed/launcher/api.py", line 317, in launch_agent
        raise ChildFailedError(
    torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
    """)
    assert found.fields["launcher"] is True
    accelerate = one("""
    Traceback (most recent call last):
      File "/opt/venv/bin/accelerate", line 8, in <module>
        sys.exit(main())
      File "/opt/venv/lib/python3.12/site-packages/accelerate/commands/launch.py", line 763, in simple_launcher
        raise subprocess.CalledProcessError(returncode=process.returncode, cmd=cmd)
    subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit status 1.
    """)
    assert accelerate.fields["launcher"] is True
    port = one("""
    Traceback (most recent call last):
      File "/opt/venv/lib/python3.12/site-packages/torch/distributed/run.py", line 994, in <module>
        main()
    torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address.
    """)
    assert "launcher" not in port.fields
    assert "launcher" not in one(OOM).fields


def test_ignored() -> None:
    found = records("""
    Traceback (most recent call last):
      File "/home/ml/job/train.py", line 82, in device_trap
        cp.cuda.runtime.deviceSynchronize()
    cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorLaunchFailure: unspecified launch failure
    Traceback (most recent call last):
      File "cupy_backends/cuda/api/driver.pyx", line 247, in cupy_backends.cuda.api.driver.moduleUnload
    cupy_backends.cuda.api.driver.CUDADriverError: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure
    Exception ignored in: 'cupy.cuda.function.Module.__dealloc__'
    Traceback (most recent call last):
      File "cupy_backends/cuda/api/driver.pyx", line 247, in cupy_backends.cuda.api.driver.moduleUnload
    cupy_backends.cuda.api.driver.CUDADriverError: CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure
    """)
    assert [record.fields.get("ignored", False) for _, record in found] == [False, True, True]
    shutdown = records(
        OOM.strip("\n")
        + """
Exception ignored in: <function Pool.__del__ at 0x7f>
Traceback (most recent call last):
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 268, in __del__
    self._change_notifier.put(None)
TypeError: 'NoneType' object is not callable
"""
    )
    assert [record.fields.get("ignored", False) for _, record in shutdown] == [False, True]


def test_interleaved_processes_are_one_record() -> None:
    found = records("""
    Traceback (most recent call last):
    Traceback (most recent call last):
      File "/home/ml/job/train_ddp.py", line 8, in <module>
      File "/home/ml/job/train_ddp.py", line 8, in <module>
        dist.init_process_group("nccl", device_id=dev)    
    dist.init_process_group("nccl", device_id=dev)
           ^^^^^^^^^^^^^^^^ ^ ^ ^ ^ ^ ^
           torch.distributed . DistBackendError :  NCCL error in: NCCLUtils.cpp:93, invalid usage
    ncclInvalidUsage: This usually reflects invalid usage of NCCL library.
    Last error:
    Duplicate GPU detected : rank 2 and rank 0 both on CUDA device 60
    ^^^
    torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:93, invalid usage
    ncclInvalidUsage: This usually reflects invalid usage of NCCL library.
    Last error:
    Duplicate GPU detected : rank 3 and rank 0 both on CUDA device 60
    node07:2741:2741 [0] NCCL INFO ENV/Plugin: Closing env plugin ncclEnvDefault
    """)
    assert [name for name, _ in found] == ["traceback", "nccl"]
    assert found[0][1].fields["interleaved"] == 2
    assert found[0][1].fields["chain"] == "torch.distributed.DistBackendError,torch.distributed.DistBackendError"


def test_notebook() -> None:
    found = one("""
    RuntimeError                              Traceback (most recent call last)
    <ipython-input-12-5d0b3a0c1e77> in <module>()
         41     loss = segm_crit(soft_output, target_var)
    ---> 43     loss.backward()
         44     optim_enc.step()

    /usr/local/lib/python3.6/dist-packages/torch/tensor.py in backward(self, gradient)
        194         \"\"\"
    --> 195         torch.autograd.backward(self, gradient)

    RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED
    """)
    assert found.fields["exception"] == "RuntimeError"
    assert (found.fields["line_number"], found.fields["code_line"]) == (43, "loss.backward()")


def test_wrapper_alone_before_the_traceback_that_it_announces() -> None:
    found = one("""
        torch._inductor.exc.InductorError: SubprocException: An exception occurred in a subprocess:

        Traceback (most recent call last):
          File "/v/torch/_inductor/compile_worker/subproc_pool.py", line 337, in do_job
            result = job()
        triton.runtime.errors.PTXASError: PTXAS error: Internal Triton PTX codegen error
    """)
    assert found.fields["chain"] == "triton.runtime.errors.PTXASError,torch._inductor.exc.InductorError"


def test_rich_box_wraps_paths_and_message() -> None:
    box = [
        "╭─────────────────── Traceback (most recent call last) ────────────────────╮",
        "│ /w/.venv/lib/python3.11/site-packages/lightning/trainer/call.py:44       │",
        "│ in _call_and_handle_interrupt                                            │",
        "╰──────────────────────────────────────────────────────────────────────────╯",
        "RuntimeError: Expected all tensors to be on the same device, but found at ",
        "least two devices, cuda:1 and cpu! (when checking argument for argument mat2",
        "in method wrapper_CUDA_bmm)",
        "A line of its own.",
    ]
    found = one_of(
        [Line(n, "Traceback (most recent call last)" if n == 1 else _inner(x), x) for n, x in enumerate(box, 1)]
    )
    message = found.text.split("\n")[-2]
    assert message.endswith("found at least two devices, cuda:1 and cpu! (when checking argument for argument mat2 in "
                            "method wrapper_CUDA_bmm)")  # fmt: skip
    assert found.text.split("\n")[-1] == "A line of its own."
    assert found.text[found.offsets[5] :].startswith("least two devices")
    assert found.fields["gpu"] == 1


def _inner(text: str) -> str:
    return text[1:-1].strip() if text[0] == "│" else text


def one_of(own: list[Line]) -> Record:
    found = [record for name, record in records(own) if name == "traceback"]
    assert len(found) == 1
    return found[0]


def test_what_a_data_loader_says_of_its_worker() -> None:
    found = one("""
        Traceback (most recent call last):
          File "/v/torch/utils/data/_utils/signal_handling.py", line 66, in handler
            _error_if_any_worker_fails()
        RuntimeError: DataLoader worker (pid 3127) is killed by signal: Bus error. It is possible that dataloader's
    """)
    assert found.fields["signal"] == "SIGBUS"


def test_pid_of_the_actor_that_died() -> None:
    found = one("""
        ray.exceptions.RayTaskError(ActorDiedError): ray::TaskRunner.run() (pid=32904, ip=10.18.2.61)
          File "/opt/verl/single_controller/ray/base.py", line 49, in func
            output = ray.get(output)
        ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
        \tclass_name: WorkerDict
        \tpid: 33518
    """)
    assert found.fields["pid"] == 33518


def test_faulthandler() -> None:
    found = records("""
    Fatal Python error: Segmentation fault

    Thread 0x00007f1bd2ffd640 (most recent call first):
      File "/srv/rag/module.py", line 1160 in convert

    Current thread 0x00007f1bd37fe640 (most recent call first):
      File "/srv/rag/app.py", line 229 in _lazy_init

    Extension modules: numpy.core._multiarray_umath, torch._C (total: 58)
    Segmentation fault (core dumped)
    """)
    assert [name for name, _ in found] == ["faulthandler"]
    fields = found[0][1].fields
    assert (fields["signal"], fields["threads"], fields["function"]) == ("SIGSEGV", 2, "_lazy_init")
    refcount = records("Fatal Python error: none_dealloc: deallocating None\nPython runtime state: initialized\n")
    assert refcount[0][1].fields["error"] == "none_dealloc: deallocating None"
    assert "signal" not in refcount[0][1].fields
    assert len(refcount[0][1].lines) == 2


def test_cpp_abort() -> None:
    found = records("""
    terminate called after throwing an instance of 'c10::DistBackendError'
      what():  [PG ID 0 PG GUID 0(default_pg) Rank 1] Process group watchdog thread terminated with exception
    Exception raised from checkTimeout at ProcessGroupNCCL.cpp:692 (most recent call first):
    frame #0: c10::Error::Error(c10::SourceLocation) + 0x9d (0x7f3df657305d in libc10.so)

    Exception raised from run at ProcessGroupNCCL.cpp:2125 (most recent call first):
    frame #0: c10::Error::Error(c10::SourceLocation) + 0x9d (0x7f3df657305d in libc10.so)

    E1130 00:51:33.947000 2763 torch/distributed/elastic/multiprocessing/api.py:986] failed (exitcode: -6)
    """)
    assert [name for name, _ in found] == ["cpp-abort", "glog"]
    assert found[0][1].fields["rank"] == 1
    assert len(found[0][1].lines) == 7


PIECES = [
    "Traceback (most recent call last):", '  File "/job/a.py", line 3, in f', "    run()", "ValueError: x", "",
    "The above exception was the direct cause of the following exception:", "  + Exception Group Traceback (most recent call last):",
    "  | ExceptionGroup: g", "  +-+---------------- 1 ----------------", "    | Traceback (most recent call last):",
    "    +------------------------------------", "Exception ignored in: 'x'", "Original Traceback (most recent call last):",
    "RuntimeError    Traceback (most recent call last)", "---> 43     x()", "terminate called recursively", "  what():  y",
    "frame #0: f + 0x1 (0x2 in lib.so)", "Fatal Python error: Aborted", "Thread 0x12 (most recent call first):",
    "node07:1:2 [0] NCCL WARN text", "[E1130 00:48:47.5 P.cpp:1] [Rank 3] text", "=" * 60, "train.py FAILED", "-" * 60,
    "Failures:", "[0]:", "  rank      : 0 (local_rank: 0)", "  traceback : Traceback (most recent call last):", "\x00é\u2028",
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=40)), max_size=30))
def test_never_raises_and_takes_lines_in_order(texts: list[str]) -> None:
    own = [Line(number, text, text) for number, text in enumerate(texts, 1)]
    for _, found in records(own):
        assert found.lines
        assert len(found.offsets) == len(found.lines)
        for raised in exceptions(found):
            assert 0 <= raised.start <= raised.offset <= raised.end <= len(found.text)
            assert raised.type


FIXTURES = Path(__file__).parent.parent / "fixtures"


@pytest.mark.parametrize(
    ("case", "chain"),
    [
        ("py-oom-plain", "torch.OutOfMemoryError"),
        ("py-cupy-oom", "cupy.cuda.memory.OutOfMemoryError"),
        ("py-jax-oom", "jax.errors.JaxRuntimeError"),
        ("py-device-assert", "torch.AcceleratorError"),
        ("py-loader-collate", "RuntimeError,RuntimeError"),
        ("py-loader-killed", "ConnectionResetError,RuntimeError"),
        ("py-triton-compile", "ValueError,triton.compiler.errors.CompilationError"),
        ("py-nested-exception", "torch.OutOfMemoryError,RuntimeError,KeyError"),
        (
            "py-hub-offline",
            "httpcore.ConnectError,httpx.ConnectError,huggingface_hub.errors.LocalEntryNotFoundError,OSError",
        ),
        ("x4-dupgpu", ",".join(["torch.distributed.DistBackendError"] * 4)),
        ("x4-shm", ",".join(["torch.distributed.DistBackendError"] * 4)),
    ],
)
def test_recorded_failures(case: str, chain: str) -> None:
    log = next((FIXTURES / case).glob("*.log"))
    own = [Line(i, t, t) for i, t in enumerate(log.read_text(encoding="utf-8").split("\n"), 1)]
    died = [r for name, r in records(own) if name == "traceback" and not r.fields.keys() & {"launcher", "ignored"}]
    assert [record.fields.get("chain") for record in died] == [chain]
    assert str(died[0].fields["path"]).startswith("/home/ml/job/")


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from([{}, {"rank": "0"}, {"rank": "1"}])), max_size=30))
def test_each_line_is_in_one_record(pieces: list[tuple[str, dict[str, str]]]) -> None:
    own = [Line(number, text, text, dict(prefix)) for number, (text, prefix) in enumerate(pieces, 1)]
    found = read(own, "log")
    assert sorted(line.number for record in found for line in record.lines) == [line.number for line in own]
    assert [record.number for record in found] == sorted(record.number for record in found)
    for record in found:
        assert [line.number for line in record.lines] == sorted(line.number for line in record.lines)


@pytest.mark.parametrize(("later", "own"), [("2026-03-11T10:00:00.7Z", True), ("2026-03-11T10:41:07Z", False)])
def test_a_line_that_a_wrapper_stamps_much_later_is_no_part_of_a_traceback(later: str, own: bool) -> None:
    texts = ["Traceback (most recent call last):", '  File "/job/train.py", line 3, in <module>', "ValueError: batch 5", "is empty"]
    stamps = ["2026-03-11T10:00:00.1Z", "2026-03-11T10:00:00.1Z", "2026-03-11T10:00:00.2Z", later]
    found = Traceback().take([Line(i, t, t, {"time": s}) for i, (t, s) in enumerate(zip(texts, stamps, strict=True))], 0)
    assert found is not None
    assert ("is empty" in found.text) == own


def test_typographic_quotes_of_a_forum() -> None:
    found = one("Traceback (most recent call last):\nFile “/app/core.py”, line 699, in run\nengine = Engine()\nValueError: no")
    assert (found.fields["exception"], found.fields["path"]) == ("ValueError", "/app/core.py")
