"""Does moving one shared module from many threads crash the process, and what does not?

Confirms: a process in which threads call `.to()` on one shared module dies or fails (reproduced); told beside it: how
often, and whether a lock, one module for each thread, one thread, or one process for each GPU cures it.

Refutes: none of the processes fails. A race that did not show up is weaker evidence than one that did.

Ids: parallel-to-segfault, segfault-user
"""

import concurrent.futures
import json
import os
import subprocess
import sys

GROUP = "torch"
LOAD = "needed"
TOGETHER = True
SECONDS = 400.0
MEMORY_GIB = 64.0  # several processes with PyTorch at once

_MODES = ("shared", "lock", "own module", "one thread", "processes")
_THREADS, _LAYERS, _WIDTH, _MOVES = 16, 128, 512, 20
_CORES = 3  # for each of the processes that run at once
_ROUNDS = 3
_ENDED = 60  # seconds after which a process counts as hanging
_NAME = b"triage-probe"  # in the kernel log a crash of this name is known as provoked (signature segfault-user)


def _name():
    """Names the calling thread; its crash is then told from one of the job."""
    import ctypes

    try:
        ctypes.CDLL(None).prctl(15, _NAME, 0, 0, 0)  # PR_SET_NAME, linux/prctl.h
    except (AttributeError, TypeError):  # another system: no such call, and no such kernel log
        pass


def _child(mode, number):
    """What one process does: moves modules between the devices, in the way of its mode."""
    import threading

    import torch

    count = torch.cuda.device_count()
    devices = ["cuda:0", "cuda:1"] if count > 1 else ["cuda:0", "cpu"]
    if mode == "processes":  # this process has one GPU for itself
        devices = ["cuda:%d" % (number % count), "cpu"]

    def module():
        return torch.nn.Sequential(*[torch.nn.Linear(_WIDTH, _WIDTH) for _ in range(_LAYERS)])

    shared, lock, errors = module(), threading.Lock(), []

    def move(thread):
        _name()
        own = module() if mode == "own module" else shared
        try:
            for step in range(_MOVES):
                device = devices[(thread + step) % 2]
                if mode == "lock":
                    with lock:
                        own.to(device)
                else:
                    own.to(device)
        except Exception as error:
            errors.append(type(error).__name__ + ": " + str(error).split("\n")[0])

    threads = [threading.Thread(target=move, args=(n,)) for n in range(_THREADS)]
    if mode in ("one thread", "processes"):
        threads = threads[:1]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    torch.cuda.synchronize()
    return {"errors": len(errors), "first": errors[0][:200] if errors else ""}


def _run(mode, number):
    """How a process of this mode ended: ok, SIGSEGV and the like, hung, or its first error."""
    command = [sys.executable, __file__, json.dumps({"mode": mode, "number": number})]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=_ENDED)
    except subprocess.TimeoutExpired:
        return "no end within %d s" % _ENDED
    if done.returncode < 0:
        import signal

        return signal.Signals(-done.returncode).name
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    if done.returncode or not lines:
        errors = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no output"]
        return f"exit status {done.returncode}: {errors[0][:200]}"
    return json.loads(lines[-1])["first"] or "ok"


def read(wanted):
    import torch

    if not torch.cuda.is_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU (probe cuda-init tells why)"}
    rounds = int(wanted.get("rounds", _ROUNDS))
    runs = {}
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // _CORES)) as pool:
        for mode in _MODES:
            runs[mode] = list(pool.map(lambda number, mode=mode: _run(mode, number), range(rounds)))
    return {"torch": torch.__version__, "gpus_used": min(2, torch.cuda.device_count()), "runs": runs}


def judge(reading, expectation):
    failed = {mode: [end for end in ends if end != "ok"] for mode, ends in reading["runs"].items()}
    count = len(reading["runs"]["shared"])
    told = {mode: f"{mode} {len(ends)} of {len(reading['runs'][mode])}" for mode, ends in failed.items()}
    others = ", ".join(text for mode, text in told.items() if mode != "shared")
    if not failed["shared"]:
        broken = [mode for mode in failed if failed[mode]]
        if broken:
            detail = f"a shared module did not fail, but {', '.join(told[mode] for mode in broken)} did: not this race"
            return {"outcome": "inconclusive", "detail": detail}
        return {"outcome": "refuted", "detail": f"not reproduced: none of {count} processes failed in any way"}
    ways = ", ".join(sorted(set(failed["shared"])))
    detail = f"reproduced: {len(failed['shared'])} of {count} processes with one shared module failed ({ways[:200]})"
    if failed["one thread"] or failed["own module"]:
        return {"outcome": "inconclusive", "detail": f"{detail}, but so did others: {others}: not this race alone"}
    cure = "cured" if not failed["lock"] else "not cured by the lock"
    return {"outcome": "confirmed", "detail": f"{detail}; failures otherwise: {others} ({cure})"}


if __name__ == "__main__":
    wanted = json.loads(sys.argv[1]) if sys.argv[1:] else {}
    print(json.dumps(_child(wanted["mode"], wanted["number"]) if "mode" in wanted else read(wanted), default=str))
