"""TCP in this network namespace, read at both ends of a window."""

from contextlib import suppress
from pathlib import Path

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
"""Fields of the record, and the kernel's names (RFC 4022; Documentation/networking/snmp_counter.rst)."""

TIME_WAIT = "06"
"""State of a socket in /proc/net/tcp (include/net/tcp_states.h of Linux)."""


class NetworkWatch:
    """Measures from `open` to `close`. `root`: where `proc` is; another one for tests."""

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root

    def open(self) -> None:
        """The window opens."""
        self._before = self._counters()

    def close(self) -> NetworkMeter:
        """The window closes."""
        after = self._counters()
        counted = {
            field: after[name] - self._before[name]
            for field, name in COUNTERS.items()
            if name in after and name in self._before
        }
        return NetworkMeter(
            **counted,
            time_wait_sockets=time_wait_sockets(self._root),
            local_ports=local_ports(self._root),
            ports_lent_again=lends_ports_again(self._root),
        )

    def _counters(self) -> dict[str, int]:
        """By `Group.Name`: two lines a group, names and numbers."""
        found: dict[str, int] = {}
        for name in ("netstat", "snmp"):
            with suppress(OSError):
                lines = (self._root / "proc/net" / name).read_text().splitlines()
                for names, numbers in zip(lines[::2], lines[1::2], strict=False):
                    group, *keys = names.split()
                    for key, value in zip(keys, numbers.split()[1:], strict=False):
                        found[f"{group.removesuffix(':')}.{key}"] = int(value)
        return found


def time_wait_sockets(root: Path = ROOT) -> int | None:
    """Closed connections that keep a local port still, each one of its own; None where the kernel does not tell.

    In TIME_WAIT is whoever closed first. Where that is the server, thousands of connections keep a single port, its
    own, and none of the caller's: so ports are counted, not sockets.
    """
    held: set[str] = set()
    told = False
    for name in ("tcp", "tcp6"):
        with suppress(OSError, ValueError):
            for line in (root / "proc/net" / name).read_text().splitlines()[1:]:
                _number, local, _remote, state, _rest = line.split(maxsplit=4)
                if state == TIME_WAIT:
                    held.add(local.rpartition(":")[2])
            told = True
    return len(held) if told else None


def lends_ports_again(root: Path = ROOT) -> bool | None:
    """Whether a new connection on loopback may take a port that is in TIME_WAIT for a second; None where not told.

    Linux does so where both sides send timestamps and tcp_tw_reuse is 1, or 2 (loopback only, the default since 4.19):
    Documentation/networking/ip-sysctl.rst.
    """
    with suppress(OSError, ValueError):
        reuse, timestamps = (
            int((root / "proc/sys/net/ipv4" / name).read_text()) for name in ("tcp_tw_reuse", "tcp_timestamps")
        )
        return reuse in (1, 2) and timestamps != 0
    return None


def local_ports(root: Path = ROOT) -> int | None:
    """How many ports outgoing connections have; None where the kernel does not tell."""
    with suppress(OSError, ValueError):
        low, high = map(int, (root / "proc/sys/net/ipv4/ip_local_port_range").read_text().split())
        return high - low + 1
    return None
