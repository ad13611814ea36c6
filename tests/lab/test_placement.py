"""Processor sets for load and server."""

import os
from pathlib import Path
from typing import Any

import pytest

from fairtrial.lab.placement import bound_to, local_placement, placed_for
from fairtrial.load.program import ProgramLoad
from fairtrial.record.placement import Placement, topology_in_words
from tests.builders import an_experiment
from tests.lab.meters.machine import FakeMachine

ALONE = [[cpu] for cpu in range(16)]
"""Cores without threads."""
HALVES = [[core, core + 4] for core in range(4)]
"""Four cores as most machines number their threads: the second ones behind all first ones."""
PAIRS = [[2 * core, 2 * core + 1] for core in range(4)]
HYBRID = [*PAIRS, *ALONE[8:]]
"""Four cores with two threads each, and eight without."""
UNITS = {"cpu_core": "0-7", "cpu_atom": "8-15"}


def placed(root: Path, cores: list[list[int]], allowed: list[int] | None = None, **more: Any) -> Placement:
    """On a machine with these cores; `more` is as for `FakeMachine.topology`."""
    FakeMachine(root).topology(cores, **more)
    return local_placement(sorted(cpu for core in cores for cpu in core) if allowed is None else allowed, root)


@pytest.mark.parametrize(
    ("cores", "more", "server", "load", "words"),
    [
        (ALONE[:2], {}, [0], [1], []),
        (ALONE[:2], {"capacities": {0: 1024, 1: 1024}, "nodes": ["0-1"]}, [0], [1], []),
        (ALONE, {"nodes": ["0-15"]}, list(range(12)), [12, 13, 14, 15], []),
        (HALVES, {}, [0, 1, 2, 4, 5, 6], [3, 7], []),
        (PAIRS, {}, [0, 1, 2, 3, 4, 5], [6, 7], []),
        ([[0, 2], [1, 3]], {}, [0, 2], [1, 3], []),
        ([[0, 1]], {}, [0], [1], ["load and server share the core of processors 0, 1"]),
        (
            HYBRID,
            {"units": UNITS},
            list(range(8)),
            [12, 13, 14, 15],
            ["load on efficiency cores, server on performance cores", "neither on 8, 9, 10, 11"],
        ),
        (
            HYBRID,
            {"capacities": {cpu: 1024 if cpu < 8 else 620 for cpu in range(16)}},
            list(range(8)),
            [12, 13, 14, 15],
            ["load on efficiency cores, server on performance cores", "neither on 8, 9, 10, 11"],
        ),
        (
            [*HYBRID[:2], *HYBRID[4:]],
            {"units": {"cpu_core": "0-3", "cpu_atom": "8-15"}},
            list(range(8, 16)),
            [0, 1, 2, 3],
            ["load on performance cores, server on efficiency cores"],
        ),
        (
            [*PAIRS, [8]],
            {"units": {"cpu_core": "0-7", "cpu_atom": "8"}},
            [0, 1, 2, 3, 4, 5],
            [6, 7],
            ["load on performance cores, server on performance cores", "neither on 8"],
        ),
        (
            ALONE,
            {"nodes": ["0-7", "8-15"]},
            list(range(8)),
            [12, 13, 14, 15],
            ["load on NUMA node 1, server on NUMA node 0", "neither on 8, 9, 10, 11"],
        ),
        (
            ALONE,
            {"nodes": ["0-3", "4-7", "8-11", "12-15"]},
            list(range(12)),
            [12, 13, 14, 15],
            ["the server's processors lie on NUMA nodes 0, 1, 2"],
        ),
        (ALONE[:2], {"nodes": ["0", "1"]}, [0], [1], ["load on NUMA node 1, server on NUMA node 0"]),
        (
            ALONE[:2],
            {"capacities": {0: 400, 1: 1024}},
            [1],
            [0],
            ["load on efficiency cores, server on performance cores"],
        ),
    ],
)
def test_load_and_server_have_cores_kinds_and_nodes_of_their_own(
    tmp_path: Path, cores: list[list[int]], more: dict[str, Any], server: list[int], load: list[int], words: list[str]
) -> None:
    placement = placed(tmp_path, cores, **more)
    assert (placement.server_cpus, placement.load_cpus, placement.disjoint) == (server, load, True)
    assert topology_in_words(placement) == words


