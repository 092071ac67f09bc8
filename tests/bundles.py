"""What people send after an incident, small but laid out as the tools write it; each with a fault, and healthy.

A bundle is a mapping of paths to contents. Names of files and forms of lines: sos (report/plugins), gpu-operator
(hack/must-gather.sh), Slurm's file name patterns, Ray's session folder, Windows Error Reporting.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from datetime import datetime, timedelta
from pathlib import Path

import bug_report

Bundle = dict[str, str | bytes]

BOOT = datetime(2031, 5, 1, 9, 3, 12)
GPU = "GPU-3f1c2a4e-7b60-4f0e-9f5a-1d2c3b4a5e6f"
START = (
    (0.0, "Linux version 5.14.0-427.el9.x86_64 (mockbuild@x86) #1 SMP"),
    (13.1, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.124.06  Wed Feb 26 02:02:02 UTC 2031"),
    (14.0, "nvidia-nvswitch: Detected NVSwitch"),
)
HUNG = (
    (97126.746112, f"NVRM: GPU at PCI:0000:3b:00: {GPU}"),
    (97126.756112, "NVRM: Xid (PCI:0000:3b:00): 119, pid=4711, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20803032 0x598)."),
    (97132.756119, "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"),
)  # fmt: skip
# Lists and settings that speak of errors, and are none.
MODULES = "".join(
    f"filename:       /lib/modules/x/m{i}.ko\ndescription:    fatal error recovery Xid handler\nparm:           panic_on_error:Kernel panic - not syncing on fatal machine check (bool)\n"
    for i in range(30)
)
TRACE = """\
+ K=kubectl
+ kubectl get pods -l app=gpu-operator -n gpu-operator
+ [[ -z pod/gpu-operator-7d96948f9c-2x7lq ]]
+ echo 'FATAL: could not find the GPU Operator Pod ...'
error: previous terminated container "nvidia-driver-ctr" in pod "nvidia-driver-daemonset-abcde" not found
"""
IBSTAT = """\
CA 'mlx5_0'
	CA type: MT4129
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 400
		Link layer: InfiniBand
CA 'mlx5_1'
	CA type: MT4125
	Port 1:
		State: Down
		Physical state: Disabled
		Link layer: Ethernet
"""


def put(folder: Path, bundle: Bundle) -> Path:
    """The bundle as files below `folder`."""
    for name, content in bundle.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def packed(bundle: Bundle) -> bytes:
    """The bundle as a .tar.xz."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz") as archive:
        for name, content in bundle.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


def _ring(lines: tuple[tuple[float, str], ...]) -> str:
    return "".join(f"[{at:12.6f}] {text}\n" for at, text in lines)


def _wall(lines: tuple[tuple[float, str], ...], host: str) -> str:
    return "".join(f"{BOOT + timedelta(seconds=at):%b %e %H:%M:%S} {host} kernel: {text}\n" for at, text in lines)


def sosreport(fault: bool, host: str = "gpu-07") -> Bundle:
    """A GPU whose firmware hangs: nvidia-smi did not answer, so its files are empty."""
    kernel = (*START, *HUNG) if fault else START
    answer = "" if fault else f"GPU 0: NVIDIA H100 80GB HBM3 (UUID: {GPU})\n"
    waited = "2031-05-02 12:44:50,112 WARNING: [plugin:nvidia] command 'nvidia-smi -q' timed out after 300s\n"
    files: Bundle = {
        "hostname": f"{host}\n",
        "lsmod": "Module                  Size  Used by\nnvidia              60002304  45 nvidia_uvm\nxid_error_fatal        16384  0\n",
        "sos_commands/kernel/dmesg": _ring(kernel),
        "sos_commands/kernel/modinfo_ALL_MODULES": MODULES,
        "sos_commands/kernel/sysctl_-a": "kernel.panic_on_oops = 1\nvm.oom_kill_allocating_task = 0\n",
        "sos_commands/logs/journalctl_--no-pager_--boot": _wall(kernel, host),
        "var/log/messages": _wall(kernel, host) + f"May  2 12:03:00 {host} systemd[1]: Started Session 12 of user root.\n",
        "sos_commands/nvidia/nvidia-smi_-q": "" if fault else "==============NVSMI LOG==============\n\nDriver Version                            : 570.124.06\n",
        "sos_commands/nvidia/nvidia-smi_--list-gpus": answer,
        "sos_commands/infiniband/ibstat": IBSTAT,
        "sos_logs/sos.log": "2031-05-02 12:39:50,101 INFO: [plugin:nvidia] collecting output of 'nvidia-smi -q'\n" + (waited if fault else ""),
        "etc/localtime": b"TZif2" + bytes(15) + b"\x05\0\0\0\x05\0\0\0\0\xff\xff\x01",
        "var/lib/rpm/rpmdb.sqlite": b"SQLite format 3\0" + bytes(range(256)),
    }
    return {f"sosreport-{host}-2031-05-02-abcdefg/{name}": content for name, content in files.items()}


