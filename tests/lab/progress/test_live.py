"""Progress on a terminal: one line that is kept up to date."""

import re
import time
from collections.abc import Iterator

import pytest

from fairtrial.lab.progress.live import BAR_CELLS, LiveProgress
from fairtrial.lab.trial.events import (
    EngineEvent,
    ExperimentBegins,
    Preparing,
    RowProgress,
    StageBegins,
    TrialBegins,
    TrialEnds,
)
from tests.builders import a_trial, an_experiment
from tests.lab.progress.conftest import Time, console_in_memory, trials_of_order

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
BAR = "━" * BAR_CELLS
ENGINE = {"event": "progress", "phase": "measure", "verified_per_second": 12_345.0, "errors": 0}


class Screen:
    """A live progress, and what it wrote."""

    def __init__(self) -> None:
        console, self.file = console_in_memory(terminal=True)
        self.progress = LiveProgress(console)

    def lines(self) -> list[str]:
        """Everything that was drawn, without control sequences: the last element is the live line."""
        drawn = [" ".join(line.split()) for line in re.split(r"[\r\n]+", CONTROL.sub("", self.file.getvalue()))]
        return [line for line in drawn if line]

    def shows(self, line: str) -> bool:
        """Whether the live line, which is drawn four times a second, becomes one that begins so."""
        deadline = time.monotonic() + 10
        while not self.lines()[-1].startswith(line):
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.lines()[-1]!r} does not begin with {line!r}")
            time.sleep(0.05)
        return True


@pytest.fixture
def screen(passing: Time) -> Iterator[Screen]:
    screen = Screen()
    yield screen
    screen.progress.close()


def test_while_something_is_prepared(screen: Screen, passing: Time) -> None:
    screen.progress.on(Preparing("the engine"))
    passing.passes(65)
    assert screen.shows(f"{BAR} preparing the engine 1:05")
    screen.progress.on(RowProgress(250_000, 1_000_000))
    assert screen.shows(f"{BAR} loading rows: 250,000 of 1,000,000 1:05")


def test_while_a_trial_runs(screen: Screen, passing: Time) -> None:
    record = an_experiment("a", "b", blocks=1).record()
    progress = screen.progress
    progress.on(Preparing("the engine"))
    progress.on(ExperimentBegins(record))
    first, second = trials_of_order(record)
    progress.on(TrialBegins(first))
    progress.on(StageBegins("start"))
    assert screen.shows(f"{BAR} trial 1/2 a start elapsed 0:00, remaining ")
    progress.on(EngineEvent(ENGINE | {"phase": "warmup", "elapsed_seconds": 0.5}))
    assert screen.shows(f"{BAR} trial 1/2 a warm-up, 0.5 s 12,345/s elapsed")
    progress.on(EngineEvent(ENGINE | {"errors": 1200}))
    assert screen.shows(f"{BAR} trial 1/2 a measuring 12,345/s, 1,200 errors elapsed")
    passing.passes(10)
    progress.on(TrialEnds(a_trial().serving(4000).record(1, 1, "a")))
    progress.on(TrialBegins(second))
    progress.on(StageBegins("wait", "the database"))
    assert screen.shows(f"{BAR} trial 2/2 b waiting for the database elapsed 0:10, remaining 0:10")


def test_an_ended_trial_leaves_a_line_and_the_live_line_disappears(screen: Screen, passing: Time) -> None:
    record = an_experiment("a", blocks=1).record()
    progress = screen.progress
    progress.on(Preparing("the engine"))
    progress.on(ExperimentBegins(record))
    progress.on(TrialBegins(trials_of_order(record)[0]))
    progress.on(TrialEnds(a_trial().serving(4000).record(1, 1, "a")))
    progress.close()
    ended = [line for line in screen.lines() if line.startswith("trial 1 of 1, block 1, a: 4,000 verified answers/s")]
    assert len(ended) == 1
    last = screen.file.getvalue().rpartition("verified answers/s")[2]
    assert "\x1b[2K" in last.rpartition("\n")[2], "the live line is erased"
    assert "\x1b[?25h" in last, "the cursor is shown again"
