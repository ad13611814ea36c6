"""Classes of stacks: each is ranked apart, tables show them, and verdicts across classes name them."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.report.markdown import markdown_text
from fairtrial.report.terminal import print_result
from tests.builders import an_experiment, trials_of
from tests.judge.claims.scene import served

RATES = {"bare": 4000.0, "barest": 5000.0, "fast": 3000.0, "slow": 1000.0}
CLASSES = {"bare": "engine", "barest": "engine"}


def judged(**classes: str) -> Result:
    experiment = an_experiment(*RATES).claiming("bare", "slow", at_least=2).claiming("fast", "slow", at_least=2)
    record = replace(experiment, classes=classes).record()
    return judge(record, trials_of(record, served(RATES)), interrupted=False)


def printed(result: Result, width: int) -> str:
    file = io.StringIO()
    print_result(result, Console(file=file, width=width))
    return file.getvalue()


def test_each_class_is_ranked_apart() -> None:
    ranks = {condition.stack: condition.rank for condition in judged(**CLASSES).conditions}
    assert ranks == {"barest": (1, 1), "bare": (2, 2), "fast": (1, 1), "slow": (2, 2)}
    ranks = {condition.stack: condition.rank for condition in judged().conditions}
    assert ranks == {"barest": (1, 1), "bare": (2, 2), "fast": (3, 3), "slow": (4, 4)}


def test_a_verdict_across_classes_names_them(snapshot: object) -> None:
    across, within = judged(**CLASSES).claims
    assert (across.verdict, across.stack_classes) == ("upheld", {"bare": "engine", "slow": "production"})
    assert across.sentence == snapshot
    assert "class" not in within.sentence and within.stack_classes == {}


@pytest.mark.parametrize(("width", "mark", "marks"), [(60, "\nengine", 2), (80, "\nengine", 1), (130, " engine ", 2)])
def test_the_table_shows_classes_one_after_the_other(width: int, mark: str, marks: int) -> None:
    text = printed(judged(**CLASSES), width)
    table = text.split("Claims")[0]
    places = [table.index(f"\n{name}") for name in ("fast", "slow", "barest", "bare ")]
    assert places == sorted(places)
    assert table.count(mark) == marks, "at 80 columns, a class stands above its rows"
    assert "each class is ranked apart" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= width


def test_where_all_are_as_one_would_deploy_them_no_class_is_shown() -> None:
    assert "class" not in printed(judged(), 130)
    assert "| class |" not in markdown_text(judged())
    assert "| bare (work not proven) | engine | 2 |" in markdown_text(judged(**CLASSES))
