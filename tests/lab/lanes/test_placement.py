"""Which processors load, server and lab have in a lane."""

from dataclasses import replace

from fairtrial.cluster.hosts import Facts, own_facts
from fairtrial.lab.lanes.start import placement_of


def host(machine: str, *cpus: int) -> Facts:
    return replace(own_facts(), boot_id=machine, cpus=cpus)


def test_hosts_of_their_own() -> None:
    placement, lab = placement_of(host("a", 0, 1, 2, 3), host("b", 0, 1))
    assert (placement.server_cpus, placement.load_cpus, list(lab)) == ([0, 1, 2], [0, 1], [3])
    assert placement.disjoint and placement.load_elsewhere and placement.load_cpus_here == []


def test_a_server_with_one_processor_shares_it_with_the_lab() -> None:
    placement, lab = placement_of(host("a", 0), host("b", 0))
    assert (placement.server_cpus, list(lab)) == ([0], [0])


def test_one_machine_is_shared_out_as_without_a_cluster() -> None:
    for load in (None, host("a", 0, 1)):
        placement, lab = placement_of(host("a", 0, 1), load)
        assert (placement.server_cpus, placement.load_cpus, list(lab)) == ([0], [1], [1])
        assert not placement.load_elsewhere


def test_workers_on_processors_of_their_own_of_one_machine() -> None:
    placement, lab = placement_of(host("a", 0, 1), host("a", 2, 3))
    assert (placement.server_cpus, placement.load_cpus, list(lab)) == ([0], [2, 3], [1])
    assert placement.load_cpus_here == [2, 3]
