"""Reports built by hand for the tests of rendering; the quoted lines are real ones."""

from __future__ import annotations

from triage.model import Advice, Evidence, Finding, Missing, Place, Report, Source, Step, Unexplained, no_blocks

XID = "[Thu Mar 14 10:02:11 2024] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
LAUNCH = "[rank3]: torch.AcceleratorError: CUDA error: unspecified launch failure"
PLAYBOOK = Advice(
    "gpu-off-the-bus",
    "A GPU has fallen off the bus",
    [
        Step("Is the card still on the bus?", "Confirm", "read-only", "host", ["lspci", "-s", "0000:3b:00", "-vv"], "the device; `rev ff` means gone"),
        Step("What did the driver say before?", "Confirm", "read-only", "host", ["journalctl", "-k", "--since", "2024-03-14 09:57:11"]),
        Step("Which power state?", "Confirm", "read-only", "host", ["nvidia-smi", "--query-gpu=timestamp,name,pci.bus_id,pstate,power.draw,temperature.gpu,clocks.sm", "--format=csv,noheader", "-i", "<gpu>"]),
        Step("Is the slot powered?", "Confirm", "read-only", "host"),
        Step("Drain the node, then power it off and on.", "Fix", "reboot", "host", ["scontrol", "update", "NodeName=node07", "State=DRAIN", "Reason=xid 79"]),
        Step("Reseat the card and its power leads.", "If it returns", "hardware", "host"),
        Step("Do not set `pci=noaer`: it hides the messages, not the fault.", "Do not"),
        Step("The card answers.", "Verify", "read-only", "host", ["triage", "recheck", "gpu-present"], "pass"),
    ],
)  # fmt: skip


def effect(name: str, title: str, rank: int, by: str, role: str = "symptom", **more: object) -> Finding:
    return Finding(
        name, title, role, "error", "likely", entities={"rank": rank}, explained_by=[by],  # type: ignore[arg-type]
        first=Place("2024-03-14T10:02:14", f"rank{rank}.log", 2101), **more,  # type: ignore[arg-type]
    )  # fmt: skip


def fault() -> Report:
    """A GPU off the bus, eight ranks that fail after it, an independent finding, things missing and unexplained."""
    cause = Finding(
        "xid-79", "GPU has fallen off the bus", "cause", "fatal", "confirmed",
        why="The driver reports that it cannot reach the GPU any more, three seconds before the first rank fails.",
        entities={"host": "node07", "pci": "0000:3b:00", "gpu": 2, "rank": 3, "xid": 79, "_helper": 1},
        count=4, first=Place("2024-03-14T10:02:11", "dmesg.txt", 17), last=Place("2024-03-14T10:03:10", "dmesg.txt", 30),
        evidence=[Evidence("dmesg.txt", 17, XID, (27, 59)), Evidence("rank3.log", 2101, LAUNCH, (35, 71))],
        explains=["cuda-launch-failure"], action="reboot-node", action_vendor="RESTART_BM", playbook=PLAYBOOK,
        means="The PCIe link to the GPU is gone. Everything that used it fails afterwards.",
        recheck=[{"probe": "gpu-present", "outcome": "confirmed", "detail": "no device at 0000:3b:00", "seconds": 0.4}],
        sources=["https://docs.nvidia.com/deploy/xid-errors/"],
    )  # fmt: skip
    launch = [effect("cuda-launch-failure", "A kernel failed", 3, "xid-79", explains=["torchrun-childfailed", "pg-watchdog-timeout"])]
    waited = [effect("pg-watchdog-timeout", "A collective timed out", r, "cuda-launch-failure", "carrier", count=2) for r in (0, 2, 4, 5, 6, 7)]
    child = [effect("torchrun-childfailed", "A worker failed", 3, "cuda-launch-failure", "carrier")]
    aer = Finding("pcie-aer-corrected", "Corrected PCIe errors", "cause", "warning", "possible", count=1200, entities={"pci": "0000:5e:00"}, first=Place("", "dmesg.txt", 3))
    return Report(
        "fault", "GPU 2 (0000:3b:00) of node07 fell off the bus; rank 3 failed and seven ranks waited for it.",
        findings=[cause, *launch, *waited, *child, aer, Finding("driver-load", "Driver loaded", "context", "info", "likely")],
        earlier=[Finding("xid-13", "Graphics engine exception", "cause", "error", "likely")],
        unexplained=[Unexplained("foo error <*>", 41, Place("", "rank3.log", 9), "foo error [bold]12[/bold] in bar")],
        missing=[Missing("the BMC's event log", "power loss is not seen in the kernel log", "ipmitool sel elist")],
        sources=[
            Source("dmesg.txt", no_blocks, "kernel", 1200, 1180),
            Source("rank3.log", no_blocks, "traceback", 4000, 3000, note="last line is cut"),
            Source("core.4711", no_blocks, readable=False, note="a core dump, not a log"),
        ],
        timeline=[{"time": "2024-03-14T10:02:11", "lane": "gpu 0000:3b:00", "finding": "xid-79"}],
        stats={"lines": 5200, "templates": 29, "seconds": 0.41, "library": "abc123"},
    )  # fmt: skip


