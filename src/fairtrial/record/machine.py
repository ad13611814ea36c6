"""What the machine and its network did while a window was measured: the ground under a trial's figures.

What a kernel does not tell is null, never 0.
"""

from collections.abc import Collection

from pydantic import Field

from fairtrial.base.strict import Strict


class ProcessorUse(Strict):
    """One processor's time in the window, by the kernel's ticks (/proc/stat, proc_stat(5))."""

    cpu: int
    busy_seconds: float = Field(description="user, nice and system: of all processes, whoever's they are")
    interrupt_seconds: float = Field(description="irq and softirq")
    steal_seconds: float = Field(description="the hypervisor ran somebody else")


class MachineMeter(Strict):
    """The machine as a whole, from the window's opening to its close."""

    window_seconds: float
    processors: list[ProcessorUse]
    own_server_cpu_seconds: float = Field(
        description="of the lab's process tree, what is bound to the server's processors: stack, services, balancer"
    )
    own_load_cpu_seconds: float = Field(description="the rest of that tree: the load engine and the lab itself")
    swapped_in_pages: int | None = None
    swapped_out_pages: int | None = None
    memory_total_bytes: int
    memory_available_bytes: int = Field(description="MemAvailable at the window's close")
    memory_limit_bytes: int | None = Field(None, description="of the lab's control group; null: none but the machine's")
    memory_charged_bytes: int | None = Field(
        None, description="what counts towards the limit, without file pages that can be dropped"
    )
    quota_throttled_periods: int | None = Field(None, description="periods in which the control group's quota ran out")
    quota_throttled_seconds: float | None = None
    thermal_throttles: int | None = Field(None, description="events of all processors")
    frequencies_hertz: dict[int, float] = Field(
        default_factory=dict, description="by processor, at the window's close; empty where the kernel does not tell"
    )
    pressure_seconds: dict[str, float] = Field(
        default_factory=dict,
        description="by cpu, memory and io: seconds in which some task waited for it (PSI); empty where not told",
    )

    def busy_seconds(self, cpus: Collection[int]) -> float:
        """Processor time of all processes on these processors."""
        return sum(one.busy_seconds for one in self.processors if one.cpu in cpus)

    def steal_seconds(self, cpus: Collection[int]) -> float:
        """What the hypervisor took of these processors."""
        return sum(one.steal_seconds for one in self.processors if one.cpu in cpus)


class NetworkMeter(Strict):
    """TCP in the lab's network namespace over the window, whoever used it (/proc/net, proc_pid_net(5))."""

    listen_overflows: int | None = Field(None, description="connections that found a full accept queue")
    listen_drops: int | None = Field(None, description="connections that a listener did not take, for whatever reason")
    sent_segments: int | None = None
    retransmitted_segments: int | None = None
    loss_probes: int | None = Field(None, description="of these, sent on mere suspicion (TLP, RFC 8985)")
    loss_probe_recoveries: int | None = Field(None, description="of the probes, those that did replace a lost segment")
    timeouts: int | None = Field(None, description="retransmission timers that ran out")
    delayed_acks: int | None = Field(None, description="acknowledgements that the timer of delayed ones sent")
    time_wait_sockets: int | None = Field(
        None, description="at the window's close, closed connections that keep a local port of their own (TIME_WAIT)"
    )
    ports_lent_again: bool | None = Field(None, description="on loopback, after a second in TIME_WAIT")
    local_ports: int | None = Field(None, description="how many the range for outgoing connections has")
