"""The machines of a pool: each a record of the same locked experiment, judged again by the reader's own judge.

Locked are the experiment with its claims, the programs, rows and requests under trial, and the versions of lab and
engine. The machine and its system may differ, with the runtimes and products that it has: that is what is pooled over.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.judge.judging import judge_record
from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.read import read_record
from fairtrial.tools.compare.differences import changes

NOT_LOCKED = {"title", "summary", "seed", "blocks", "minutes"}
"""Keys of an experiment that are each machine's own affair: words, the order of trials, and how many there are."""
WITHOUT_DIGEST = ("command", "url")
"""Origins of contenders whose digest is that of the command or the URL, and tells nothing of the program."""


@dataclass(frozen=True)
class Machine:
    """A record, and its result by today's judge."""

    name: str
    record: ExperimentRecord
    result: Result
    signer: str | None = None
    """who signed the record; None: nobody was asked for"""


def locked(record: ExperimentRecord) -> Mapping[str, Mapping[str, object]]:
    """What is the same on all machines of a pool."""
    datasets = {"of all": record.dataset, **record.datasets}
    return {
        "experiment": record.experiment.model_dump(mode="json", exclude=NOT_LOCKED),
        "program": {stack.build_name: stack.content_sha256 for stack in record.stacks},
        "service": {each.name: each.model_dump(include={"variant", "where", "settings"}) for each in record.services},
        "rows": {name: each and [each.sha256, each.rows] for name, each in datasets.items()},
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
        Problem: a record cannot be read, is of another experiment than the first one, or has the trials of another one.
    """
    machines: list[Machine] = []
    lock: Mapping[str, Mapping[str, object]] = {}
    by_trials: dict[str, Path] = {}
    for place, name in zip(places, _names(places), strict=True):
        record, trials = read_record(place)
        other = by_trials.setdefault(_measured(trials), place)
        if other != place:
            raise Problem(f"{place} has the trials of {other}: it is no further machine", "give each run once")
        own = locked(record)
        lock = lock or own
        difference = next((line for what in lock for line in changes(what, lock[what], own[what])), None)
        if difference is not None:
            raise Problem(
                f"{place} is of another experiment than {places[0]}: {difference}",
                "pool runs of one experiment file, by one version of fairtrial",
            )
        machines.append(Machine(name, record, judge_record(record, trials), signers.get(place)))
    return machines


def _measured(trials: Sequence[TrialRecord]) -> str:
    """A digest of what the engine measured: no two runs measure the same."""
    summaries = [trial.engine.model_dump_json() for trial in trials if trial.engine is not None]
    return hashlib.sha256("\n".join(summaries).encode()).hexdigest()


def _names(places: Sequence[Path]) -> list[str]:
    parts = [place.resolve().parts for place in places]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(each[-length:]) for each in parts]
        if len(set(names)) == len(names):
            return names
    raise Problem("a run is given twice", "give each run once")
