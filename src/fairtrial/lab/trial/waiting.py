"""Whether the load engine waits awake: where its processors are the load's alone.

A thread that sleeps while it awaits answers is woken late, and that is a part of every figure below saturation. Awake
it takes its whole processor, and whoever else needs that processor would pay for it.
"""

from pathlib import Path

from fairtrial.lab.meters.cgroup import Cgroup
from fairtrial.lab.placement.topology import ROOT, siblings
from fairtrial.load.engine_terms import Wait
from fairtrial.plan.plan import PlannedCondition
from fairtrial.record.placement import Placement


def wait_of(condition: PlannedCondition, placement: Placement) -> Wait:
    """The engine's way to wait for answers in trials of a condition.

    Args:
        placement: of the experiment; a condition that asks for it shares the server's processors.
    """
    return "sleep" if why_asleep(condition, placement) else "awake"


def why_asleep(condition: PlannedCondition, placement: Placement) -> str:
    """Why the engine sleeps while it awaits answers, as the end of a sentence about it; empty where it does not."""
    mode = condition.point.experiment.wait
    if mode is not None:
        return "the experiment asks for it" if mode == "sleep" else ""
    load, effective = condition.load, placement.of_kind(condition.recorded.placement)
    if condition.recorded.distances:
        return "proxies share its processors"
    return shared_with(effective, effective.load_threads(load.threads, load.connections))


def shared_with(placement: Placement, threads: int, root: Path = ROOT) -> str:
    """With whom so many load threads share what they run on: a processor, a core or a quota; empty: with nobody.

    Args:
        root: of the file system; another one in tests.
    """
    if not placement.disjoint:
        return "the server shares its processors"
    if threads > placement.load_processors:
        return "its threads share a processor"
    if placement.load_elsewhere:
        return ""
    if any(set(siblings(cpu, root)) & set(placement.server_cpus) for cpu in placement.load_cpus):
        return "the server shares a core with it"
    quota = Cgroup(root).processors()
    if quota is not None and quota < len({*placement.load_cpus, *placement.server_cpus}):
        return "the server shares a quota of processor time with it"
    return ""
