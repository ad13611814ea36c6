"""The machine and its network during a measured window.

What a kernel does not report is null, never 0.
"""

from collections.abc import Collection

from pydantic import Field

from fairtrial.base.strict import Strict


class ProcessorUse(Strict):
    """One processor's time in the window, from the kernel's ticks (/proc/stat, proc_stat(5))."""

    cpu: int
    busy_seconds: float = Field(description="user, nice and system, of all processes")
    interrupt_seconds: float = Field(description="irq and softirq")
    steal_seconds: float = Field(description="the hypervisor ran another guest")
    kernel_thread_seconds: float | None = Field(
        None,
        description="of `busy_seconds`, that of the kernel's own threads which ran here last; null where they are not "
        "visible, in slices, and in older records",
    )


class MachineMeter(Strict):
    """The whole machine, from the start of the window to its end."""

    window_seconds: float
    processors: list[ProcessorUse]
    own_server_cpu_seconds: float = Field(
        description="of the lab's processes that are bound to the server's processors: stack, services, balancer"
    )
    own_load_cpu_seconds: float = Field(description="of the lab's other processes: the load engine and the lab itself")
    kernel_threads: dict[str, float] = Field(
        default_factory=dict, description="of the kernel's own threads that were busiest, the processor time in seconds"
    )
    swapped_in_pages: int | None = None
    swapped_out_pages: int | None = None
    memory_total_bytes: int
    memory_available_bytes: int = Field(description="MemAvailable at the end of the window")
    memory_limit_bytes: int | None = Field(
        None, description="of the lab's control group; null: only the machine's memory limits it"
    )
    memory_charged_bytes: int | None = Field(
        None, description="memory that counts towards the limit, without file pages that can be dropped"
    )
    quota_throttled_periods: int | None = Field(None, description="periods in which the control group's quota ran out")
    quota_throttled_seconds: float | None = None
    thermal_throttles: int | None = Field(None, description="events of all processors")
    frequencies_hertz: dict[int, float] = Field(
        default_factory=dict,
        description="by processor, the mean over the window (in older records at its end); empty where the kernel "
        "does not report them",
    )
    pressure_seconds: dict[str, float] = Field(
        default_factory=dict,
        description="by cpu, memory and io: seconds in which some task waited for it (PSI); empty where not reported",
    )

    def busy_seconds(self, cpus: Collection[int]) -> float:
        """Processor time of all processes on these processors."""
        return sum(processor.busy_seconds for processor in self.processors if processor.cpu in cpus)

    def kernel_thread_seconds(self, cpus: Collection[int]) -> float:
        """Processor time of the kernel's own threads on these processors; 0 where it is not known."""
        return sum(each.kernel_thread_seconds or 0.0 for each in self.processors if each.cpu in cpus)

    def steal_seconds(self, cpus: Collection[int]) -> float:
        """Time on these processors that the hypervisor gave to other guests."""
        return sum(processor.steal_seconds for processor in self.processors if processor.cpu in cpus)


class NetworkMeter(Strict):
    """TCP of all processes in the lab's network namespace during the window (/proc/net, proc_pid_net(5))."""

    listen_overflows: int | None = Field(None, description="connections that arrived at a full accept queue")
    listen_drops: int | None = Field(None, description="connections that a listener did not accept, for any reason")
    sent_segments: int | None = None
    retransmitted_segments: int | None = None
    loss_probes: int | None = Field(
        None, description="of these, tail loss probes, which are sent without evidence of a loss (TLP, RFC 8985)"
    )
    loss_probe_recoveries: int | None = Field(
        None, description="of the probes, those that replaced a segment that was really lost"
    )
    timeouts: int | None = Field(None, description="retransmission timers that ran out")
    delayed_acks: int | None = Field(
        None, description="acknowledgements sent by the timer for delayed acknowledgements"
    )
    time_wait_sockets: int | None = Field(
        None, description="at the end of the window: closed connections that still hold a local port (TIME_WAIT)"
    )
    ports_lent_again: bool | None = Field(
        None, description="whether the kernel reuses ports on loopback after a second in TIME_WAIT"
    )
    local_ports: int | None = Field(None, description="the number of ports for outgoing connections")
