"""A history as JSON."""

from typing import Literal

from pydantic import Field

from fairtrial.base.document import Document
from fairtrial.base.strict import Strict
from fairtrial.report.rows import Figure, figures_of
from fairtrial.tools.history.table import History


class RunInHistory(Strict):
    """One run."""

    run: str = Field(description="the name of its folder")
    started_at: str
    figures: list[Figure] = Field(description="those that were asked for, over the blocks of the run")


class HistoryDocument(Document):
    """The runs of one experiment, the earliest first."""

    kind: Literal["fairtrial/history"] = Field("fairtrial/history", alias="schema")
    version: Literal[1] = 1
    experiment: str
    runs: list[RunInHistory]


def history_document(history: History) -> HistoryDocument:
    """The document of a history."""
    metrics = {column.metric.name for column in history.columns}
    runs = [
        RunInHistory(
            run=name,
            started_at=result.started_at,
            figures=[
                figure
                for figure in figures_of(result)
                if figure.metric in metrics and figure.block is None and figure.request is None
            ],
        )
        for name, result in history.runs
    ]
    return HistoryDocument(experiment=history.experiment, runs=runs)
