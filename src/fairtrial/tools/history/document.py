"""A history as JSON."""

from typing import Literal

from pydantic import Field

from fairtrial.base.document import Document
from fairtrial.base.strict import Strict
from fairtrial.report.rows import ResultFigure, figures_of
from fairtrial.tools.history.changes import Changes, FoundDrift, FoundStep
from fairtrial.tools.history.table import History


class RunInHistory(Strict):
    """One run."""

    run: str = Field(description="the name of its folder")
    started_at: str
    figures: list[ResultFigure] = Field(description="those that were asked for, over the blocks of the run")


class ChangeInHistory(Strict):
    """A figure that changed in one run, or drifted over all of them."""

    contender: str
    metric: str = Field(description="the key of the metric")
    ratio: float = Field(description="the new level to the old one; of a drift, its end to its beginning")
    interval: tuple[float, float] | None = Field(description="of the ratio, 95%; null: a drift")
    before: str | None = Field(description="the folder of the last run at the old level; null: a drift")
    run: str | None = Field(description="that of the first run at the new level; null: a drift")
    commit_before: str | None = Field(description="in short; + behind it: files differed from it; null: not known")
    commit: str | None
    besides: list[str] = Field(description="what else differs between both runs, in words")


class HistoryDocument(Document):
    """The runs of one experiment, the earliest first."""

    kind: Literal["fairtrial/history"] = Field("fairtrial/history", alias="schema")
    version: Literal[1] = 1
    experiment: str
    runs: list[RunInHistory]
    changes: list[ChangeInHistory]


def history_document(history: History, changes: Changes) -> HistoryDocument:
    """The document of a history."""
    metrics = {column.metric.name for column in history.columns}
    runs = [
        RunInHistory(
            run=run.name,
            started_at=run.result.started_at,
            figures=[
                figure
                for figure in figures_of(run.result)
                if figure.metric in metrics and figure.block is None and figure.request is None
            ],
        )
        for run in history.runs
    ]
    every = [*map(_step, changes.steps), *map(_drift, changes.drifts)]
    return HistoryDocument(experiment=history.experiment, runs=runs, changes=every)


def _step(step: FoundStep) -> ChangeInHistory:
    return ChangeInHistory(
        contender=step.column.contender,
        metric=step.column.metric.key,
        ratio=step.step.ratio.estimate,
        interval=step.step.ratio.interval,
        before=step.before.name,
        run=step.run.name,
        commit_before=step.before.commit(step.column.condition),
        commit=step.run.commit(step.column.condition),
        besides=step.besides,
    )


def _drift(drift: FoundDrift) -> ChangeInHistory:
    return ChangeInHistory(
        contender=drift.column.contender,
        metric=drift.column.metric.key,
        ratio=drift.ratio,
        interval=None,
        before=None,
        run=None,
        commit_before=None,
        commit=None,
        besides=[],
    )
