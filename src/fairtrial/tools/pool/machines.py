"""The machines of a pool: each with its records of one locked experiment, judged again by the reader's own judge.

Locked are the experiment with its claims, the programs, rows and requests under trial, and the versions of lab and
engine. The machine and its system may differ, with the runtimes and products that it has: that is what is pooled over.

A machine is known by the digest of its machine-id, with what else its record says of it: one that is held to fewer
processors, or has another kernel, is another one. Containers have no machine-id: runs of hosts alike are one machine
then. Its runs are one, with the mean of their figures.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.judge.judging import judge_record
from fairtrial.judge.model import ClaimResult, Result
from fairtrial.record.identity import Host
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.read import read_record
from fairtrial.tools.compare.differences import changes
from fairtrial.tools.pool.contradictions import contradiction
from fairtrial.tools.pool.explain import properties_of

NOT_LOCKED = {"title", "summary", "seed", "blocks", "minutes"}
"""Keys of an experiment that are each machine's own affair: words, the order of trials, and how many there are."""
RATIOS = ("ratio", "equal")
"""Kinds of claims whose figure is a ratio: what moves a whole machine moves both of its sides."""
WITHOUT_DIGEST = ("command", "url")
"""Origins of contenders whose digest is that of the command or the URL, and tells nothing of the program."""


@dataclass(frozen=True)
class Machine:
    """A machine, with one record, and what today's judge finds in all of its records."""

    name: str
    record: ExperimentRecord
    result: Result
    properties: Mapping[str, str]
    """of it and its system: what may move a ratio"""
    runs: int = 1
    signers: Sequence[str] = ()
    """who signed its records; empty: nobody was asked for"""


def locked(record: ExperimentRecord) -> Mapping[str, Mapping[str, object]]:
    """The part of a record that is the same on all machines of a pool."""
    datasets = {"of all": record.dataset, **record.datasets}
    return {
        "experiment": record.experiment.model_dump(mode="json", exclude=NOT_LOCKED),
        "program": {stack.build_name: stack.content_sha256 for stack in record.stacks},
        "service": {each.name: each.model_dump(include={"variant", "where", "settings"}) for each in record.services},
        "rows": {name: each and [each.sha256, each.rows] for name, each in datasets.items()},
        "condition": {each.id: each.model_dump(mode="json") for each in record.conditions},
        "requests": {"of the workload file": record.own_workload and record.own_workload.sha256},
        "lab": {"fairtrial": record.fairtrial_version, "engine": record.engine_version},
    }


def lock_digest(record: ExperimentRecord) -> str:
    """SHA-256 of what is locked: people who are to run the same agree on it."""
    return hashlib.sha256(json.dumps(locked(record), sort_keys=True).encode()).hexdigest()


def without_digest(record: ExperimentRecord) -> list[str]:
    """The contenders whose program may be another one on each machine."""
    return [stack.build_name for stack in record.stacks if stack.origin in WITHOUT_DIGEST]


def read_machines(places: Sequence[Path], signers: Mapping[Path, str]) -> list[Machine]:
    """Each record judged again, named by its folder, or by as much of its path as tells it from the others.

    Raises:
        Problem: a record cannot be read or judged, is of another experiment than the first one, has a trial twice or
            one of another run, or contradicts itself.
    """
    machines: list[Machine] = []
    lock: Mapping[str, Mapping[str, object]] = {}
    by_trial: dict[str, str] = {}
    for place, name in zip(places, _names(places), strict=True):
        record, trials = read_record(place)
        own = locked(record)
        lock = lock or own
        difference = next((line for what in lock for line in changes(what, lock[what], own[what])), None)
        if difference is not None:
            raise Problem(
                f"{place} is of another experiment than {places[0]}: {difference}",
                "pool runs of one experiment file, by one version of fairtrial",
            )
        measured = measured_digests(trials)
        if (what := trials_of_another(measured, by_trial)) is not None:
            raise Problem(f"{place} {what}", "give each run once")
        by_trial |= dict.fromkeys(measured, str(place))
        if (what := unfit(trials)) is not None:
            raise Problem(f"{place} {what}", "leave it out: no run has such figures")
        who = [signers[place]] if place in signers else []
        result = judged(place, record, trials)
        machines.append(Machine(name, record, result, properties_of(record, trials), signers=who))
    return by_host(machines)


