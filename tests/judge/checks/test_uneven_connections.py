"""Connections that are passed over: on records, at the boundaries (real servers: tests/tools/load/test_evenness.py)."""

from typing import Any

import pytest

from fairtrial.judge.checks import all_checks
from fairtrial.judge.checks.model import Finding, LoadCase
from fairtrial.load.closed import ClosedLoad
from fairtrial.load.kinds import Load
from fairtrial.load.open import OpenLoad
from fairtrial.record.engine_summary import ConnectionAnswers, Distribution
from fairtrial.record.slices import Slicing
from tests.builders import a_trial, times
from tests.judge.checks.findings import severities
from tests.tools.load.measurements import hdr

CLOSED = ClosedLoad(connections=16)


def spread(**changes: Any) -> ConnectionAnswers:
    """Of 12,000 answers to 16 connections, all alike: 750 each."""
    even = {"least": 750, "most": 750, "without": 0, "evenness": 1.0, "evenness_in_slices": 1.0, "slice_seconds": 0.01}
    return ConnectionAnswers.model_validate({"connections": 16} | even | changes)


def answered_in(quick: int, quick_us: int, slow: int, slow_us: int) -> Distribution:
    """So many answers of two lengths."""
    text = hdr(*[quick_us] * quick, *[slow_us] * slow)
    return times(quick + slow, quick_us / 1e6).model_copy(update={"hdr_base64": text})


def judged(told: ConnectionAnswers | None, load: Load | None = CLOSED, **changes: Any) -> list[Finding]:
    """The findings in a window of 3 s."""
    trial = a_trial().record()
    assert trial.engine
    engine = trial.engine.model_copy(update={"connection_answers": told} | changes)
    check = all_checks()["uneven-connections"]
    loads = {} if load is None else {trial.condition: load}
    measured = trial.model_copy(update={"engine": engine})
    return list(check.findings(LoadCase([measured], loads, 1), {}))


