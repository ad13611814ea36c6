"""A workload that only reads must leave the rows as they were."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each trial after which the dataset was not what it had been."""
    for trial in case.trials:
        if trial.dataset_altered:
            yield case.finding(trial.index, "refusal", "the dataset after the trial differs from the one before it")


CHECK = Check(
    name="dataset-altered",
    looks_at="the dataset's content after the trial, compared with its content before",
    thresholds={},
    remedy="open the database read-only in workloads that only read; do not add indices, columns or journal modes",
    examine=examine,
)
