"""Runs of one locked experiment on several machines: which may be pooled, and their claims, pooled as `fairtrial pool`
pools them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairtrial.judge.statistics.random_effects import lies_by_default
from fairtrial.tools.pool.claims import pool_claims
from fairtrial.tools.pool.document import PoolDocument, pool_document
from fairtrial.tools.pool.machines import by_host, trials_of_another
from fairtrial_docket.entries import ExperimentEntry


@dataclass(frozen=True)
class RunsOfLock:
    """All runs of one lock."""

    fit: list[ExperimentEntry] = field(default_factory=list)
    left_out: list[tuple[ExperimentEntry, str]] = field(default_factory=list)
    """with the reason"""


@dataclass(frozen=True)
class Pool:
    """The claims of one lock over machines."""

    document: PoolDocument
    by_machine: Mapping[str, ExperimentEntry]
    """by the name that the document has for a machine, its first run"""
    left_out: Sequence[tuple[ExperimentEntry, str]]


def runs_of_locks(entries: Sequence[ExperimentEntry]) -> list[RunsOfLock]:
    """The runs by their locks. One that `fairtrial pool` would refuse is left out."""
    by_lock: dict[str, RunsOfLock] = defaultdict(RunsOfLock)
    by_trial: dict[str, dict[str, str]] = defaultdict(dict)
    for entry in entries:
        if not entry.lock:
            continue
        why = trials_of_another(entry.measured, by_trial[entry.lock]) or entry.unfit
        by_trial[entry.lock] |= dict.fromkeys(entry.measured, entry.name)
        if why:
            by_lock[entry.lock].left_out.append((entry, why))
        else:
            by_lock[entry.lock].fit.append(entry)
    return list(by_lock.values())


def pools_of(entries: Sequence[ExperimentEntry]) -> Mapping[str, Pool]:
    """By its lock, what was run on several machines, of which one may lie where there are four or more."""
    pools = {}
    for runs in runs_of_locks(entries):
        machines = by_host([entry.run for entry in runs.fit if entry.run is not None])
        hosts = {entry.identity for entry in [*runs.fit, *(entry for entry, _ in runs.left_out)]}
        if machines and len(hosts) > 1:
            lies = lies_by_default(len(machines))
            document = pool_document(machines, pool_claims(machines, lies), lies)
            pools[runs.fit[0].lock] = Pool(document, {entry.name: entry for entry in runs.fit}, runs.left_out)
    return pools