class TestStarved:
    @pytest.mark.parametrize(("least", "expected"), [(0, ["refusal"]), (75, ["refusal"]), (76, ["warning"])])
    def test_by_its_part_of_an_even_share(self, least: int, expected: list[str]) -> None:
        assert severities(judged(spread(least=least, most=1000, evenness=0.8))) == expected

    def test_who_had_none_are_counted(self, snapshot: object) -> None:
        (finding,) = judged(spread(least=0, most=3000, without=12, evenness=0.25))
        assert finding.evidence == snapshot

    @pytest.mark.parametrize(("answers", "expected"), [(120, []), (240, ["refusal"])])
    def test_few_answers_may_pass_somebody_over_by_chance(self, answers: int, expected: list[str]) -> None:
        """7.5 a connection: some one of 16 has none in 113 trials; 15 a connection: in 200,000."""
        told = spread(least=0, most=answers // 8, without=1, evenness=0.9)
        assert severities(judged(told, answers=answers)) == expected

    def test_slow_requests_of_a_mix_keep_their_connection_busy(self) -> None:
        """One request of ten takes 500 ms: who has had three of them has had few others."""
        mixed = answered_in(540, 100, 60, 1_000_000)
        assert judged(spread(least=3, most=90, evenness=0.85), answers=600, response_time=mixed) == []
        assert severities(judged(spread(least=3, most=90, evenness=0.85), answers=600)) == ["refusal"]


class TestInTurns:
    """12,000 answers in 3 s: in turns of 50 ms, each connection waits 0.75 s for its own."""

    TURNS = answered_in(11_940, 80, 60, 750_000)

    def test_waits_that_p99_leaves_out(self, snapshot: object) -> None:
        (finding,) = judged(spread(evenness=0.98, evenness_in_slices=0.07), response_time=self.TURNS)
        assert finding.severity == "refusal"
        assert finding.evidence == snapshot

    def test_just_inside_of_both_limits_percentiles_are_lost(self) -> None:
        """Nine of 16 connections at a time, and 45% of the waiting in the slowest answers: it was valid once."""
        half_hidden = answered_in(11_940, 80, 60, 13_000)
        (finding,) = judged(spread(evenness_in_slices=0.56), response_time=half_hidden)
        assert finding.severity == "refusal" and not finding.takes("goodput")
        assert finding.takes("response_time_p50") and finding.takes("service_time_p50")
        assert "event" not in finding.evidence and "journey" not in finding.evidence, "what is not there is not lost"
        assert judged(spread(evenness_in_slices=0.8), response_time=half_hidden) == []
        assert judged(spread(evenness_in_slices=0.56), response_time=answered_in(11_940, 80, 60, 6_000)) == []

    def test_pauses_that_all_wait_for_are_another_matter(self) -> None:
        assert judged(spread(evenness_in_slices=0.9), response_time=self.TURNS) == []

    def test_waits_that_p99_shows_are_no_secret(self) -> None:
        shown = answered_in(11_800, 80, 200, 225_000)
        assert judged(spread(evenness_in_slices=0.07), response_time=shown) == []

    def test_slow_requests_of_their_own_kind_are_not_waiting(self) -> None:
        trial = a_trial().mixing(short=(0.995, 1e-4), long=(0.005, 0.5)).record()
        assert trial.engine
        kinds = [answered_in(11_900, 80, 40, 90), answered_in(30, 700_000, 30, 750_000)]
        mix = [
            part.model_copy(update={"response_time": each}) for part, each in zip(trial.engine.mix, kinds, strict=True)
        ]
        told = spread(evenness_in_slices=0.07)
        assert judged(told, response_time=self.TURNS, mix=mix) == []
        assert severities(judged(told, response_time=self.TURNS, mix=[])) == ["refusal"]

    def test_few_pairs_tell_nothing(self) -> None:
        slow = answered_in(1190, 80, 10, 750_000)
        told = spread(evenness_in_slices=0.07)
        assert judged(told, response_time=slow, answers=600) == []
        assert severities(judged(told, response_time=slow, answers=1200)) == ["refusal"]


class TestUneven:
    @pytest.mark.parametrize(("evenness", "expected"), [(0.93, []), (0.88, ["warning"])])
    def test_one_worker_with_twice_the_connections(self, evenness: float, expected: list[str]) -> None:
        """Of 16 connections 10 and 6 on two workers have an index of 0.94; 11 and 5 one of 0.86."""
        assert severities(judged(spread(least=500, most=1200, evenness=evenness))) == expected

    @pytest.mark.parametrize(("answers", "expected"), [(80, []), (400, ["warning"])])
    def test_a_few_answers_are_uneven_by_chance(self, answers: int, expected: list[str]) -> None:
        """5 a connection have an index of 5/6 by chance, 25 a connection one of 25/26."""
        told = spread(least=answers // 40, most=answers // 8, evenness=0.83)
        assert severities(judged(told, answers=answers)) == expected

    def test_a_trial_of_slices_has_as_many_windows(self) -> None:
        """50 windows of 240 answers, 15 to a connection: even shares of one window."""
        rounds = [
            {"round": each, "place": 1, "window_seconds": 0.4, "verified": 240, "errors": 0} for each in range(50)
        ]
        quiet = {"server_cpu_seconds": 0.4, "foreign_server_share": 0.0, "foreign_engine_share": 0.0, "kept": True}
        slicing = Slicing.model_validate(
            {
                "planned_rounds": 50,
                "rule": "quiet",
                "slices": [each | quiet for each in rounds],
                "idle_seconds": 1.0,
                "idle_cpu_seconds": 0.0,
            }
        )
        trial = a_trial().record()
        assert trial.engine
        engine = trial.engine.model_copy(update={"connection_answers": spread(least=11, most=19, evenness=0.98)})
        sliced = trial.model_copy(update={"engine": engine, "slices": slicing})
        check = all_checks()["uneven-connections"]
        case = LoadCase([sliced], {trial.condition: CLOSED}, 1)
        assert list(check.findings(case, {})) == []


@pytest.mark.parametrize(
    "load",
    [
        None,
        OpenLoad(kind="open", rate_per_second=4000, connections=16),
        ClosedLoad(connections=16, local_ports=3),
    ],
)
def test_where_others_decide_whose_answer_comes_next(load: Load | None) -> None:
    assert judged(spread(least=0, most=3000, without=12, evenness=0.25), load) == []


def test_clients_that_think_have_as_many_answers_as_that_leaves() -> None:
    told = spread(least=0, most=3000, without=12, evenness=0.25)
    assert judged(told, think_seconds={"look": 0.5}) == []


def test_records_from_before_they_were_counted_are_left_alone() -> None:
    assert judged(None) == []
