"""Connections that are opened again and again, though they were to be kept: on records."""

import pytest

from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import found, severities


def opening(connects: int, *, failures: int = 0, by_close: int | None = 0, at_rest: int = 0) -> TrialRecord:
    """A trial of 16 connections and 12,000 answers.

    Args:
        by_close: how many of the failures are requests on a connection that had been closed without a word; None: an
            older record, which does not tell.
        at_rest: how many more connections were closed so, with no request on them.
    """
    trial = a_trial().record()
    assert trial.engine
    errors = dict(trial.engine.errors)
    errors.pop("unannounced_close", None)
    closes = None if by_close is None else by_close + at_rest
    changed = trial.engine.model_copy(
        update={
            "connects": connects,
            "failures": failures,
            "unannounced_closes": closes,
            "errors": errors if by_close is None else {**errors, "unannounced_close": by_close},
        }
    )
    return trial.model_copy(update={"engine": changed})


def judged(trial: TrialRecord, *, keep_alive: bool = True) -> list[str]:
    return severities(found("keep-alive-not-kept", an_experiment("a").but(keep_alive=keep_alive).record(), [trial]))


@pytest.mark.parametrize(("connects", "expected"), [(0, []), (616, []), (617, ["warning"]), (12_000, ["warning"])])
def test_above_one_connect_for_twenty_answers(connects: int, expected: list[str]) -> None:
    assert judged(opening(connects)) == expected


def test_failed_requests_cost_their_connection() -> None:
    assert judged(opening(2000, failures=1600)) == []


@pytest.mark.parametrize(("by_close", "expected"), [(None, []), (0, []), (216, []), (217, ["warning"])])
def test_a_failure_by_a_close_without_a_word_explains_nothing(by_close: int | None, expected: list[str]) -> None:
    """384 of 2,000 connects are not explained by the connections and the failures; 600 are one for twenty answers."""
    assert judged(opening(2000, failures=1600, by_close=by_close)) == expected


@pytest.mark.parametrize(("connects", "expected"), [(2216, []), (2217, ["warning"])])
def test_a_close_at_rest_is_no_failure(connects: int, expected: list[str]) -> None:
    """1,600 requests failed otherwise, each with its connection; 600 more were closed at rest, and opened again."""
    assert judged(opening(connects, failures=1600, at_rest=600)) == expected


def test_one_close_may_fail_several_requests_which_explain_nothing() -> None:
    """Four requests on each of 700 connections, at a time."""
    assert judged(opening(716, failures=2800, by_close=2800)) == ["warning"]


def test_who_asked_for_a_connection_each_time_is_told_nothing_new() -> None:
    assert judged(opening(12_000), keep_alive=False) == []


def test_over_http2_connections_are_counted_and_not_streams(snapshot: object) -> None:
    """A server that ends each connection after ten requests: 1,200 connects, where four were to be kept."""
    record = an_experiment("a").but(connections=4, streams=4).record()
    (finding,) = found("keep-alive-not-kept", record, [opening(1200)])
    assert finding.evidence == snapshot
    assert "GOAWAY" in finding.remedy
    assert found("keep-alive-not-kept", record, [opening(604)]) == []


def test_each_connection_is_opened_once_even_where_there_are_few_answers() -> None:
    trial = opening(16)
    assert trial.engine
    few = trial.engine.model_copy(update={"answers": 20})
    assert judged(trial.model_copy(update={"engine": few})) == []
