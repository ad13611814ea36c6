import io
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.record.engine_summary import Unpacking
from fairtrial.record.proof import Ledger
from fairtrial.report.terminal import print_result
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.lines import line_with, lines_with, passage
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
        "load: closed, 16 connections, keep-alive; 3 s after at least 1 s of warm-up",
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
        "report, in one file: results/it/report.html",
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
    assert row.split() == ["python-threads", *["–"] * 9, "refused"]


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
LEDGER = Ledger(done={"reads": 9_000}, verified=9_000, answers=9_000)
NAMES = ["rust-axum", "go-nethttp", "node-http", "python-fastapi", "python-flask"]


def crowded() -> Result:
    """Five stacks, five blocks: short windows, a ledger in each trial, memory that runs short, a refused trial."""
    experiment = an_experiment(*NAMES)
    for first, second in pairwise(NAMES):
        experiment = experiment.claiming(first, second, at_least=1.1)
    record = replace(experiment, classes={"node-http": "engine"}).record()

    def make(name: str, block: int) -> TrialBuilder:
        made = BUSY if block in (2, 4) else a_trial()
        wrong = {"status_5xx": 300} if (name, block) == ("python-flask", 3) else {}
        if (name, block) == ("node-http", 5):
            return a_trial().failing("start", "its port was taken", "free the port")
        return made.serving(16_000 / 2 ** NAMES.index(name) + 7 * block).erring(**wrong)

    trials = [
        trial.model_copy(update={"ledger": Ledger(done={"reads": 9_000 + trial.index}, verified=9_000, answers=9_000)})
        for trial in trials_of(record, make)
    ]
    return judge(record, trials, interrupted=False)


@pytest.mark.parametrize("width", [80, 100])
def test_without_verbose_a_result_is_a_screen_and_says_all_that_asks_for_something(
    width: int, snapshot: object
) -> None:
    result = crowded()
    brief, whole = printed(result, width, verbose=False), printed(result, width)
    assert len(brief.splitlines()) <= 45 < 80 < len(whole.splitlines()), "a crowded one has a refusal and an obstacle"
    assert max(map(len, brief.splitlines())) <= width
    joined = " ".join(brief.split())
    assert "warning memory-short: " in joined
    assert passage(joined, "refusal errors, in", "python-flask (1)") == snapshot
    assert "300 of 3,363 requests (8.9%) went wrong" in joined, "a refusal's evidence"
    assert passage(joined, "not run in 1 of 25", "free the port") == snapshot
    assert "ledger" not in joined and "ledger" in whole
    for condition in result.conditions:
        for finding in (finding for trial in condition.trials for finding in trial.findings):
            assert finding.asks_nothing or finding.check in joined
            assert finding.check in whole


@pytest.mark.parametrize("width", [80, 100])
def test_a_calm_result_fits_a_screen(width: int) -> None:
    """What was asked, five stacks, three verdicts, a warning."""
    experiment = replace(an_experiment(*NAMES), classes={"node-http": "engine"})
    for first, second in (NAMES[:2], NAMES[1:3], NAMES[3:]):
        experiment = experiment.claiming(first, second, at_least=1.1)
    record = experiment.record()
    trials = trials_of(record, lambda name, block: a_trial().serving(16_000 / 2 ** NAMES.index(name) + block))
    trials = [trial.model_copy(update={"ledger": LEDGER}) for trial in trials]
    assert len(printed(judge(record, trials, interrupted=False), width, verbose=False).splitlines()) <= 30


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("classes", [{}, {"node-http": "engine", "rust-axum": "engine"}])
def test_ten_stacks_fit_a_screen_too(width: int, classes: dict[str, str], snapshot: object) -> None:
    """A row is one line each; what is the same in all of them is said once, and a class stands above its rows."""
    names = [*NAMES, "node-express", "node-fastify", "python-django", "ruby-rails", "java-spring"]
    experiment = replace(an_experiment(*names), classes=classes)
    for first, second in (names[:2], names[1:3], names[3:5]):
        experiment = experiment.claiming(first, second, at_least=1.1)
    record = experiment.record()
    trials = trials_of(record, lambda name, block: a_trial().serving(16_000 / 1.3 ** names.index(name) + block))
    trials = [trial.model_copy(update={"ledger": LEDGER}) for trial in trials]
    text = printed(judge(record, trials, interrupted=False), width, verbose=False)
    assert len(text.splitlines()) <= 30 + len(set(classes.values()))
    assert "work not proven" not in text
    if width == 80:
        assert line_with(text, "in all rows:") == snapshot
        assert ("\nengine " in text) == ("\nproduction " in text) == bool(classes)


