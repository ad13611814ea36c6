"""The processors to which each role of a run was bound, and how idle ones wait; with cores and NUMA nodes in words."""

from collections.abc import Sequence

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.experiment.model import PlacementKind


class IdleLimit(Strict):
    """How fast idle processors wake up during a run, as far as the lab has a say in it."""

    driver: str = Field(description="of the kernel for idle processors; `none` if it has none")
    wakes_within_microseconds: int | None = Field(
        None, description="what the lab asked the kernel for; 0: they never sleep; null: it did not ask"
    )
    reason: str = Field("", description="why the lab did not ask")

    @property
    def in_words(self) -> str:
        """How idle processors wait, as the end of a sentence about them."""
        if self.wakes_within_microseconds is None:
            return f"sleep as the system decides ({self.reason})"
        if self.wakes_within_microseconds == 0:
            return "stay awake"
        return f"wake within {self.wakes_within_microseconds} µs"


class Placement(Strict):
    """The processors to which each role was bound."""

    load_cpus: list[int] = Field(description="of several load hosts, those of one after the other")
    server_cpus: list[int]
    disjoint: bool
    shared_cores: list[list[int]] = Field(
        default_factory=list,
        description="the processors of each core of which load and server each have a thread; empty in older records, "
        "which did not look",
    )
    load_kind: str = Field(
        "", description="of the load's cores, such as `efficiency`; empty: all are alike, or an older record"
    )
    server_kind: str = Field("", description="of the server's cores, likewise")
    load_nodes: list[int] = Field(
        default_factory=list, description="NUMA nodes of the load's processors; empty: there is one, or an older record"
    )
    server_nodes: list[int] = Field(default_factory=list, description="of the server's processors, likewise")
    unused_cpus: list[int] = Field(
        default_factory=list, description="which the lab might have used, and bound neither of them to"
    )
    service_cpus: list[int] = Field(
        default_factory=list,
        description="of the services, where nobody offers load and they have the load's processors; empty: they share "
        "the server's",
    )
    load_elsewhere: bool = Field(
        False, description="load_cpus are those of other machines, about which the machine's meters say nothing"
    )
    load_hosts: int = Field(1, description="how many hosts load_cpus are of, as many of each")

    @property
    def load_cpus_here(self) -> list[int]:
        """The load generator's processors, as far as they are the machine's that the server runs on."""
        return [] if self.load_elsewhere else self.load_cpus

    @property
    def cpus_of_services(self) -> list[int]:
        """The processors of services on the server's machine."""
        return self.service_cpus or self.server_cpus

    @property
    def role_beside_server(self) -> str:
        """Who has the processors that are the load generator's where one offers load."""
        return "service" if self.service_cpus else "load engine"

    def without_load(self) -> "Placement":
        """This placement where nobody offers load: its processors go to the services, if they are this machine's."""
        if not self.disjoint or self.load_elsewhere:
            return self
        return self.model_copy(update={"service_cpus": self.load_cpus})

    @property
    def load_processors(self) -> int:
        """How many processors the load has: of several workers of one machine, those that they share count once."""
        return len(self.load_cpus) if self.load_elsewhere else len(set(self.load_cpus))

    def load_threads(self, threads: int | None, connections: int) -> int:
        """How many threads of the engine offer a load that asks for so many; None: for as many as there are processors.

        One without a connection would have nothing to do, so never more than connections. Of several hosts, each has
        as many.
        """
        hosts = self.load_hosts
        return min(threads or len(self.load_cpus), connections) // hosts * hosts or hosts

    def load_places(self, threads: int) -> list[int]:
        """The places in `load_cpus` of those to which so many threads are bound, on all hosts alike."""
        of_host = len(self.load_cpus) // self.load_hosts
        used = min(of_host, threads // self.load_hosts)
        return [host * of_host + place for host in range(self.load_hosts) for place in range(used)]

    def of_kind(self, kind: PlacementKind) -> "Placement":
        """This placement, or the shared one where that is asked for."""
        return self.shared() if kind == "shared" else self

    def shared(self) -> "Placement":
        """The load generator on processors of the server, on as many as it has of its own; the server keeps all."""
        shared_cpus = self.server_cpus[: len(self.load_cpus)]
        return Placement(
            load_cpus=shared_cpus,
            server_cpus=self.server_cpus,
            disjoint=False,
            load_kind=self.server_kind,
            server_kind=self.server_kind,
            server_nodes=self.server_nodes,
        )


def cores_shared_in_words(placement: Placement) -> str:
    """`load and server share the core of processors 0, 1`; empty where they share none, or nobody looked."""
    cores = [numbers_in_words(core) for core in placement.shared_cores]
    if not cores:
        return ""
    return f"load and server share the core{'s' if len(cores) > 1 else ''} of processors {' and of '.join(cores)}"


def nodes_in_words(placement: Placement) -> str:
    """`the server's processors lie on NUMA nodes 0, 1, 2, 3`; empty where they lie on one, or nobody looked."""
    nodes = placement.server_nodes
    return f"the server's processors lie on NUMA nodes {numbers_in_words(nodes)}" if len(nodes) > 1 else ""


def topology_in_words(placement: Placement) -> list[str]:
    """How cores and nodes divided the placement, and what could not be held apart; empty where all are alike."""
    kinds, nodes = (placement.load_kind, placement.server_kind), (placement.load_nodes, placement.server_nodes)
    words = [cores_shared_in_words(placement), nodes_in_words(placement)]
    if any(kinds) and placement.disjoint:
        words.append(f"load on {kinds[0]} cores, server on {kinds[1]} cores")
    if nodes[0] and len(nodes[1]) == 1:
        words.append(
            f"load on NUMA node {numbers_in_words(nodes[0])}, server on NUMA node {numbers_in_words(nodes[1])}"
        )
    if placement.unused_cpus:
        words.append(f"neither on {numbers_in_words(placement.unused_cpus)}")
    return [each for each in words if each]


def numbers_in_words(numbers: Sequence[int]) -> str:
    """Processors or nodes: `0, 1, 2`."""
    return ", ".join(map(str, numbers))
