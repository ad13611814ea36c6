"""Which processors load, server and lab have in a lane."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.lab.lanes.divide import Lane, Worker
from fairtrial.lab.lanes.start import assert_disjoint_cpus, placement_of


def host(machine: str, *cpus: int, address: str = "") -> Worker:
    return Worker(address, (), machine, cpus=cpus)


def test_hosts_of_their_own() -> None:
    placement, lab = placement_of(host("a", 0, 1, 2, 3), host("b", 0, 1))
    assert (placement.server_cpus, placement.load_cpus, list(lab)) == ([0, 1, 2], [0, 1], [3])
    assert placement.disjoint and placement.load_elsewhere and placement.load_cpus_here == []


def test_a_server_with_one_processor_shares_it_with_the_lab() -> None:
    placement, lab = placement_of(host("a", 0), host("b", 0))
    assert (placement.server_cpus, list(lab)) == ([0], [0])


def test_one_machine_is_shared_out_as_without_a_cluster() -> None:
    for loads in ([], [host("a", 0, 1)]):
        placement, lab = placement_of(host("a", 0, 1), *loads)
        assert (placement.server_cpus, placement.load_cpus, list(lab)) == ([0], [1], [1])
        assert not placement.load_elsewhere


def test_workers_on_processors_of_their_own_of_one_machine() -> None:
    placement, lab = placement_of(host("a", 0, 1), host("a", 2, 3))
    assert (placement.server_cpus, placement.load_cpus, list(lab)) == ([0], [2, 3], [1])
    assert placement.load_cpus_here == [2, 3]


def test_several_load_hosts_have_as_many_processors_each() -> None:
    placement, lab = placement_of(host("a", 0, 1), host("b", 0, 1, 2), host("c", 4, 5))
    assert (placement.load_cpus, placement.load_hosts, list(lab)) == ([0, 1, 4, 5], 2, [1])
    assert placement.load_elsewhere and placement.load_processors == 4
    assert placement_of(host("a", 0, 1), host("b", 0, 1), host("c", 0, 1))[0].load_processors == 4


def test_several_load_hosts_of_the_servers_machine_share_a_processor() -> None:
    placement, _ = placement_of(host("a", 0, 1), host("a", 0, 1), host("a", 0, 1))
    assert (placement.server_cpus, placement.load_cpus, placement.load_hosts) == ([0], [1, 1], 2)
    assert placement.load_processors == 1


def test_load_hosts_of_another_machine_must_not_share_a_processor() -> None:
    first, second = host("b", 0, 1, address="b1"), host("b", 2, 3, address="b2")
    assert_disjoint_cpus(Lane(1, host("a", 0), (first, second)))
    sharing = (first, host("b", 1, 2, address="b2"))
    with pytest.raises(Problem, match="lane 1: b2 shares processors"):
        assert_disjoint_cpus(Lane(1, host("a", 0), sharing))
    assert_disjoint_cpus(Lane(1, host("b", 4), sharing))
