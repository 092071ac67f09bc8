import pytest

from triage.templates import Templates, code_of, mask

CUDA = [
    "out of memory", "an illegal memory access was encountered", "device-side assert triggered", "unspecified launch failure",
    "misaligned address", "invalid device ordinal", "no kernel image is available for execution on the device",
    "uncorrectable ECC error encountered", "the launch timed out and was terminated", "invalid argument",
]  # fmt: skip


def texts_of(*texts: str) -> list[tuple[str, int]]:
    kinds = Templates()
    for line, text in enumerate(texts, 1):
        kinds.add(text, "log", line)
    return [(t.text, t.count) for t in kinds.all()]


def test_ten_cuda_errors_stay_ten() -> None:
    assert len(texts_of(*[f"RuntimeError: CUDA error: {text}" for text in CUDA] * 3)) == 10


@pytest.mark.parametrize(
    "different",
    [
        ["NVRM: Xid (PCI:0000:3b:00): 43, pid=1, name=python3, Ch 00000008", "NVRM: Xid (PCI:0000:3b:00): 45, pid=1, name=python3, Ch 00000008"],
        ["CUBLAS_STATUS_ALLOC_FAILED when calling x", "CUBLAS_STATUS_EXECUTION_FAILED when calling x"],
        ["process exited with exit code -9 at end", "process exited with exit code -11 at end"],
        ["raised ValueError in the middle of it", "raised KeyError in the middle of it"],
    ],
)
def test_two_faults_never_share_a_template(different: list[str]) -> None:
    assert len(texts_of(*different * 5)) == len(different)


@pytest.mark.parametrize(
    "same",
    [
        [f"pcieport 0000:{b}:01.0: AER: Corrected error message received from 0000:{b}:00.0" for b in ("3a", "5d", "c1")],
        [f"python3[{pid}]: segfault at 7f{pid}aa ip 00007f54ba069a10 sp 00007f5452fd6b20 error 4" for pid in (11, 222, 3333)],
        ["step 1 loss 0.51 rank 0", "step 2 loss 0.2 rank 3", "step 100 loss 12.5 rank 11"],
    ],
)
def test_one_fault_of_several_devices_is_one_template(same: list[str]) -> None:
    assert len(texts_of(*same)) == 1


def test_a_signature_is_the_key_word() -> None:
    kinds = Templates()
    kinds.add("the very same words", "log", 1, frozenset({"xid-43"}))
    kinds.add("the very same words", "log", 2, frozenset({"xid-45"}))
    assert sorted(t.ids.copy().pop() for t in kinds.all()) == ["xid-43", "xid-45"]


def test_counts_places_and_samples() -> None:
    kinds = Templates()
    for line in range(1, 1001):
        kinds.add(f"worker {line} ready", "a.log", line)
    (only,) = kinds.all()
    assert (only.count, only.first, only.last, only.sample) == (1000, ("a.log", 1), ("a.log", 1000), "worker 1 ready")


def test_masking_keeps_words() -> None:
    assert mask("GPU 0000:3b:00.0 at 0x7f2d: 12.5 GiB of 10.0.0.7<41250>") == "GPU <pci> at <hex>: <n> GiB of <ip>"


def test_codes_tell_errors_apart() -> None:
    assert code_of("CUDA error: misaligned address") == "misaligned address"
    assert code_of("[NV_ERR_RC_ERROR] seen") == "NV_ERR_RC_ERROR"
    assert code_of("nothing here") == ""
