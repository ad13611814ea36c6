"""One line a run, one column for each metric of each condition."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.judge.metrics import Metric
from fairtrial.judge.model import Result
from fairtrial.record.processes import MemoryKind

TIME = "time"
RUN = "run"
COLUMNS = {
    TIME: "when the run began",
    RUN: "the name of its folder",
    "CONDITION FIGURE": "for each figure of each condition, such as `rust-axum goodput_per_second`: the median over "
    "the blocks of the run, judged by today's checks; empty where the run has no such figure, or refused it",
}
"""The columns of a history, and their meanings."""


@dataclass(frozen=True)
class FigureSeries:
    """A figure of one condition over all runs."""

    condition: str
    metric: Metric

    @property
    def name(self) -> str:
        """The name of a column and of the metric in a detector's output: `rust-axum goodput_per_second`."""
        return f"{self.condition} {self.metric.key}"

    def value(self, result: Result) -> float | None:
        """The median over blocks, in the metric's unit; None where the run has no such figure, or refused it."""
        condition = next((each for each in result.conditions if each.id == self.condition), None)
        figure = None if condition is None else condition.figures.get(self.metric.key)
        return None if figure is None else figure.estimate


@dataclass(frozen=True)
class History:
    """The runs of one experiment, the earliest first."""

    experiment: str
    runs: Sequence[tuple[str, Result]]
    """The name of each run's folder, and its result."""
    columns: Sequence[FigureSeries]
    """Those with a figure in at least one run, in the order in which the runs have them."""

    def gaps(self, column: FigureSeries) -> int:
        """How many runs have no such figure."""
        return sum(column.value(result) is None for _, result in self.runs)


def history_of(runs: Sequence[tuple[str, Result]], metrics: Sequence[Metric]) -> History:
    """The history of these runs.

    Raises:
        Problem: they are not of one experiment, or none of them has one of these figures.
    """
    names = list(dict.fromkeys(result.name for _, result in runs))
    if len(names) > 1:
        raise Problem(f"runs of {len(names)} experiments: {', '.join(names)}", "export the runs of one at a time")
    ordered = sorted(runs, key=lambda run: datetime.fromisoformat(run[1].started_at))
    conditions = dict.fromkeys(condition.id for _, result in ordered for condition in result.conditions)
    columns = [FigureSeries(condition, metric) for condition in conditions for metric in metrics]
    present = [column for column in columns if any(column.value(result) is not None for _, result in ordered)]
    if not present:
        raise Problem(
            "no run has one of these figures",
            f"choose others than {', '.join(metric.name for metric in metrics)} by --metric, or look at the findings "
            "of the runs: fairtrial judge RUN",
        )
    if any(column.metric.read_kind is not None for column in present):
        _assert_alike(ordered)
    return History(names[0], ordered, present)


def _assert_alike(runs: Sequence[tuple[str, Result]]) -> None:
    """Raise Problem if the memory of stacks was read in one way in some of these runs, and in another in others."""
    kinds = {
        name: {trial.server.memory_kind for each in result.conditions for trial in each.trials if trial.server}
        for name, result in runs
    }
    if len(set().union(*kinds.values())) > 1:
        resident = [name for name, of_run in kinds.items() if MemoryKind.RESIDENT in of_run]
        raise Problem(
            f"memory is the sum of resident set sizes in {count(len(resident), 'run')}, {resident[-1]} the last, and "
            "of proportional ones in others",
            "export memory of runs whose record has one `memory_kind`: the change would be one of how it is read",
        )


def csv_text(history: History) -> str:
    """A line a run: when it began (ISO 8601), its folder's name, and its figures; empty where there is none."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([TIME, RUN, *(column.name for column in history.columns)])
    for name, result in history.runs:
        values = [column.value(result) for column in history.columns]
        writer.writerow([result.started_at, name, *("" if value is None else repr(value) for value in values)])
    return file.getvalue()
