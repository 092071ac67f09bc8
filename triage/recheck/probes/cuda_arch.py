"""Does this build of PyTorch hold code for the GPUs?

Confirms: neither machine code of the GPU's generation (same major number, not a later minor one) nor PTX that its
driver could compile is in the build.

Refutes: there is code for every visible GPU.

Ids: cuda-no-kernel-image, nvcc-arch, nvrtc-arch, triton-ptxas, flash-attn-arch
"""

import json
import re
import sys

GROUP = "torch"
SECONDS = 60.0


def read(wanted):
    import torch

    if not torch.cuda.is_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU (probe cuda-init tells why)"}
    gpus = []
    for index in range(torch.cuda.device_count()):
        found = torch.cuda.get_device_properties(index)
        gpus.append({"index": index, "uuid": "GPU-" + str(getattr(found, "uuid", "")), "name": found.name,
                     "capability": [found.major, found.minor]})  # fmt: skip
    return {"torch": torch.__version__, "archs": torch.cuda.get_arch_list(), "gpus": gpus}


def _runs(archs, capability):
    """The first entry of the build that runs on a GPU, or None.

    Machine code sm_XY runs on X.Z with Z >= Y, that with suffix `a` on X.Y alone; PTX compute_XY is compiled for any
    later GPU (CUDA C++ Programming Guide, Application Compatibility).
    """
    for arch in archs:
        found = re.match(r"(sm|compute)_(\d+)(\d)([af]?)$", arch)
        if not found:
            continue
        kind, own = found.group(1), [int(found.group(2)), int(found.group(3))]
        if kind == "sm" and own[0] == capability[0] and own[1] <= capability[1]:
            if found.group(4) != "a" or own == capability:
                return arch
        if kind == "compute" and own <= capability and found.group(4) != "a":
            return arch
    return None


def judge(reading, expectation):
    lacking, served = [], []
    for gpu in reading["gpus"]:
        name = f"{gpu['name']} ({gpu['capability'][0]}.{gpu['capability'][1]})"
        arch = _runs(reading["archs"], gpu["capability"])
        (served if arch else lacking).append(f"{name}: {arch}" if arch else name)
    build = f"PyTorch {reading['torch']} holds {' '.join(reading['archs']) or 'no GPU code'}"
    if lacking:
        return {"outcome": "confirmed", "detail": f"no code for {', '.join(sorted(set(lacking)))}; {build}"}
    return {"outcome": "refuted", "detail": f"{', '.join(sorted(set(served)))}; {build}"}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
