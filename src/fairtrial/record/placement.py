"""Cores and NUMA nodes of a placement's record, in words."""

from collections.abc import Sequence

from fairtrial.record.model import Placement


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
