"""Processor sets for load and server."""

import os

from fairtrial.lab.placement import bound_to, local_placement


def test_two_processors_are_shared_out() -> None:
    placement = local_placement([0, 1])
    assert (placement.server_cpus, placement.load_cpus, placement.disjoint) == ([0], [1], True)


def test_one_processor_is_shared_and_said_to_be() -> None:
    placement = local_placement([3])
    assert (placement.server_cpus, placement.load_cpus, placement.disjoint) == ([3], [3], False)


def test_the_load_gets_a_quarter() -> None:
    placement = local_placement(range(16))
    assert placement.load_cpus == [12, 13, 14, 15]
    assert placement.server_cpus == list(range(12))


def test_the_lab_is_bound_only_for_a_while() -> None:
    before = os.sched_getaffinity(0)
    with bound_to([min(before)]):
        assert os.sched_getaffinity(0) == {min(before)}
    assert os.sched_getaffinity(0) == before


def test_a_shared_placement_takes_nothing_from_the_server_but_time() -> None:
    """The generator is as large as before, and the server has the processors that it had."""
    shared = local_placement(range(16)).shared()
    assert (shared.load_cpus, shared.server_cpus, shared.disjoint) == ([0, 1, 2, 3], list(range(12)), False)
    assert shared.shared() == shared
    assert local_placement([3]).shared() == local_placement([3])
