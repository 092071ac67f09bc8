"""NVIDIA cards by their PCI device number: those that compute in servers and workstations, and the usual GeForce ones.

Numbers and names: the pci.ids list (https://pci-ids.ucw.cz). Some numbers stand for several cards; those are named
together. A number that is missing here is only unknown to this table.
"""

from __future__ import annotations

# fmt: off
MODELS: dict[int, str] = {
    # Pascal, Volta, Turing
    0x15F7: "Tesla P100 PCIe 12GB", 0x15F8: "Tesla P100 PCIe 16GB", 0x15F9: "Tesla P100 SXM2 16GB", 0x1B38: "Tesla P40",
    0x1BB3: "Tesla P4", 0x1B06: "GeForce GTX 1080 Ti", 0x1B80: "GeForce GTX 1080", 0x1B81: "GeForce GTX 1070",
    0x1D81: "TITAN V", 0x1DB1: "Tesla V100 SXM2 16GB", 0x1DB4: "Tesla V100 PCIe 16GB", 0x1DB5: "Tesla V100 SXM2 32GB",
    0x1DB6: "Tesla V100 PCIe 32GB", 0x1DB8: "Tesla V100 SXM3 32GB", 0x1DF6: "Tesla V100S PCIe 32GB",
    0x1E02: "TITAN RTX", 0x1E04: "GeForce RTX 2080 Ti", 0x1E07: "GeForce RTX 2080 Ti",
    0x1E30: "Quadro RTX 6000 or 8000", 0x1E81: "GeForce RTX 2080 SUPER", 0x1E82: "GeForce RTX 2080",
    0x1E84: "GeForce RTX 2070 SUPER", 0x1E87: "GeForce RTX 2080", 0x1EB8: "Tesla T4", 0x1F02: "GeForce RTX 2070",
    0x1F08: "GeForce RTX 2060",
    0x2182: "GeForce GTX 1660 Ti", 0x2184: "GeForce GTX 1660", 0x21C4: "GeForce GTX 1660 SUPER",
    # Ampere
    0x20B0: "A100 SXM4 40GB", 0x20B1: "A100 PCIe 40GB", 0x20B2: "A100 SXM4 80GB", 0x20B5: "A100 PCIe 80GB",
    0x20B7: "A30", 0x20B8: "A100X", 0x20BD: "A800 SXM4 40GB", 0x20F1: "A100 PCIe 40GB", 0x20F3: "A800 SXM4 80GB",
    0x20F5: "A800 PCIe 80GB", 0x2203: "GeForce RTX 3090 Ti", 0x2204: "GeForce RTX 3090", 0x2206: "GeForce RTX 3080",
    0x2208: "GeForce RTX 3080 Ti", 0x220A: "GeForce RTX 3080 12GB", 0x2216: "GeForce RTX 3080", 0x2230: "RTX A6000",
    0x2231: "RTX A5000", 0x2232: "RTX A4500", 0x2233: "RTX A5500", 0x2235: "A40", 0x2236: "A10", 0x2237: "A10G",
    0x2482: "GeForce RTX 3070 Ti", 0x2484: "GeForce RTX 3070", 0x2486: "GeForce RTX 3060 Ti",
    0x2488: "GeForce RTX 3070", 0x2489: "GeForce RTX 3060 Ti", 0x24B0: "RTX A4000",
    0x2503: "GeForce RTX 3060", 0x2504: "GeForce RTX 3060",
    0x2531: "RTX A2000", 0x2571: "RTX A2000 12GB", 0x2582: "GeForce RTX 3050 8GB", 0x25B6: "A2 or A16",
    # Hopper
    0x2321: "H100L 94GB", 0x2322: "H800 PCIe", 0x2324: "H800", 0x2329: "H20", 0x232C: "H20 HBM3e",
    0x2330: "H100 SXM5 80GB", 0x2331: "H100 PCIe", 0x2335: "H200 SXM 141GB", 0x2338: "H100 SXM5 96GB",
    0x2339: "H100 SXM5 94GB", 0x233B: "H200 NVL", 0x2342: "GH200", 0x2348: "GH200 144G HBM3e",
    # Ada
    0x2684: "GeForce RTX 4090", 0x2685: "GeForce RTX 4090 D", 0x26B1: "RTX 6000 Ada", 0x26B2: "RTX 5000 Ada",
    0x26B3: "RTX 5880 Ada", 0x26B5: "L40", 0x26B9: "L40S", 0x26BA: "L20", 0x2702: "GeForce RTX 4080 SUPER",
    0x2704: "GeForce RTX 4080", 0x2705: "GeForce RTX 4070 Ti SUPER", 0x2782: "GeForce RTX 4070 Ti",
    0x2783: "GeForce RTX 4070 SUPER", 0x2786: "GeForce RTX 4070", 0x27B1: "RTX 4500 Ada", 0x27B2: "RTX 4000 Ada",
    0x27B6: "L2", 0x27B8: "L4", 0x2803: "GeForce RTX 4060 Ti", 0x2805: "GeForce RTX 4060 Ti 16GB",
    0x2882: "GeForce RTX 4060",
    # Blackwell
    0x2901: "B200", 0x2920: "B100", 0x2941: "GB200", 0x29BC: "B100", 0x2B85: "GeForce RTX 5090",
    0x2B87: "GeForce RTX 5090 D", 0x2BB1: "RTX PRO 6000 Blackwell Workstation", 0x2BB3: "RTX PRO 5000 Blackwell",
    0x2BB4: "RTX PRO 6000 Blackwell Max-Q", 0x2BB5: "RTX PRO 6000 Blackwell Server", 0x2C02: "GeForce RTX 5080",
    0x2C05: "GeForce RTX 5070 Ti", 0x2C31: "RTX PRO 4500 Blackwell", 0x2C34: "RTX PRO 4000 Blackwell",
    # switches
    0x1AF1: "A100 NVSwitch", 0x22A3: "H100 NVSwitch",
}
# fmt: on
