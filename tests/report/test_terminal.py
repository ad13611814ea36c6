import io
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.record.proof import Ledger
from fairtrial.report.grouping import ranged
from fairtrial.report.terminal import print_result
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.report.scene import judged


def printed(result: Result, width: int, *, terminal: bool = False, no_color: bool = False, verbose: bool = True) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, no_color=no_color, legacy_windows=False)
    print_result(result, console, Path("results/it/report.html"), verbose=verbose)
    return file.getvalue()


@pytest.fixture(scope="module")
def result() -> Result:
    return judged()[0]


@pytest.mark.parametrize("width", [80, 120, 200])
def test_everything_is_there_and_nothing_is_wider_than_the_terminal(result: Result, width: int) -> None:
    text = printed(result, width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    joined = " ".join(text.split())
    for words in (
        "load: closed, 16 connections, keep-alive; 3 s after 1 s of warm-up",
        "goodput/s",
        "node-http:two",
        "upheld claim-1",
        "refuted claim-2",
        "undecided claim-3",
        "asked: at least 0.95",
        "refusal errors, python-threads, trials 9 and 19",
        "warning placement-shared, the experiment",
        "note errors, the experiment share is 0.002 here, default 0.001",
        "not run bun-serve, trials 5, 10, 15, 20 and 25 bun was not found → install Bun",
        "report: results/it/report.html",
    ):
        assert words in joined


@pytest.mark.parametrize("width", [80, 120])
def test_rows_are_sorted_by_goodput_with_those_without_at_the_end(result: Result, width: int) -> None:
    table = printed(result, width).split("Claims")[0]
    places = [
        table.index(f"\n{name}")
        for name in ("rust-axum", "go-net-http", "node-http:two", "python-threads", "bun-serve")
    ]
    assert places == sorted(places)


def test_figures_stand_in_one_line_where_there_is_room(result: Result) -> None:
    (row,) = [line for line in printed(result, 120).splitlines() if line.startswith("go-net-http")]
    name, _rank, rate, low, to, high, *_, outcome = row.split()
    assert (name, to, outcome) == ("go-net-http", "to", "valid")
    assert low < rate < high  # all of five digits


def test_a_refused_condition_shows_no_figure_and_no_zero(result: Result) -> None:
    (row,) = [line for line in printed(result, 120).splitlines() if line.startswith("python-threads")]
    assert row.split() == ["python-threads", *["–"] * 8, "refused"]


def test_the_server_cannot_command_the_terminal(result: Result) -> None:
    text = printed(result, 120)
    assert "\x1b" not in text
    assert "\\x1b[2J" in text


def test_without_colour_there_is_none(result: Result) -> None:
    assert "\x1b[3" not in printed(result, 80, terminal=True, no_color=True)
    assert "\x1b[" in printed(result, 80, terminal=True)


def test_markup_in_a_text_is_text() -> None:
    record = an_experiment("a", "b").but(title="[red]what[/red] [link=x]").record()
    result = judge(record, trials_of(record, a_trial()), interrupted=False)
    assert "[red]what[/red] [link=x]" in printed(result, 80)


def test_an_interrupted_run_says_how_far_it_came() -> None:
    record = an_experiment("a", "b").record()
    result = judge(record, trials_of(record, lambda name, block: a_trial() if block <= 2 else None), interrupted=True)
    assert "interrupted: 2 of 5 blocks complete" in printed(result, 80)


def test_a_result_without_a_trial_can_be_printed() -> None:
    text = printed(judge(an_experiment("a").record(), [], interrupted=False), 80)
    assert "it was never tried" in text


BUSY = a_trial().on_machine(memory_available_bytes=400 * 2**20)


@pytest.mark.parametrize("width", [80, 100])
def test_without_verbose_a_result_is_a_screen_and_says_all_that_asks_for_something(width: int) -> None:
    """Five stacks, five blocks: short windows, a ledger in each trial, memory that runs short, a refused trial."""
    names = ["rust-axum", "go-nethttp", "node-http", "python-fastapi", "python-flask"]
    experiment = an_experiment(*names)
    for first, second in pairwise(names):
        experiment = experiment.claiming(first, second, at_least=1.1)
    record = experiment.record()

    def make(name: str, block: int) -> TrialBuilder:
        made = BUSY if block in (2, 4) else a_trial()
        wrong = {"status_5xx": 300} if (name, block) == ("python-flask", 3) else {}
        return made.serving(16_000 / 2 ** names.index(name) + 7 * block).erring(**wrong)

    trials = [
        trial.model_copy(update={"ledger": Ledger(done={"reads": 9_000 + trial.index}, verified=9_000, answers=9_000)})
        for trial in trials_of(record, make)
    ]
    result = judge(record, trials, interrupted=False)
    brief, whole = printed(result, width, verbose=False), printed(result, width)
    assert len(brief.splitlines()) <= 60 < len(whole.splitlines())
    joined = " ".join(brief.split())
    assert "warning memory-short, in 10 trials: rust-axum (2), go-nethttp (2), node-http (2)" in joined
    assert "refusal errors, in 1 trial: python-flask (1)" in joined
    assert "ledger" not in joined and "more in the report (--verbose)" in joined
    assert "ledger" in whole
    asking = {
        finding.check
        for condition in result.conditions
        for trial in condition.trials
        for finding in trial.findings
        if not finding.asks_nothing
    }
    assert all(check in joined for check in asking)


def test_numbers_that_differ_are_a_range() -> None:
    texts = ["1.01 calls (55,451 for 54,935)", "1.06 calls (3,403 for 3,210)", "1.00 calls (3,403 for 9,999)"]
    assert ranged(texts) == "1.00 to 1.06 calls (3,403 to 55,451 for 3,210 to 54,935)"
    assert ranged(["the same"] * 3) == "the same"
    assert ranged(["one thing", "another 2", "another 3"]) == "one thing (and 2 more like it)"


@pytest.mark.parametrize("width", [45, 60, 72, 80])
def test_however_narrow_names_and_outcomes_are_in_one_piece(result: Result, width: int) -> None:
    text = printed(result, width)
    table = text.split("goodput: verified answers only")[0]
    assert max(map(len, text.splitlines())) <= width
    for condition in result.conditions:
        assert condition.contender in table
    for outcome in ("valid", "refused", "not run"):
        assert outcome in table
    assert "p50" in table and "…" not in table
