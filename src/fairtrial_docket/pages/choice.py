"""The page that answers "What should I use?" by a set: its data. choice.js finds the set."""

import shlex
from collections.abc import Collection, Sequence

from fairtrial.experiment.files import shipped_experiments
from fairtrial_docket.entries import ConditionEntry, ExperimentEntry
from fairtrial_docket.questions import COLUMNS, COMPARED, Question, QuestionFigure
from fairtrial_docket.site import Site
from fairtrial_docket.tables import text

NEEDS = ("language", "framework", "model", "database", "class", "machine")
MATTERS = ("goodput_per_second", "response_time_p99_seconds", "peak_rss_bytes")
"""The figures that matter before a reader says so."""
OWN_FILE = "FILE.toml"
"""What `fairtrial run` takes of an experiment that is not shipped: a file, wherever the reader has it."""


def write_choice(site: Site, entries: Sequence[ExperimentEntry]) -> None:
    """Write it."""
    site.page("choice.html", "choice.html.j2", choice=choice_data(entries))


def choice_data(entries: Sequence[ExperimentEntry]) -> dict[str, object]:
    """What choice.js takes: figures, needs, and each question with its contenders."""
    shipped = shipped_experiments()
    return {
        "needs": [*NEEDS, "workload", "durable"],
        "figures": [
            {
                "name": f"{column.title} {column.unit}",
                "more": COMPARED[key].higher_is_better,
                "matters": key in MATTERS,
            }
            for key, column in COLUMNS.items()
        ],
        "questions": [_question(entry, question, shipped) for entry in entries for question in entry.questions],
    }


def _question(entry: ExperimentEntry, question: Question, shipped: Collection[str]) -> dict[str, object]:
    return {
        "asked": text(question.in_words),
        "of": [entry.title, entry.page, entry.started_at, entry.machine],
        "experiment": shlex.quote(entry.experiment) if entry.experiment in shipped else OWN_FILE,
        "blocks": question.blocks,
        "least": question.least_blocks,
        "narrow": [[blocks, round(share, 4)] for blocks, share in question.narrowings],
        "contenders": [
            _contender(each, question) for each in entry.conditions if each.condition.id in question.figures
        ],
    }


def _contender(entry: ConditionEntry, question: Question) -> list[object]:
    """Name, page, what `--stack` takes, needs, why it has no figure, figures."""
    condition = entry.condition
    reason = "" if condition.outcome == "valid" else text(condition.reason or condition.outcome)
    needs = [text(entry.traits[name]) for name in NEEDS]
    needs += [text(condition.workload), text(question.durable[condition.id])]
    figures = question.figures[condition.id]
    return [
        text(condition.contender),
        entry.page,
        shlex.quote(entry.contender),
        needs,
        reason,
        [_figure(figures[key], column.scale) if key in figures else None for key, column in COLUMNS.items()],
    ]


def _figure(figure: QuestionFigure, scale: float) -> list[float | None]:
    values = (figure.estimate, figure.low, figure.high, figure.own, figure.own_low, figure.own_high)
    return [None if value is None else float(f"{scale * value:.5g}") for value in values]