def trials_of_another(measured: Sequence[str], by_trial: Mapping[str, str]) -> str | None:
    """Of which run it has trials, in words; None: of none.

    Args:
        measured: the digests of its trials.
        by_trial: by digest, the runs before it.
    """
    other = next((by_trial[digest] for digest in measured if digest in by_trial), None)
    return None if other is None else f"has the trials of {other}: it is no further machine"


def unfit(trials: Sequence[TrialRecord]) -> str | None:
    """Why a run is in no pool, as its trials alone show; None if it may be."""
    measured = measured_digests(trials)
    if len(set(measured)) < len(measured):
        return "has a trial twice: no two measure the same"
    what = contradiction(trials)
    return None if what is None else f"contradicts itself: {what}"


def by_host(runs: Sequence[Machine]) -> list[Machine]:
    """Runs of one lock, those of one machine as one."""
    by_machine: dict[Host, list[Machine]] = defaultdict(list)
    for run in runs:
        by_machine[run.record.host].append(run)
    return [_together(each) for each in by_machine.values()]


def judged(place: Path, record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Result:
    """By today's judge, whose checks rest on records as runs write them.

    Raises:
        Problem: the record is none that a run writes.
    """
    try:
        return judge_record(record, trials)
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        why = printable(f"{type(error).__name__}: {error}", 200)
        raise Problem(f"{place} cannot be judged: {why}", "leave it out: no run writes such a record") from error


def _together(runs: Sequence[Machine]) -> Machine:
    """The runs of one machine as one, which has the name of the first."""
    if len(runs) == 1:
        return runs[0]
    claims = [_mean(each) for each in zip(*(run.result.claims for run in runs), strict=True)]
    blocks = sum(run.result.blocks_complete for run in runs)
    result = runs[0].result.model_copy(update={"claims": claims, "blocks_complete": blocks})
    signers = list(dict.fromkeys(name for run in runs for name in run.signers))
    return replace(runs[0], result=result, runs=len(runs), signers=signers)


def _mean(claims: Sequence[ClaimResult]) -> ClaimResult:
    """One claim of several runs: the geometric mean of figures and of ends, and their verdict if they agree.

    The interval is as wide as theirs: what a machine has in all of its runs, more of them do not tell.
    """
    verdict = claims[0].verdict if len({each.verdict for each in claims}) == 1 else "undecided"
    ends = [each.interval for each in claims if each.kind in RATIOS and each.interval is not None]
    estimates = [each.estimate for each in claims if each.estimate is not None]
    if len(ends) < len(claims) or len(estimates) < len(claims):
        without = {"estimate": None, "interval": None} if claims[0].kind in RATIOS else {}
        return claims[0].model_copy(update={"verdict": verdict, **without})
    return claims[0].model_copy(
        update={
            "verdict": verdict,
            "estimate": geometric_mean(estimates),
            "interval": (
                geometric_mean(low for low, _ in ends) if min(ends)[0] > 0 else 0.0,
                geometric_mean(high for _, high in ends),
            ),
            "estimate_is_lower_bound": any(each.estimate_is_lower_bound for each in claims),
            "interval_open_above": any(each.interval_open_above for each in claims),
            "blocks": min(each.blocks for each in claims),
        }
    )


def measured_digests(trials: Sequence[TrialRecord]) -> list[str]:
    """For each trial with figures a digest of what was measured: no two trials measure the same."""
    figures = [trial.engine or trial.program for trial in trials]
    return [hashlib.sha256(each.model_dump_json().encode()).hexdigest() for each in figures if each is not None]


def _names(places: Sequence[Path]) -> list[str]:
    parts = [place.resolve().parts for place in places]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(each[-length:]) for each in parts]
        if len(set(names)) == len(names):
            return names
    raise Problem("a run is given twice", "give each run once")
