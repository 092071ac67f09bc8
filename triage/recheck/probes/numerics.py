"""Does each GPU compute what the CPU computes, and the same each time?

Confirms: a product differs from the CPU's in double precision by more than its format allows, holds a NaN, or two
runs of one product on one GPU differ.

Refutes: all errors are within the bounds, and repeated runs are equal bit by bit. Equal GPUs that differ among
themselves within the bounds are told beside it.

Ids: loss-nan
"""

import json
import sys

GROUP = "torch"
LOAD = "needed"
SECONDS = 120.0

_SIDE = 1024
# Largest relative error (Frobenius norm) against float64. Unit roundoff is 2^-24, 2^-11 (TF32, fp16) and 2^-8 (bf16);
# inputs and result are rounded, sums of 1024 random terms average out. The bounds are several times that.
_BOUNDS = {"fp32": 1e-5, "tf32": 2e-3, "fp16": 2e-3, "bf16": 1.5e-2, "autocast": 1.5e-2}


def _products(torch, a, b, kind):
    if kind == "autocast":
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return a @ b
    if kind in ("fp16", "bf16"):
        half = torch.float16 if kind == "fp16" else torch.bfloat16
        return a.to(half) @ b.to(half)
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    return a @ b


def read(wanted):
    import torch

    if not torch.cuda.is_available():
        return {"absent": f"PyTorch {torch.__version__} sees no GPU (probe cuda-init tells why)"}
    torch.manual_seed(int(wanted.get("seed", 7)))
    first, second = torch.randn(_SIDE, _SIDE), torch.randn(_SIDE, _SIDE)
    exact = first.double() @ second.double()
    default = torch.backends.cuda.matmul.allow_tf32
    kinds = [kind for kind in _BOUNDS if torch.cuda.is_bf16_supported() or kind not in ("bf16", "autocast")]
    gpus, results = [], {}
    for index in range(torch.cuda.device_count()):
        found = torch.cuda.get_device_properties(index)
        one = {"index": index, "uuid": "GPU-" + str(getattr(found, "uuid", "")), "name": found.name, "errors": {}}
        gpus.append(one)
        a, b = first.to("cuda:%d" % index), second.to("cuda:%d" % index)
        repeated = []
        for kind in kinds:
            got = _products(torch, a, b, kind)
            repeated.append(bool(torch.equal(got, _products(torch, a, b, kind))))
            host = got.double().cpu()
            one["errors"][kind] = float((host - exact).norm() / exact.norm())
            if bool(torch.isnan(host).any()):
                one["errors"][kind] = "nan"
            other = results.setdefault((found.name, kind), host)
            one.setdefault("like_first", []).append(bool(torch.equal(other, host)))
        one["repeatable"], one["like_first"] = all(repeated), all(one["like_first"])
    return {"torch": torch.__version__, "allow_tf32": default, "gpus": gpus}


def judge(reading, expectation):
    faults, notes = [], []
    for gpu in reading["gpus"]:
        name = f"{gpu['name']} {gpu['index']}"
        for kind, error in gpu["errors"].items():
            if error == "nan" or not error <= _BOUNDS[kind]:
                shown = error if error == "nan" else f"{error:.1e}"
                faults.append(f"{name}: {kind} is off by {shown} (bound {_BOUNDS[kind]:.1e})")
        if not gpu["repeatable"]:
            faults.append(f"{name}: the same product gave two results")
        if not gpu["like_first"]:
            notes.append(f"{name} differs in bits from the first GPU of its model, within the bounds")
    if faults:
        return {"outcome": "confirmed", "detail": "; ".join(faults + notes)}
    worst = {kind: max(gpu["errors"][kind] for gpu in reading["gpus"]) for kind in reading["gpus"][0]["errors"]}
    errors = ", ".join(f"{kind} {error:.1e}" for kind, error in worst.items())
    notes.append("TF32 is " + ("on" if reading["allow_tf32"] else "off") + " by default")
    return {"outcome": "refuted", "detail": "; ".join([f"largest relative errors: {errors}; repeatable", *notes])}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