def test_where_outcomes_have_no_column_they_stand_in_place_of_figures(result: Result, snapshot: object) -> None:
    text = printed(result, 80, verbose=False)
    (row,) = [line for line in text.splitlines() if line.startswith("python-threads")]
    assert row.split() == ["python-threads", "–", "refused", *["–"] * 6]
    assert line_with(text, "in all rows") == snapshot


def test_what_is_left_out_is_counted_in_one_line(snapshot: object) -> None:
    assert lines_with(printed(crowded(), 80, verbose=False), "--verbose", "report, in one file: ") == snapshot
    assert "--verbose" not in printed(crowded(), 80)


def test_a_remedy_is_given_once() -> None:
    text = printed(crowded(), 200, verbose=False)
    remedies = [line for line in text.splitlines() if line.startswith("  → ")]
    assert len(remedies) == len(set(remedies)) > 1


def test_the_header_says_on_how_many_blocks_figures_rest() -> None:
    assert "· figures rest on 4 to 5" in " ".join(printed(crowded(), 80, verbose=False).split())
    record = an_experiment("a", "b").record()
    whole = judge(record, trials_of(record, a_trial()), interrupted=False)
    assert "· 5 blocks\n" in printed(whole, 200)
    refused = judge(record, trials_of(record, a_trial().erring(status_5xx=3000)), interrupted=False)
    assert "· 5 blocks, no figures\n" in printed(refused, 200)


@pytest.mark.parametrize("width", [45, 60, 72, 80, 100, 130, 200])
def test_no_cell_of_the_table_is_cut_and_the_legend_explains_what_is_shown(width: int) -> None:
    text = printed(crowded(), width)
    table, _, rest = text.partition("\n\ngoodput: ")
    legend = " ".join(rest.partition("\n\n")[0].split())
    assert "…" not in table and max(map(len, text.splitlines())) <= width
    assert ("memory" in table) == ("memory: " in legend)
    assert ("ms/1k" in table) == ("CPU: " in legend)
    times = [title for title in ("p50", "p99", "max") if title in table]
    assert f" {', '.join(times)}: response times" in legend
    assert ("no room for: " in legend) == (width < 72)


@pytest.mark.parametrize("width", [60, 80])
def test_of_streams_p99_is_the_last_figure_that_is_left_out(width: int) -> None:
    record = an_experiment(*NAMES).record()
    result = judge(record, trials_of(record, a_trial()), interrupted=False)
    keys = ("events_per_second", "tokens_per_second", "first_event_time_p99_seconds", "event_gap_max_seconds")
    figures = {key: Estimate(estimate=1234.5, interval=None, blocks=5) for key in keys}
    conditions = [each.model_copy(update={"figures": {**each.figures, **figures}}) for each in result.conditions]
    text = printed(result.model_copy(update={"conditions": conditions}), width)
    words = " ".join(text.split())
    assert " p50 p99 " in words.partition(" stack ")[0] and "no room for: max, CPU, memory" in words


def test_where_answers_were_compressed_their_sizes_are_columns() -> None:
    record = an_experiment("plain", "packed").record()
    trials = trials_of(record, a_trial())
    assert "unpacked" not in printed(judge(record, trials, interrupted=False), 200)
    unpacking = Unpacking(answers=4, unchanged=0, packed_bytes=4096, unpacked_bytes=32_768, cpu_seconds=0.1)
    for trial in trials:
        if trial.engine is not None and trial.condition.startswith("packed"):
            trial.engine = trial.engine.model_copy(update={"unpacking": unpacking})
    text = printed(judge(record, trials, interrupted=False), 200)
    rows = {
        line.partition(" ")[0]: line.split() for line in text.splitlines() if line.startswith(("packed ", "plain "))
    }
    assert "1.00 8.00" in " ".join(rows["packed"]) and "– –" in " ".join(rows["plain"])
    assert "packed: a compressed answer as it came" in " ".join(text.split())