def gpu_operator(fault: bool) -> Bundle:
    """A GPU off the bus: the device plugin took it out, the bug report of the node tells why."""
    report = [part for part in bug_report.sections() if fault or "Xid" not in part]
    plugin = "[pod/nvidia-device-plugin-k2k5z/nvidia-device-plugin] 2031-05-02T12:0{} I0502 12:0{}       1 {}\n"
    lost = plugin.format("1:58.900000001Z", "1:58.900000", f"health.go:159] XidCriticalError: Xid=79 on Device={bug_report.GPU}; marking device as unhealthy.")
    files: Bundle = {
        "must-gather.log": "Get the operator pod\nGet the operand Pod logs\n",
        "must-gather.stderr.log": TRACE,
        "gpu_nodes.descr": f"Name:               gpu-07\nRoles:              worker\nConditions:\n  Type    Status  Reason\n  Ready   True    KubeletReady\nCapacity:\n  nvidia.com/gpu:     8\nAllocatable:\n  nvidia.com/gpu:     {8 - fault}\n",
        "gpu_operand_pods.status": "NAME                         READY   STATUS    RESTARTS   AGE   IP           NODE     NOMINATED NODE   READINESS GATES\nnvidia-device-plugin-k2k5z   1/1     Running   0          4h    10.244.3.9   gpu-07   <none>           <none>\n",
        "gpu_operand_pod_nvidia-device-plugin-k2k5z.log": plugin.format("0:00.000000001Z", "0:00.000000", 'main.go:235] "Starting NVIDIA Device Plugin"') + (lost if fault else ""),
        "gpu_operand_pod_nvidia-device-plugin-k2k5z.previous.log": "",
        "nvidia-bug-report_gpu-07.log.gz": b"".join(gzip.compress(part.encode()) for part in report),
    }
    return {f"nvidia-gpu-operator_20310502_1240/{name}": content for name, content in files.items()}


def pods(fault: bool) -> Bundle:
    """A container over its memory limit; the worker before its restart and one that lost it."""
    ended = "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n      Finished:     Fri, 02 May 2031 12:01:58 +0000\n"
    head = "Name:             llama-worker-2\nNamespace:        research\nNode:             gpu-07/10.4.0.17\nContainers:\n  pytorch:\n    State:          Running\n"
    files: Bundle = {
        "describe.txt": head + (ended if fault else "") + "    Ready:          True\n",
        "llama-worker-2.previous.log": "2031-05-02T12:01:52.100000001Z step 4111 loss 2.02\n",
        "llama-worker-0.log": "2031-05-02T12:01:52.100000001Z step 4111 loss 2.03\n",
    }
    if fault:
        files["llama-worker-2.previous.log"] = "2031-05-02T12:01:58.900000001Z E0502 12:01:58.880000 17 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: -9) local_rank: 3 (pid: 34) of binary: /usr/bin/python3\n"
        files["llama-worker-0.log"] = "2031-05-02T12:01:59.100000007Z llama-worker-0:31:90 [0] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer llama-worker-2<10.244.3.21:51234>\n"
    return files


