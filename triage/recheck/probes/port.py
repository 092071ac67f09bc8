"""Is the port of the rendezvous free on this machine?

Confirms: another process listens on it.

Refutes: it can be bound. Without a port of the log or of MASTER_PORT, the default of torchrun, 29500, is tried.

Ids: store-address-in-use
"""

import errno
import json
import os
import socket
import sys

GROUP = "nccl"
WANTS = ("port",)

_DEFAULT = 29500
_LISTENS = "0A"  # include/net/tcp_states.h, TCP_LISTEN


def _listener(port):
    """The process that listens on a port: pid and name as far as this user may see them."""
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            with open(table) as file:
                rows = [line.split() for line in file.readlines()[1:]]
            inodes |= {row[9] for row in rows if row[3] == _LISTENS and int(row[1].rsplit(":", 1)[1], 16) == port}
        except (OSError, IndexError, ValueError):
            continue
    for pid in (name for name in (os.listdir("/proc") if os.path.isdir("/proc") else []) if name.isdigit()):
        try:
            links = {os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")}
            if links & {f"socket:[{inode}]" for inode in inodes}:
                with open(f"/proc/{pid}/comm") as file:
                    return {"pid": int(pid), "name": file.read().strip()}
        except OSError:
            continue
    return None


def read(wanted):
    own = os.environ.get("MASTER_PORT", "")
    port = int(wanted.get("port") or (own if own.isdigit() else _DEFAULT))
    tried = {}
    for family, address in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::")):
        try:
            with socket.socket(family, socket.SOCK_STREAM) as one:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind((address, port))
                one.listen(1)
            tried[address] = ""
        except OSError as error:
            if error.errno not in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
                tried[address] = os.strerror(error.errno) if error.errno else str(error)
    return {"port": port, "tried": tried, "listener": _listener(port)}


def judge(reading, expectation):
    taken = [f"{address}: {error}" for address, error in reading["tried"].items() if error]
    if taken:
        one = reading["listener"]
        holder = f"; pid {one['pid']} ({one['name']}) listens on it" if one else ""
        return {"outcome": "confirmed", "detail": f"port {reading['port']} cannot be bound ({taken[0]}){holder}"}
    if not reading["tried"]:
        return {"outcome": "inconclusive", "detail": "this machine has neither IPv4 nor IPv6"}
    return {"outcome": "refuted", "detail": f"port {reading['port']} is free"}


if __name__ == "__main__":
    print(json.dumps(read(json.loads(sys.argv[1]) if sys.argv[1:] else {}), default=str))