def test_where_there_is_room_each_row_is_one_line() -> None:
    def rows(width: int) -> int:
        return len(printed(crowded(), width).partition("\n\ngoodput: ")[0].splitlines())

    # A line each for two classes and for what is the same in all rows; the heading has one more, too.
    assert rows(80) - rows(140) == 2 + 1 + 1
    assert rows(72) - rows(140) == len(NAMES) + 1 + 1


def test_marks_in_the_table_are_explained_in_short_too() -> None:
    text = printed(crowded(), 60, verbose=False)
    assert "no room for: " in text and "goodput: verified answers only" not in text


@pytest.mark.parametrize("width", [60, 80, 100])
def test_an_answer_is_ten_lines_with_what_has_to_be_done(width: int, snapshot: object) -> None:
    """Of a comparison of two, which warns; and all that was refused beside it, with its remedy."""
    record = an_experiment("a", "b").claiming("a", "b", at_least=0.95).claiming("b", "a", at_most=1.05).record()
    result = judge(record, trials_of(record, BUSY), interrupted=False)
    file = io.StringIO()
    console, report = Console(file=file, width=width), Path("results/it/report.html")
    print_result(result, console, report, verbose=False, answer="b is not slower than a")
    lines = file.getvalue().splitlines()
    assert lines[0] == snapshot
    assert lines[-1] == "report, in one file: results/it/report.html"
    assert len(lines) <= 10 and max(map(len, lines)) <= width
    text = " ".join(file.getvalue().split())
    assert "goodput: a " in text and "upheld claim-1 1.00 (" in text and "warning memory-short: " in text
    file = io.StringIO()
    print_result(crowded(), Console(file=file, width=width), verbose=False, answer="it is slower")
    text = " ".join(file.getvalue().split())
    assert "refusal errors, in 1 of 25 trials" in text and "→ free the port" in text


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("answer", [None, "b is not slower than a"])
def test_a_path_is_in_one_piece_however_long(answer: str | None, terminal: bool) -> None:
    """As those of temporary folders in CI are."""
    record = an_experiment("a", "b").claiming("a", "b", at_least=0.95).record()
    result = judge(record, trials_of(record, BUSY), interrupted=False)
    report = Path("/temporary/folder/of/a/runner/fairtrial-results-d5aYvD/shop-20261130-165449/report.html")
    for verbose in (False, True):
        file = io.StringIO()
        print_result(
            result, Console(file=file, width=60, force_terminal=terminal), report, verbose=verbose, answer=answer
        )
        assert str(report) in file.getvalue()


def test_a_result_with_little_to_say_gives_warnings_whole() -> None:
    record = an_experiment("a", "b").record()
    result = judge(record, trials_of(record, BUSY), interrupted=False)
    assert "…" not in printed(result, 100, verbose=False)


@pytest.mark.parametrize("width", [60, 80, 100, 130, 160])
def test_a_warning_in_short_ends_after_a_word_and_leaves_no_bracket_open(width: int) -> None:
    record = an_experiment("a", "b").claiming("a", "b", at_least=0.95).record()
    result = judge(record, trials_of(record, BUSY), interrupted=False)

    def warning(width: int) -> str:
        file = io.StringIO()
        print_result(result, Console(file=file, width=width), verbose=False, answer="HEAD is not slower")
        (line,) = lines_with(file.getvalue(), "warning")
        return line

    whole, shown = warning(300), warning(width)
    assert whole.endswith(" (in all 10 trials)")
    remedy = whole.removesuffix(" (in all 10 trials)")
    beginning = shown.removesuffix(" …")
    assert shown in (whole, remedy) or (remedy.startswith(f"{beginning} ") and len(shown) <= width)


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
