"""What is collected, as data: the first command that answers for each item, or files; and named variables.

Only what a diagnosis needs: no command lines of processes, no files of users.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

MOST = 8 << 20  # bytes of one item; the end of a longer one is kept


@dataclass(frozen=True, slots=True)
class Item:
    """One member of the archive. `commands` are tried in turn until one answers; `paths` (globs) are read in order.

    `optional` items are not missed where they do not exist, such as a tool that few machines have.
    """

    name: str
    commands: tuple[tuple[str, ...], ...] = ()
    paths: tuple[str, ...] = ()
    seconds: float = 15.0
    optional: bool = False


_JOURNAL = ("journalctl", "--no-pager", "-o", "short-iso-precise")
_UNITS = ("nvidia-persistenced", "nvidia-fabricmanager", "nvidia-imex", "nvidia-dcgm", "kubelet", "slurmd")
# The bus tree, then the registers of everything of NVIDIA and of all bridges (class 0604): links and AER of the path.
LINUX = (
    Item("kernel.log", ((*_JOURNAL, "-k", "-b", "-n", "40000"), ("dmesg", "--time-format", "iso"), ("dmesg",))),
    Item("kernel-previous-boot.log", ((*_JOURNAL, "-k", "-b", "-1", "-n", "5000"),), optional=True),
    Item("services.log", ((*_JOURNAL, "-b", "-n", "5000", *(w for u in _UNITS for w in ("-u", u))),), optional=True),
    Item("nvidia-smi-q.txt", (("nvidia-smi", "-q"),), seconds=40.0),
    Item("nvidia-smi-topo.txt", (("nvidia-smi", "topo", "-m"),), optional=True),
    Item("nvidia-smi-nvlink.txt", (("nvidia-smi", "nvlink", "-s"),), optional=True),
    Item("nvidia-smi-nvlink-errors.txt", (("nvidia-smi", "nvlink", "-e"),), optional=True),
    Item("driver.txt", paths=("/proc/driver/nvidia/version", "/proc/driver/nvidia/gpus/*/information")),
    Item("device-files.txt", (("ls", "-l", "/dev"),)),
    Item("lspci-tree.txt", (("lspci", "-tv"),), optional=True),
    Item("lspci-nvidia.txt", (("lspci", "-nnvvv", "-d", "10de:"),), optional=True),
    Item("lspci-bridges.txt", (("lspci", "-nnvv", "-d", "::0604"),), optional=True),
    Item("infiniband.txt", (("ibstat",), ("ibv_devinfo",)), optional=True),
    Item("interfaces.txt", (("ip", "-s", "link"),), optional=True),
    Item("memory.txt", paths=("/proc/meminfo", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                              "/sys/fs/cgroup/memory.events", "/proc/pressure/memory")),
    Item("disks.txt", (("df", "-hT"),)),
    Item("limits.txt", paths=("/proc/self/limits",)),
    Item("system.txt", (("uname", "-a"),)),
    Item("boot.txt", paths=("/etc/os-release", "/proc/cmdline", "/proc/uptime", "/proc/modules")),
)  # fmt: skip
WINDOWS = (
    Item("events-system.xml", (("wevtutil", "qe", "System", "/f:xml", "/c:3000", "/rd:true"),), seconds=40.0),
    Item("events-application.xml", (("wevtutil", "qe", "Application", "/f:xml", "/c:1000", "/rd:true"),), seconds=40.0),
    Item("display-devices.txt", (("pnputil", "/enum-devices", "/class", "Display", "/problem"),
                                 ("pnputil", "/enum-devices", "/class", "Display"))),
    Item("nvidia-smi-q.txt", (("nvidia-smi", "-q"),), seconds=40.0),
    Item("system.txt", (("systeminfo",),), seconds=40.0),
)  # fmt: skip

_PREFIXES = (
    "NCCL_", "CUDA_", "PYTORCH_", "TORCH_", "TORCHELASTIC_", "OMP_", "MKL_", "SLURM_", "RAY_", "HF_", "NVIDIA_", "UCX_",
    "GLOO_", "DEEPSPEED_", "VLLM_", "XLA_", "JAX_", "FI_",
)  # fmt: skip
_NAMES = frozenset({
    "RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LD_LIBRARY_PATH",
    "LD_PRELOAD", "CONDA_DEFAULT_ENV", "TMPDIR",
})  # fmt: skip
_SECRET = re.compile(r"(?i)TOKEN|KEY|SECRET|PASS|CRED|AUTH|COOKIE|CERT")


def variables(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables that steer GPU jobs, by name; none whose name speaks of a secret."""
    chosen = (name for name in env if (name.startswith(_PREFIXES) or name in _NAMES) and not _SECRET.search(name))
    return {name: env[name] for name in sorted(chosen)}
