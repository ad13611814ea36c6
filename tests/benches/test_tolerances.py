"""What tolerances are worth, as docs/proof.md has it."""

import math

import pytest

from benches import tolerances
from benches.tolerances import PAGES, TURNS, Turns


def test_the_page_has_what_the_checks_let_pass() -> None:
    assert tolerances.tolerances() in PAGES["tolerances"].read_text(encoding="utf-8")


def test_what_buys_more_than_a_fiftieth_is_taken_away_or_in_the_interval() -> None:
    """But for white space, which is free to all."""
    gains = {
        each.threshold: each.then for each in tolerances.rows() if float(each.gains.split("%")[0].split()[-1]) > 2.1
    }
    left = {threshold for threshold, then in gains.items() if "in the interval" not in then}
    assert left == {"unequal-answers `tolerance`"}


@pytest.mark.parametrize("each", [TURNS[3], TURNS[-1]])
def test_the_page_has_turns(each: Turns) -> None:
    """One that p99 shows, and one that refuses the trial."""
    even = Turns(each.connections, each.connections, math.inf)
    assert "| " + " | ".join(tolerances.turned(each, even.trial())) + " |" in PAGES["turns"].read_text(encoding="utf-8")