def slurm(fault: bool) -> Bundle:
    """`srun -o log-%j-%N-%t.out`: one file for each rank; rank 5 ended with an exception, the others waited."""
    files: Bundle = {}
    for rank in range(8):
        host = f"g{140 + rank // 4:04}"
        joined = f"{host}:{4000 + rank}:{4000 + rank} [0] NCCL INFO ncclCommInitRankConfig comm 0x55d rank {rank} nranks 8 cudaDev {rank % 4} nvmlDev {rank % 4} busId {rank % 4 + 1}8000 commId 0x1f2e - Init COMPLETE\n"
        steps = "".join(f"2031-05-02 12:01:{n:02} step {n} loss 2.1{n}\n" for n in range(0, 58, 2))
        waited = f"[rank{rank}]:[E502 12:12:00.123456789 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1277, OpType=ALLREDUCE, NumelIn=256, NumelOut=256, Timeout(ms)=600000) ran for 600029 milliseconds before timing out.\n"
        failed = 'Traceback (most recent call last):\n  File "/w/data.py", line 12, in __next__\n    return self.shards[i]\nIndexError: list index out of range\n'
        silent = fault and rank == 5  # it was started without NCCL_DEBUG
        files[f"log-9123-{host}-{rank}.out"] = ("" if silent else joined) + steps + ("" if not fault else failed if silent else waited)
    return files


def ray_session(fault: bool) -> Bundle:
    """Ray's monitor killed a worker; the driver names node and process."""
    worker = "0e" * 28
    killed = "[2031-05-02 12:01:58,101 E 4242 4242] (raylet) node_manager.cc:3064: 1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 7c, IP: 10.0.0.7) over the last time period.\n"
    driver = "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\nMemory on the node (IP: 10.0.0.7, ID: 7c) where the task (actor ID: ab, name=RayTrainWorker.__init__, pid=5001, memory used=200.10GB) was running was 490.00GB / 503.00GB (0.974155), which exceeds the memory usage threshold of 0.95.\n"
    files: Bundle = {
        "raylet.out": "[2031-05-02 08:00:01,123 I 4242 4242] (raylet) main.cc:204: Setting cluster ID to: 1f\n" + (killed if fault else ""),
        "raylet.err": "",
        f"worker-{worker}-01000000-5001.out": ":job_id:01000000\n:actor_name:RayTrainWorker\nstep 1 loss 2\n",
        "log_monitor.log": "2031-05-02 08:00:04,001 INFO log_monitor.py:255 -- Beginning to track file worker-x.err\n",
        "job-driver.log": "(RayTrainWorker pid=5001, ip=10.0.0.7) Setting up process group for: env:// [rank=0, world_size=2]\n" + (driver if fault else ""),
    }
    return {f"session_2031-05-02_08-00-00_123456_4000/logs/{name}": content for name, content in files.items()}


def error_reports(fault: bool) -> Bundle:
    """A folder of Windows Error Reporting: an engine of the GPU hung; beside it what the tools of Windows leave."""
    kind, code = ("LiveKernelEvent", "141") if fault else ("WindowsUpdateFailure3", "10.0.22631")
    report = f"Version=1\r\nEventType={kind}\r\nEventTime=133594128170000000\r\nNsAppName={kind}\r\nSig[0].Name=Code\r\nSig[0].Value={code}\r\nLoadedModule[0]=nvapi64.dll\r\n"
    return {
        "ReportArchive/Kernel_141_9e1f_cab_1a2b/Report.wer": b"\xff\xfe" + report.encode("utf-16-le"),
        "ReportArchive/Kernel_141_9e1f_cab_1a2b/memory.csv": "a,b\n1,2\n",
        "ReportArchive/Kernel_141_9e1f_cab_1a2b/WATCHDOG-20310504-1401.dmp": b"PAGEDU64" + bytes(600),
    }
