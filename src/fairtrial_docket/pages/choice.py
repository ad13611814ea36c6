"""The page that answers "What should I use?" by a set: its data. choice.js finds the set."""

import shlex
from collections.abc import Collection, Sequence

from fairtrial.base.formatting import count
from fairtrial.experiment.files import shipped_experiments
from fairtrial_docket.entries import ConditionEntry, ExperimentEntry
from fairtrial_docket.machines import pooled_questions
from fairtrial_docket.questions import COLUMNS, COMPARED, Question, QuestionFigure
from fairtrial_docket.site import Site
from fairtrial_docket.tables import text

NEEDS = ("language", "framework", "licence", "model", "database", "class", "machine")
MATTERS = ("goodput_per_second", "response_time_p99_seconds", "peak_rss_bytes")
"""The figures that matter before a reader says so."""
OWN_FILE = "FILE.toml"
"""What `fairtrial run` takes of an experiment that is not shipped: a file, wherever the reader has it."""


def write_choice(site: Site, entries: Sequence[ExperimentEntry]) -> None:
    """Write it."""
    site.page("choice.html", "choice.html.j2", choice=choice_data(entries))


def choice_data(entries: Sequence[ExperimentEntry]) -> dict[str, object]:
    """The data for choice.js: figures, needs, and each question with its contenders. Those that are put on several
    machines come first; their parts are marked, and answer a reader who chooses a machine."""
    shipped = shipped_experiments()
    pooled = pooled_questions(entries)
    parts = {id(part) for each in pooled for part in each.parts}
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
        "questions": [
            *(_question(each.runs, each.question, each.machines, shipped) for each in pooled),
            *(
                _question([entry], question, 1, shipped, is_part=id(question) in parts)
                for entry in entries
                for question in entry.questions
            ),
        ],
    }


def _question(
    runs: Sequence[ExperimentEntry],
    question: Question,
    machines: int,
    shipped: Collection[str],
    *,
    is_part: bool = False,
) -> dict[str, object]:
    experiment = runs[0].experiment
    by_run = [{each.condition.id: each for each in entry.conditions} for entry in runs]
    return {
        "asked": text(question.in_words),
        "of": [[entry.title, entry.page, entry.started_at, entry.machine, entry.record] for entry in runs],
        "machines": machines,
        "part": is_part,
        "experiment": shlex.quote(experiment) if experiment in shipped else OWN_FILE,
        "blocks": question.blocks,
        "least": question.least_blocks,
        "narrow": [[blocks, round(share, 4)] for blocks, share in question.narrowings],
        "contenders": [
            _contender([conditions[each] for conditions in by_run if each in conditions], question, machines)
            for each in question.figures
        ],
    }


def _contender(in_runs: Sequence[ConditionEntry], question: Question, machines: int) -> list[object]:
    """Name, page, what `--stack` takes, needs, why it has no figure, figures, and where it was refused nevertheless."""
    first = in_runs[0]
    refused = [each.condition for each in in_runs if each.condition.outcome != "valid"]
    reason = text(refused[0].reason or refused[0].outcome) if refused else ""
    if refused and len(in_runs) > 1:
        reason = f"no figure in {len(refused)} of {count(len(in_runs), 'run')}: {reason}"
    traits = {**first.traits, "machine": f"{machines} machines, pooled"} if machines > 1 else first.traits
    needs = [text(traits[name]) for name in NEEDS]
    needs += [text(first.condition.workload), text(question.durable[first.condition.id])]
    figures = question.figures[first.condition.id]
    return [
        text(first.condition.contender),
        first.page,
        shlex.quote(first.contender),
        needs,
        reason if len(refused) == len(in_runs) else "",
        [_figure(figures[key], column.scale) if key in figures else None for key, column in COLUMNS.items()],
        reason if len(refused) < len(in_runs) else "",
    ]


def _figure(figure: QuestionFigure, scale: float) -> list[float | None]:
    values = (figure.estimate, figure.low, figure.high, figure.own, figure.own_low, figure.own_high)
    scaled = [None if value is None else float(f"{scale * value:.5g}") for value in values]
    return [*scaled, figure.disagreeing]
