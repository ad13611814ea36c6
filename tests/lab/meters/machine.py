"""A machine made of files: `proc` and `sys` in a folder, which a test changes between two readings."""

from collections.abc import Mapping, Sequence
from pathlib import Path

STAT = """cpu  {both} 0 0 0 0 0 0 0 0 0
cpu0 {busy} 0 100 900 0 5 {softirq} {steal} 0 0
cpu1 50 0 50 900 0 0 0 0 0 0
intr 1
"""
MEMINFO = (
    "MemTotal:        8000000 kB\nMemFree:          100000 kB\nMemAvailable:    {available} kB\nHugePages_Total: 0\n"
)
NETSTAT = """TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPTimeouts DelayedACKs
TcpExt: 0 {overflows} {drops} {timeouts} {delayed}
IpExt: InOctets
IpExt: 17
"""
SNMP = """Ip: Forwarding
Ip: 1
Tcp: ActiveOpens OutSegs RetransSegs
Tcp: 5 {sent} {retransmitted}
"""


class FakeMachine:
    """Files below `root`. This kernel does not report what no test has written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.processors()
        self.memory()

    def write(self, path: str, text: str) -> None:
        """Write a file, and make its folders."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def processors(self, busy: int = 100, softirq: int = 7, steal: int = 3) -> None:
        """Set the ticks of processor 0."""
        self.write("proc/stat", STAT.format(both=busy + 50, busy=busy, softirq=softirq, steal=steal))

    def memory(self, available: int = 4_000_000) -> None:
        """Set how many KiB of 8,000,000 are available."""
        self.write("proc/meminfo", MEMINFO.format(available=available))

    def topology(
        self,
        cores: Sequence[Sequence[int]],
        *,
        capacities: Mapping[int, int] | None = None,
        units: Mapping[str, str] | None = None,
        nodes: Sequence[str] = ("",),
    ) -> None:
        """Set which processors are threads of one core, and what tells kinds and NUMA nodes apart.

        Args:
            capacities: by processor, what the scheduler takes it to be capable of.
            units: by monitoring unit (`cpu_core`, `cpu_atom`), the list of its processors.
            nodes: of each node, the list of its processors.
        """
        for core in cores:
            for cpu in core:
                listed = ",".join(map(str, core))
                self.write(f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", f"{listed}\n")
        for cpu, capacity in (capacities or {}).items():
            self.write(f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity", f"{capacity}\n")
        for unit, cpus in (units or {}).items():
            self.write(f"sys/devices/{unit}/cpus", f"{cpus}\n")
        for number, cpus in enumerate(nodes):
            self.write(f"sys/devices/system/node/node{number}/cpulist", f"{cpus}\n")

    def process(self, pid: int, name: str, *, ticks: int, cpu: int = 0, flags: int = 0x00208040) -> None:
        """Set what a process, by its flags one of the kernel's threads, used since boot."""
        fields = f"S 2 0 0 0 -1 {flags} 0 0 0 0 {ticks - 1} 1 0 0 20 0 1 0 25 0 0 18446744073709551615"
        self.write(f"proc/{pid}/stat", f"{pid} ({name}) {fields} {'0 ' * 13}{cpu} 0 0 0 0 0\n")

    def swap(self, pages_in: int, pages_out: int) -> None:
        """Set the pages swapped since boot."""
        self.write("proc/vmstat", f"nr_free_pages 12\npswpin {pages_in}\npswpout {pages_out}\n")

    def network(
        self, *, overflows: int = 0, drops: int = 0, timeouts: int = 0, delayed: int = 0, sent: int = 0, again: int = 0
    ) -> None:
        """Set TCP's counters since boot."""
        counts = {"overflows": overflows, "drops": drops, "timeouts": timeouts, "delayed": delayed}
        self.write("proc/net/netstat", NETSTAT.format(**counts))
        self.write("proc/net/snmp", SNMP.format(sent=sent, retransmitted=again))
