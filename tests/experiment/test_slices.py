"""What can be measured in slices, and when a block has enough of them."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.experiment.ab_test import MINUTES, SLICED_SECONDS, between_refs, in_slices
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.slices import LEAST_ROUNDS, Slices
from fairtrial.load.closed import ClosedLoad

ADDRESS = {"port": 5432, "user": "mine", "password": "mine", "database": "mine"}


def experiment(**more: Any) -> Experiment:
    file = {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["app"], "load": {"kind": "closed"}}
    return Experiment.model_validate(file | {"contenders": {"app": {"folder": "."}}} | more)


def test_a_load_is_measured_in_as_many_rounds_as_fill_it() -> None:
    rule = Slices()
    assert [rule.rounds(ClosedLoad(duration_seconds=each)) for each in (0.1, 1.2, 1.3, 4.8)] == [3, 3, 4, 12]


@pytest.mark.parametrize(("server", "engine", "quiet"), [(0.10, 0.15, True), (0.11, 0.0, False), (0.0, 0.16, False)])
def test_a_slice_is_quiet_on_both_sides(server: float, engine: float, quiet: bool) -> None:
    assert Slices().is_quiet(server, engine) is quiet


@pytest.mark.parametrize(
    ("shares", "even"),
    [
        ([(0.5, 0.9), (0.64, 0.76)], True),
        ([(0.5, 0.9), (0.66, 0.9)], False),
        ([(0.5, 0.9), (0.5, 0.7)], False),
        ([(0.1, 0.0), (0.2, 0.0), (0.3, 0.0)], False),  # of three, any two
    ],
)
def test_a_round_is_even_if_others_use_about_the_same_in_its_slices(
    shares: list[tuple[float, float]], even: bool
) -> None:
    assert Slices().is_even(shares) is even


def test_a_block_rests_on_quiet_rounds_and_only_where_they_are_too_few_on_even_ones() -> None:
    quiet, loud, uneven = [(0.0, 0.0)] * 2, [(0.6, 0.6)] * 2, [(0.0, 0.0), (0.6, 0.0)]
    assert Slices().selection([quiet, loud, quiet, uneven, quiet]) == ("quiet", [True, False, True, False, True])
    assert Slices().selection([quiet, loud, quiet, uneven]) == ("even", [True, True, True, False])
    assert Slices().selection([]) == ("even", [])


@pytest.mark.parametrize(
    ("tried", "kept", "goes_on"),
    [
        (11, 11, True),  # as planned, whatever came of it
        (12, LEAST_ROUNDS, False),
        (12, LEAST_ROUNDS - 1, True),
        (23, LEAST_ROUNDS - 1, True),
        (24, LEAST_ROUNDS - 1, False),  # nothing to spare
    ],
)
def test_a_block_goes_on_while_it_has_too_few(tried: int, kept: int, goes_on: bool) -> None:
    assert Slices().goes_on(tried, kept, 12) is goes_on


@pytest.mark.parametrize(
    "more",
    [
        {"load": {"kind": "fixed", "requests": 100}},
        {"load": {"kind": "closed", "keep_alive": False}},
        {"services": {"postgresql": {"url_from": "MINE"}}, "service": "postgresql", "workload": "random-item"},
        {"services": {"postgresql": {"address": ADDRESS}}, "service": "postgresql", "workload": "random-item"},
        {"sweep": {"parameter": "load.duration_seconds", "values": [1, 2]}},
        {"sweep": {"parameter": "load.keep_alive", "values": [False, True]}},
        {
            "sweep": {"parameter": "load.connections", "values": [1, 2]},
            "contenders": {"app": {"directory": ".", "command": ["true"], "port": 8080}},
        },
        {"placement": "shared"},
    ],
)
def test_what_cannot_be_measured_in_slices_is_refused_and_tried_without(more: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(ValidationError) as error:
        experiment(slices={}, **more)
    assert [each["msg"] for each in error.value.errors()] == snapshot
    asked = experiment(**more)
    if asked.sweep is None:  # which ab-test leaves out
        paired = between_refs(asked, "app", "main", "HEAD", 0.05)
        changed, why_not = in_slices(paired, asked)
        assert changed.slices is None and why_not == snapshot


def test_two_commits_are_measured_in_slices_unless_the_file_says_how() -> None:
    asked = experiment()
    changed, why_not = in_slices(between_refs(asked, "app", "main", "HEAD", 0.05), asked)
    assert (changed.slices, changed.blocks, changed.minutes, why_not) == (Slices(gives_way=True), None, MINUTES, None)
    assert changed.load.window_seconds == SLICED_SECONDS
    own = experiment(slices={"seconds": 0.2}, blocks=4, load={"kind": "closed", "duration_seconds": 2.0})
    changed, _ = in_slices(between_refs(own, "app", "main", "HEAD", 0.05), own)
    assert (changed.slices, changed.blocks, changed.minutes) == (Slices(seconds=0.2), 4, None)
    assert changed.load.window_seconds == 2.0


@pytest.mark.parametrize(
    ("windows", "of_quiet_rounds", "of_even_rounds"),
    [
        ([(0.1, 0.15), (0.0, 0.0)], True, True),
        ([(0.5, 0.5), (0.6, 0.5)], False, True),  # alike, which counts where rounds are kept for that
        ([(0.0, 0.0), (0.2, 0.0)], False, False),
    ],
)
def test_whole_windows_are_kept_by_the_rule_of_the_rounds(
    windows: list[tuple[float, float]], of_quiet_rounds: bool, of_even_rounds: bool
) -> None:
    assert Slices().keeps_whole(windows, "quiet") is of_quiet_rounds
    assert Slices().keeps_whole(windows, "even") is of_even_rounds