def many() -> Report:
    """The same fault in a job of 512 ranks: one fails, 511 wait, every third of them says more; 512 inputs."""
    report = fault()
    ends = [(n, "pg-watchdog-timeout") for n in range(512) if n != 3] + [(n, "pg-taking-down") for n in range(0, 512, 3)]
    report.findings[2:8] = [effect(name, f"Effect {name}", n, "cuda-launch-failure", "carrier", count=2) for n, name in ends]
    report.findings[1].explains.append("pg-taking-down")
    report.sources = [Source(f"rank{n}.log", no_blocks, "glog", 100, 90) for n in range(512)]
    rows = [{"time": f"2024-03-14T10:{12 + n % 40}:14", "lane": f"rank {n}", "finding": name} for n, name in ends]
    report.timeline += sorted(rows, key=lambda row: row["time"])  # type: ignore[arg-type]
    return report


def healthy() -> Report:
    """Nothing wrong in one file."""
    return Report(
        "healthy", "No fault was found in what was read.",
        findings=[Finding("driver-load", "Driver loaded", "context", "info", "likely")],
        unexplained=[Unexplained("crtc", 1, Place("", "dmesg.txt", 27), "nvidia 0000:01:00.0: [drm] Cannot find any crtc or sizes")],
        sources=[Source("dmesg.txt", no_blocks, "kernel", 1200, 1180)], stats={"lines": 1200, "templates": 29, "seconds": 0.1},
    )  # fmt: skip


def unknown() -> Report:
    """A job that died with -9 and does not say why."""
    carrier = Finding(
        "torchrun-childfailed", "A worker was killed by signal 9", "unknown", "error", "possible",
        why="Exit code -9 says that something killed the worker, not what.", entities={"rank": 0, "exit_code": -9},
        evidence=[Evidence("job.log", 88, "  exitcode  : -9 (pid: 44120)", (2, 16))], action="collect-more",
    )  # fmt: skip
    return Report(
        "suspect", "Rank 0 was killed; the logs do not say by whom.", findings=[carrier],
        missing=[Missing("kernel log of the host", "only it names the OOM killer", 'journalctl -k -b --since "2024-03-14 09:57"')],
        sources=[Source("job.log", no_blocks, "torchrun", 90, 88)], stats={"lines": 90, "templates": 12, "seconds": 0.1},
    )  # fmt: skip


def hostile() -> Report:
    """Log text that tries everything: colours, titles, bidi, markup, fences, mentions, 300 characters, Chinese."""
    texts = [
        "\x1b[31mred\x1b[0m \x1b]0;owned\x07 NVRM: Xid\x9b31m \u202egnp.exe",
        "[bold red]not markup[/] [link=file:///etc/passwd]x[/link] error [/nothing]",
        "``` ```` @octocat #12 <script>alert(1)</script> | cell |",
        "x" * 140 + " CUDA error: an illegal memory access was encountered " + "y" * 140,
        "显卡驱动程序已停止响应,并且已成功恢复。" * 12 + "CUDA error" + "设备管理器报告错误代码四十三。" * 12,
        "tab\there and \r carriage \x00 nul \ud800 surrogate",
    ]
    found = Finding(
        "cuda-illegal-address", "Illegal\x1b[2J address [red]", "cause", "fatal", "likely", why="\x1b[31m" + texts[4],
        entities={"process": "py\x1b[31mthon [bold]", "rank": list(range(64)), "host": ["a", "b", "c", "d", "e", "f", "g"]},
        evidence=[Evidence("目录/很长的文件名" * 6 + ".log", n, text, _span(text)) for n, text in enumerate(texts, 1)],
    )  # fmt: skip
    return Report(
        "fault", texts[1] + texts[0], findings=[found], notes=[texts[2]],
        unexplained=[Unexplained(t, 3, Place("", "a.log", 1), t) for t in texts],
        missing=[Missing(texts[4], texts[3], "true")],
        sources=[Source(texts[0], no_blocks, readable=False, note=texts[5])], stats={"seconds": float("nan")},
    )  # fmt: skip


def _span(text: str) -> tuple[int, int]:
    at = max(0, text.find("CUDA error"))
    return at, at + 10