@pytest.mark.parametrize(
    ("allowed", "server", "load", "shared"),
    [
        ([0, 1, 4], [0, 4], [1], []),
        ([0, 4], [0], [4], [[0, 4]]),
        ([0, 5], [0], [5], []),
        ([2, 3, 6, 7], [2, 6], [3, 7], []),
    ],
)
def test_a_container_has_only_what_it_may_use(
    tmp_path: Path, allowed: list[int], server: list[int], load: list[int], shared: list[list[int]]
) -> None:
    placement = placed(tmp_path, HALVES, allowed)
    assert (placement.server_cpus, placement.load_cpus, placement.shared_cores) == (server, load, shared)


@pytest.mark.parametrize(("allowed", "server", "load"), [([1, 2, 3], [2, 3], [1]), ([0, 1, 2], [0, 1], [2])])
def test_a_core_of_which_one_thread_is_allowed_goes_to_the_load(
    tmp_path: Path, allowed: list[int], server: list[int], load: list[int]
) -> None:
    """In a container that may use half of a core: with the whole one, the load would have more than the server."""
    placement = placed(tmp_path, PAIRS, allowed)
    assert (placement.server_cpus, placement.load_cpus, placement.unused_cpus) == (server, load, [])


def test_cores_that_may_run_a_little_faster_are_of_the_same_kind(tmp_path: Path) -> None:
    """5.8 and 5.5 GHz, as those of one processor with preferred cores."""
    machine = FakeMachine(tmp_path)
    for cpu in range(4):
        hertz = 5_800_000 if cpu < 2 else 5_500_000
        machine.write(f"sys/devices/system/cpu/cpu{cpu}/cpufreq/cpuinfo_max_freq", f"{hertz}\n")
    placement = local_placement(range(4), tmp_path)
    assert (placement.server_cpus, placement.load_cpus, placement.server_kind) == ([0, 1, 2], [3], "")


def test_by_their_highest_frequency_kinds_are_told_apart(tmp_path: Path) -> None:
    """5.1 and 3.3 GHz, as of a processor with compact cores."""
    machine = FakeMachine(tmp_path)
    for cpu in range(6):
        hertz = 3_300_000 if cpu < 2 else 5_100_000
        machine.write(f"sys/devices/system/cpu/cpu{cpu}/cpufreq/cpuinfo_max_freq", f"{hertz}\n")
    placement = local_placement(range(6), tmp_path)
    assert (placement.server_cpus, placement.load_cpus) == ([2, 3, 4, 5], [1])
    assert (placement.server_kind, placement.load_kind, placement.unused_cpus) == ("performance", "efficiency", [0])


def test_what_is_known_of_some_processors_only_tells_none_apart(tmp_path: Path) -> None:
    FakeMachine(tmp_path).topology([], capacities={0: 1024, 1: 400}, nodes=["0-1"])
    placement = local_placement(range(4), tmp_path)
    assert (placement.server_cpus, placement.load_cpus) == ([0, 1, 2], [3])
    assert topology_in_words(placement) == []


def test_of_another_machine_nothing_is_known(tmp_path: Path) -> None:
    FakeMachine(tmp_path).topology(HALVES)
    assert local_placement(range(8), None).load_cpus == [6, 7]


def test_shared_on_purpose_the_cores_are_no_further_matter(tmp_path: Path) -> None:
    placement = placed(tmp_path, HYBRID, units=UNITS).shared()
    assert (placement.load_cpus, placement.load_kind, placement.unused_cpus) == ([0, 1, 2, 3], "performance", [])
    assert topology_in_words(placement) == []


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


def test_where_nobody_offers_load_its_processors_go_to_the_services() -> None:
    apart = Placement(load_cpus=[1], server_cpus=[0], disjoint=True)
    serving = an_experiment("a").record().experiment
    program = serving.model_copy(update={"load": ProgramLoad()})
    assert placed_for(serving, apart).cpus_of_services == [0]
    assert placed_for(program, apart).cpus_of_services == [1]
    assert placed_for(program, apart).server_cpus == [0]
    alone = Placement(load_cpus=[0], server_cpus=[0], disjoint=False)
    elsewhere = Placement(load_cpus=[0, 1], server_cpus=[0], disjoint=True, load_elsewhere=True)
    for without_another in (alone, elsewhere):
        assert placed_for(program, without_another).cpus_of_services == [0]
