"""Progress as lines, for logs and CI."""

import pytest

from fairtrial.lab.progress import progress_on
from fairtrial.lab.progress.live import LiveProgress
from fairtrial.lab.progress.plain import PlainProgress
from fairtrial.lab.trial.events import (
    EngineEvent,
    ExperimentBegins,
    Preparing,
    RowProgress,
    StageBegins,
    TrialBegins,
    TrialEnds,
)
from tests.builders import TrialBuilder, a_trial, an_experiment
from tests.lab.progress.conftest import Time, console_in_memory, trials_of_order
from tests.lines import passage


@pytest.mark.parametrize(("terminal", "kind"), [(False, PlainProgress), (True, LiveProgress)])
def test_the_watcher_fits_the_console(terminal: bool, kind: type) -> None:
    with progress_on(console_in_memory(terminal=terminal)[0]) as progress:
        assert isinstance(progress, kind)


def test_a_line_for_each_step_and_each_trial_that_takes_long(passing: Time, snapshot: object) -> None:
    console, file = console_in_memory(terminal=False)
    progress = PlainProgress(console)
    record = an_experiment("a", "b", blocks=1).record()
    progress.on(Preparing("the stack a"))
    progress.on(ExperimentBegins(record))
    for trial in trials_of_order(record):
        progress.on(TrialBegins(trial))
        progress.on(StageBegins("load"))
        progress.on(EngineEvent({"event": "progress", "phase": "measure", "verified_per_second": 1.0, "errors": 0}))
        passing.passes(30)
        progress.on(TrialEnds(a_trial().serving(4000).record(trial.index, trial.block, trial.condition.label)))
    progress.on(StageBegins("wait", "the database"))
    assert file.getvalue().splitlines() == snapshot


ERRING = a_trial().erring(status_5xx=3000)
NOT_STARTED = a_trial().failing("start", "its port 41,234 is taken").but(measured=False)


def lines_of(passing: Time, *ends: tuple[str, int, TrialBuilder], verbose: bool = False) -> list[str]:
    """What is printed of trials of a and b that end one after the other, each in so many seconds."""
    console, file = console_in_memory(terminal=False)
    progress = PlainProgress(console, verbose=verbose)
    progress.on(ExperimentBegins(an_experiment("a", "b", blocks=2).record()))
    for index, (name, block, trial) in enumerate(ends, 1):
        passing.passes(5)
        progress.on(TrialEnds(trial.record(index, block, name)))
    return file.getvalue().splitlines()


def test_short_trials_share_the_line_of_their_block_which_names_the_refused_without_a_figure(
    passing: Time, snapshot: object
) -> None:
    ends = [("a", 1, a_trial()), ("b", 1, a_trial()), ("a", 2, ERRING), ("b", 2, a_trial())]
    assert lines_of(passing, *ends) == snapshot


def test_what_did_not_run_has_a_line_with_its_reason_the_first_time(passing: Time, snapshot: object) -> None:
    ends = [("a", 1, NOT_STARTED), ("b", 1, a_trial()), ("b", 2, ERRING), ("a", 2, NOT_STARTED)]
    assert lines_of(passing, *ends) == snapshot


def test_a_block_is_done_when_its_own_trials_are_as_on_lanes(passing: Time, snapshot: object) -> None:
    ends = [("a", 1, a_trial()), ("b", 2, a_trial()), ("a", 2, ERRING), ("b", 1, a_trial())]
    assert [line.partition(" (elapsed")[0] for line in lines_of(passing, *ends)] == snapshot


def test_with_verbose_each_trial_has_a_line_and_a_refused_one_no_figure(passing: Time, snapshot: object) -> None:
    assert lines_of(passing, ("a", 1, a_trial().serving(4000)), ("b", 1, ERRING), verbose=True) == snapshot


def test_rows_are_reported_at_each_tenth_and_anew_for_each_table() -> None:
    console, file = console_in_memory(terminal=False)
    progress = PlainProgress(console)
    for table in ("items", "orders"):
        progress.on(Preparing(table))
        for rows in range(0, 1001, 5):
            progress.on(RowProgress(rows, 1000))
    lines = file.getvalue().splitlines()
    assert lines[:2] == ["preparing items", "loading rows: 100 of 1,000"]
    assert [line.partition(":")[0] for line in lines].count("loading rows") == 20
    assert lines[-1] == "loading rows: 1,000 of 1,000"


def test_a_long_reason_stays_on_one_line_and_markup_is_text() -> None:
    console, file = console_in_memory(terminal=False)
    progress = PlainProgress(console)
    progress.on(ExperimentBegins(record := an_experiment("a", blocks=1).record()))
    progress.on(TrialBegins(trials_of_order(record)[0]))
    progress.on(TrialEnds(a_trial().failing("build", "[red]no[/red] " + "word " * 50).record()))
    (line,) = file.getvalue().splitlines()
    assert len(line) > 140 and "build: [red]no[/red] word" in line


@pytest.mark.parametrize("terminal", [False, True])
def test_connects_that_will_search_for_a_port_are_warned_of_once_before_the_loads(
    terminal: bool, snapshot: object
) -> None:
    console, file = console_in_memory(terminal=terminal)
    crowded = {"addresses": ["[::1]:80"], "source_addresses": 1, "connections_each": 19_000, "ports_each": 14_116}
    with progress_on(console) as progress:
        for port in (80, 81):
            progress.on(EngineEvent({"event": "crowded", **crowded, "addresses": [f"[::1]:{port}"]}))
        progress.on(EngineEvent({"event": "crowded", **crowded, "connections_each": 18_000}))
    words = " ".join(file.getvalue().split())
    assert words.count("connections to") == 2 and "18,000 connections" in words
    assert passage(words, "19,000 connections to", "local port") == snapshot
    assert "widen net.ipv4.ip_local_port_range" in words
