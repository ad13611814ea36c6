"""A stack that breaks the contract does other work than its rivals."""

from collections.abc import Iterator, Mapping, Sequence

from fairtrial.judge.checks.model import Check, Found
from fairtrial.record.model import ExperimentRecord, TrialRecord


def examine(
    experiment: ExperimentRecord, trials: Sequence[TrialRecord], thresholds: Mapping[str, float]
) -> Iterator[Found]:
    """One refusal for each clause that failed, and one if SIGTERM did not end the stack."""
    del experiment, thresholds
    for trial in trials:
        for clause in trial.contract:
            if not clause.passed:
                yield Found(trial.index, "refusal", f"{clause.name}: {clause.requirement}; seen: {clause.evidence}")
        if trial.stop is not None and trial.stop.forced:
            yield Found(
                trial.index,
                "refusal",
                f"SIGTERM did not end the stack: it was killed after {trial.stop.seconds:.1f} s",
                "let the program exit on SIGTERM within 5 s: stop listening, finish what is in flight, close the pool",
            )


CHECK = Check(
    name="contract",
    looks_at="the clauses tried on the running stack before the load, and how the stack ended when it was told to",
    thresholds={},
    remedy="mend the stack until `fairtrial check STACK` passes every clause",
    examine=examine,
)
