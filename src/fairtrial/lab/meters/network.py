"""TCP in this network namespace: what the kernel counted in a window, and how many local ports are free."""

from contextlib import suppress
from pathlib import Path

from fairtrial.base.loopback import OUTGOING_PORTS, outgoing_ports
from fairtrial.record.machine import NetworkMeter

ROOT = Path("/")
COUNTERS = {
    "listen_overflows": "TcpExt.ListenOverflows",
    "listen_drops": "TcpExt.ListenDrops",
    "sent_segments": "Tcp.OutSegs",
    "retransmitted_segments": "Tcp.RetransSegs",
    "loss_probes": "TcpExt.TCPLossProbes",
    "loss_probe_recoveries": "TcpExt.TCPLossProbeRecovery",
    "timeouts": "TcpExt.TCPTimeouts",
    "delayed_acks": "TcpExt.DelayedACKs",
}
"""The kernel's names of the record's fields (RFC 4022; Documentation/networking/snmp_counter.rst)."""

TIME_WAIT = "06"
"""State of a socket in /proc/net/tcp (include/net/tcp_states.h of Linux)."""


class NetworkWatch:
    """Measures TCP from `open` to `close`.

    Args:
        root: the folder that holds `proc`; tests pass another.
    """

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root

    def open(self) -> None:
        """Open the window."""
        self._before = _counters(self._root)

    def close(self) -> NetworkMeter:
        """Close the window and return what happened in it."""
        after = _counters(self._root)
        counted = {
            field: after[name] - self._before[name]
            for field, name in COUNTERS.items()
            if name in after and name in self._before
        }
        return NetworkMeter(
            **counted,
            time_wait_sockets=time_wait_sockets(self._root),
            local_ports=local_ports(self._root),
            ports_lent_again=reuses_time_wait_ports(self._root),
        )


def _counters(root: Path) -> dict[str, int]:
    """All counters by `Group.Name`. Each group has two lines in the file, of names and of numbers."""
    counters: dict[str, int] = {}
    for name in ("netstat", "snmp"):
        with suppress(OSError):
            lines = (root / "proc/net" / name).read_text().splitlines()
            for names, numbers in zip(lines[::2], lines[1::2], strict=False):
                group, *keys = names.split()
                for key, value in zip(keys, numbers.split()[1:], strict=False):
                    counters[f"{group.removesuffix(':')}.{key}"] = int(value)
    return counters


def listen_overflows(root: Path = ROOT) -> int:
    """Connections that arrived at a full accept queue so far; 0 where the kernel does not tell."""
    return _counters(root).get(COUNTERS["listen_overflows"], 0)


def time_wait_sockets(root: Path = ROOT) -> int | None:
    """The number of local ports that closed connections still occupy; None where the kernel does not report it.

    The side that closes first stays in TIME_WAIT. Where that is the server, thousands of connections occupy one port,
    the server's, and none of the client's. Therefore ports are counted, not sockets.
    """
    ports: set[str] = set()
    reported = False
    for name in ("tcp", "tcp6"):
        with suppress(OSError, ValueError):
            for line in (root / "proc/net" / name).read_text().splitlines()[1:]:
                _number, local, _remote, state, _rest = line.split(maxsplit=4)
                if state == TIME_WAIT:
                    ports.add(local.rpartition(":")[2])
            reported = True
    return len(ports) if reported else None


def reuses_time_wait_ports(root: Path = ROOT) -> bool | None:
    """Whether a new loopback connection may reuse a port after a second in TIME_WAIT; None where not reported.

    Linux allows it if both sides send timestamps and tcp_tw_reuse is 1, or 2 (loopback only, the default since 4.19):
    Documentation/networking/ip-sysctl.rst.
    """
    with suppress(OSError, ValueError):
        reuse, timestamps = (
            int((root / "proc/sys/net/ipv4" / name).read_text()) for name in ("tcp_tw_reuse", "tcp_timestamps")
        )
        return reuse in (1, 2) and timestamps != 0
    return None


def local_ports(root: Path = ROOT) -> int | None:
    """The number of ports for outgoing connections; None where the kernel does not report it."""
    with suppress(OSError, ValueError):
        return len(outgoing_ports(root / OUTGOING_PORTS.relative_to("/")))
    return None
