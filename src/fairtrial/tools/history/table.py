"""One line a run, one column for each metric of each condition."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fairtrial.base.csv_text import csv_table
from fairtrial.base.formatting import count
from fairtrial.base.problem import Problem
from fairtrial.judge.metrics import Metric
from fairtrial.judge.model import ConditionResult, Result
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.record.model import ExperimentRecord
from fairtrial.record.processes import MemoryKind

TIME = "time"
RUN = "run"
SHORT_COMMIT = 7
"""Characters of a hash, as git shortens it in repositories of usual size."""
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
    """its id"""
    contender: str
    """as the experiment names it"""
    metric: Metric

    @property
    def name(self) -> str:
        """The name of a column and of the metric in a detector's output: `rust-axum goodput_per_second`."""
        return f"{self.condition} {self.metric.key}"

    def figure(self, result: Result) -> Estimate | None:
        """The median over blocks, in the metric's unit, with its interval; None: the run has none, or refused it."""
        condition = self._in(result)
        return None if condition is None else condition.figures.get(self.metric.key)

    def value(self, result: Result) -> float | None:
        """`figure`, without its interval."""
        figure = self.figure(result)
        return None if figure is None else figure.estimate

    def why_none(self, result: Result) -> str:
        """Why a run has no such figure, in a few words."""
        condition = self._in(result)
        if condition is None:
            return "not in this run"
        if condition.outcome == "valid":
            return "not measured, or too few samples"
        return f"{condition.outcome}: {condition.reason}" if condition.reason else condition.outcome

    def _in(self, result: Result) -> ConditionResult | None:
        return next((each for each in result.conditions if each.id == self.condition), None)


@dataclass(frozen=True)
class Run:
    """A run of the experiment."""

    name: str
    """of its folder"""
    record: ExperimentRecord
    result: Result

    def commit(self, condition: str) -> str | None:
        """The commit that the condition with this id tried, in short; with `+` if files differed from it.

        None where the record does not know it.
        """
        mine = next((each for each in self.record.conditions if each.id == condition), None)
        if mine is None:
            return None
        builds = {stack.build_name: stack for stack in self.record.stacks}
        stack = builds.get(f"{mine.stack}:{mine.variant}") or builds.get(mine.stack)
        if stack is None or stack.tried_commit is None:
            return None
        return stack.tried_commit[:SHORT_COMMIT] + ("+" if stack.has_changes else "")


@dataclass(frozen=True)
class History:
    """The runs of one experiment, the earliest first."""

    experiment: str
    runs: Sequence[Run]
    columns: Sequence[FigureSeries]
    """Those with a figure in at least one run, in the order in which the runs have them."""

    def gaps(self, column: FigureSeries) -> int:
        """How many runs have no such figure."""
        return sum(column.value(run.result) is None for run in self.runs)


def history_of(runs: Sequence[Run], metrics: Sequence[Metric]) -> History:
    """The history of these runs.

    Raises:
        Problem: they are not of one experiment, or none of them has one of these figures.
    """
    names = list(dict.fromkeys(run.result.name for run in runs))
    if len(names) > 1:
        raise Problem(f"runs of {len(names)} experiments: {', '.join(names)}", "export the runs of one at a time")
    ordered = sorted(runs, key=lambda run: datetime.fromisoformat(run.result.started_at))
    contenders = {condition.id: condition.contender for run in ordered for condition in run.result.conditions}
    columns = [FigureSeries(*condition, metric) for condition in contenders.items() for metric in metrics]
    present = [column for column in columns if any(column.value(run.result) is not None for run in ordered)]
    if not present:
        raise Problem(
            "no run has one of these figures",
            f"choose others than {', '.join(metric.name for metric in metrics)} by --metric, or look at the findings "
            "of the runs: fairtrial judge RUN",
        )
    if any(column.metric.read_kind is not None for column in present):
        _assert_alike(ordered)
    return History(names[0], ordered, present)


def _assert_alike(runs: Sequence[Run]) -> None:
    """Raise Problem if the memory of stacks was read in one way in some of these runs, and in another in others."""
    kinds = {
        run.name: {trial.server.memory_kind for each in run.result.conditions for trial in each.trials if trial.server}
        for run in runs
    }
    if len(set().union(*kinds.values())) > 1:
        resident = [name for name, of_run in kinds.items() if MemoryKind.RESIDENT in of_run]
        raise Problem(
            f"memory is the sum of resident set sizes in {count(len(resident), 'run')}, {resident[-1]} the last, and "
            "of proportional ones in others",
            "export memory of runs whose record has one `memory_kind`: the change would be one of how it is read",
        )


def history_csv(history: History) -> str:
    """A line a run: when it began (ISO 8601), its folder's name, and its figures; empty where there is none."""
    return csv_table(
        [TIME, RUN, *(column.name for column in history.columns)],
        (
            [run.result.started_at, run.name, *(column.value(run.result) for column in history.columns)]
            for run in history.runs
        ),
    )
