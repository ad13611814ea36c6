"""Little's law, idle contenders, plateaus and percentiles: on records, at their boundaries."""

from collections.abc import Sequence
from typing import Any

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.judge.judging import judge
from fairtrial.judge.metrics import METRICS
from fairtrial.record.calibration import BlockCeiling, Calibration
from fairtrial.record.engine_summary import SetupCounts, SpotCheckOutcome, UnderWay, Waiting
from fairtrial.record.machine import MachineMeter
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.record.processes import ServerMeter
from tests.builders import TrialBuilder, a_trial, an_experiment, calm_machine, times, trials_of
from tests.judge.checks.findings import found, in_trial, severities

EXPERIMENT = an_experiment("a").record()


def under_way(mean_requests: float) -> UnderWay:
    """Requests under way in a window of 3 s, as many when it opens as when it ends."""
    return UnderWay(
        at_start_seconds=1.0, ended_seconds=3 * mean_requests, at_end_seconds=1.0, mean_requests=mean_requests
    )


class TestLittlesLaw:
    """4,000 answers a second over 3 s, 16 connections: 4 ms each, the longest 80 ms, so 2.7% for the edges."""

    @staticmethod
    def judged(trial: TrialBuilder, **engine: Any) -> list[str]:
        record = trial.record()
        assert record.engine
        changed = record.model_copy(update={"engine": record.engine.model_copy(update=engine)})
        return severities(found("littles-law", EXPERIMENT, [changed]))

    @pytest.mark.parametrize(
        ("mean_ms", "expected"),
        [(4.0, []), (4.18, []), (4.2, ["refusal"]), (3.82, []), (3.8, ["refusal"]), (2.0, ["refusal"])],
    )
    def test_a_closed_load_holds_its_connections(self, mean_ms: float, expected: list[str]) -> None:
        distribution = times(12_000, 0.004).model_copy(update={"mean_seconds": mean_ms / 1000})
        assert self.judged(a_trial(), response_time=distribution) == expected

    def test_what_failed_left_time_that_no_answer_accounts_for(self) -> None:
        """Half of the time went into requests that timed out; more at a time than connections are wrong still."""
        half, twice = times(12_000, 0.002), times(12_000, 0.008)
        assert self.judged(a_trial(), response_time=half, failures=3) == []
        assert self.judged(a_trial(), response_time=half, errors={"timeout": 3}) == []
        assert self.judged(a_trial(), response_time=twice, failures=3) == ["refusal"]

    def test_pauses_of_clients_left_time_as_well(self) -> None:
        """Think times of requests and logins of connections; more at a time than connections are wrong still."""
        half, twice = times(12_000, 0.002), times(12_000, 0.008)
        logins = SetupCounts(sent=16, verified=16, completed=16, failures={})
        for pauses in ({"think_seconds": {"look": 0.01}}, {"setup_requests": logins}):
            assert self.judged(a_trial(), response_time=half, **pauses) == []
            assert self.judged(a_trial(), response_time=twice, **pauses) == ["refusal"]
        assert self.judged(a_trial(), response_time=half, think_seconds={"look": 0.0}) == ["refusal"]

    def test_a_window_that_cuts_long_times_allows_for_its_edges(self) -> None:
        """Answers of up to a second: a third of a window of 3 s."""
        long = times(1000, 0.048).model_copy(update={"mean_seconds": 0.036, "max_seconds": 1.0})
        assert self.judged(a_trial(), response_time=long) == []

    @pytest.mark.parametrize(("streams", "expected"), [(3, ["refusal"]), (4, []), (5, ["refusal"])])
    def test_over_http2_a_closed_load_holds_its_streams(self, streams: int, expected: list[str]) -> None:
        """Four on each of four connections are the sixteen that were in flight."""
        record = an_experiment("a").but(connections=4, streams=streams).record()
        assert severities(found("littles-law", record, [a_trial().record()])) == expected

    @pytest.mark.parametrize(("streams", "expected"), [(1, ["refusal"]), (8, [])])
    def test_over_http2_an_open_load_holds_at_most_its_streams(self, streams: int, expected: list[str]) -> None:
        record, trial = an_experiment("a").but(connections=4, streams=streams).record(), a_trial().record()
        assert trial.engine
        opened = {"achieved_over_offered": 1.0, "waiting": Waiting(limit=1000, peak=0, at_end=0)}
        trial = trial.model_copy(update={"engine": trial.engine.model_copy(update=opened)})
        assert severities(found("littles-law", record, [trial])) == expected

    @pytest.mark.parametrize(
        ("mean", "expected"), [(16.0, []), (15.7, []), (16.3, []), (15.6, ["refusal"]), (16.4, ["refusal"])]
    )
    def test_with_ages_at_the_edges_it_is_an_identity(self, mean: float, expected: list[str]) -> None:
        """However long answers take: nothing is left for the edges."""
        long = times(1000, 0.048).model_copy(update={"max_seconds": 1.0})
        assert self.judged(a_trial(), response_time=long, under_way=under_way(mean)) == expected

    @pytest.mark.parametrize(("seconds", "expected"), [(0.5, []), (5.0, ["refusal"])])
    def test_an_engine_that_was_kept_from_its_processor_for_a_moment_is_no_error(
        self, seconds: float, expected: list[str]
    ) -> None:
        """A scheduler's slice or two are 2% of half a second, and nothing of five."""
        assert self.judged(a_trial(), under_way=under_way(15.63), window_seconds=seconds) == expected

    def test_without_a_warm_up_connections_begin_within_the_window(self) -> None:
        assert self.judged(a_trial(), under_way=under_way(12.0)) == ["refusal"]
        assert self.judged(a_trial(), under_way=under_way(12.0), warmup_seconds=0.0) == []

    def test_connections_that_awaited_spot_checks_were_not_idle(self) -> None:
        """Two of 0.9 s, in a window of 3 s: 0.6 requests on average that are in none of the load's figures."""
        checked = SpotCheckOutcome(
            name="search", sent_seconds=0.5, seconds=0.9, error=None, status=200, excerpt="", reason=None
        )
        for mean, expected in ((15.4, []), (15.0, ["refusal"])):
            assert self.judged(a_trial(), under_way=under_way(mean), spot_checks=[checked] * 2) == expected

    def test_ages_or_not_failures_leave_only_the_upper_bound(self) -> None:
        assert self.judged(a_trial(), failures=3, under_way=under_way(8.0)) == []
        assert self.judged(a_trial(), failures=3, under_way=under_way(17.0)) == ["refusal"]

    @pytest.mark.parametrize(("peak", "expected"), [(0, ["refusal"]), (20, [])])
    def test_an_open_load_holds_at_most_its_connections_and_its_queue(self, peak: int, expected: list[str]) -> None:
        open_load = {"achieved_over_offered": 1.0, "waiting": Waiting(limit=1000, peak=peak, at_end=0)}
        assert self.judged(a_trial(), response_time=times(12_000, 0.008), **open_load) == expected

    def test_an_open_load_may_hold_less(self) -> None:
        open_load = {"achieved_over_offered": 1.0, "waiting": Waiting(limit=1000, peak=0, at_end=0)}
        assert self.judged(a_trial(), response_time=times(12_000, 0.0001), **open_load) == []


def with_database(trial: TrialRecord, share: float) -> TrialRecord:
    assert trial.server
    used = trial.server.window_seconds * share
    meter = trial.server.model_copy(update={"cpu_user_seconds": used, "cpu_system_seconds": 0.0})
    return trial.model_copy(update={"service": meter})


class TestContenderIdle:
    @pytest.mark.parametrize(("share", "expected"), [(0.86, []), (0.84, ["note"])])
    def test_below_one_processor(self, share: float, expected: list[str]) -> None:
        assert severities(in_trial("contender-idle", a_trial().but(server_cpu=share))) == expected

    def test_stack_and_database_count_together(self) -> None:
        trial = a_trial().but(server_cpu=0.4).record()
        assert found("contender-idle", EXPERIMENT, [with_database(trial, 0.5)]) == []

    def test_who_was_busy_is_named(self, snapshot: object) -> None:
        (generator,) = in_trial("contender-idle", a_trial().but(server_cpu=0.4, engine_cpu=0.9))
        assert "the generator limits the figure" in generator.evidence
        (threads,) = in_trial("contender-idle", a_trial().but(server_cpu=0.4, engine_cpu=0.09, engine_threads=10))
        assert threads.evidence == snapshot
        (database,) = found("contender-idle", EXPERIMENT, [with_database(a_trial().but(server_cpu=0.2).record(), 0.5)])
        assert database.evidence == snapshot
        (nobody,) = in_trial("contender-idle", a_trial().but(server_cpu=0.2))
        assert "nothing was at its limit" in nobody.evidence

    def test_others_on_the_processor_are_another_check_s(self) -> None:
        idle = calm_machine().model_copy(update={"own_server_cpu_seconds": 1.2})
        assert in_trial("contender-idle", a_trial().but(server_cpu=0.4, machine=idle)) == []
        assert severities(in_trial("foreign-load", a_trial().but(server_cpu=0.4, machine=idle))) == ["refusal"]

    def test_an_open_load_leaves_a_server_idle_by_design(self) -> None:
        trial = a_trial().but(server_cpu=0.2).record()
        assert trial.engine
        is_open = trial.engine.model_copy(update={"achieved_over_offered": 1.0})
        assert found("contender-idle", EXPERIMENT, [trial.model_copy(update={"engine": is_open})]) == []


def plateau(make: dict[str, TrialBuilder], *, database: float | None = None) -> list[str]:
    """Evidence of the check for contenders of these kinds, in three blocks."""
    record: ExperimentRecord = an_experiment(*make, blocks=3).record()
    trials = trials_of(record, lambda name, _: make[name])
    if database is not None:
        trials = [with_database(trial, database) for trial in trials]
    findings = found("plateau", record, trials)
    assert all((finding.trial, finding.severity) == (None, "warning") for finding in findings)
    return [finding.evidence for finding in findings]


class TestPlateau:
    def test_unlike_cost_at_one_figure(self, snapshot: object) -> None:
        light = a_trial().serving(4000).but(server_cpu=0.3)
        heavy = a_trial().serving(4100).but(server_cpu=0.9)
        (generator,) = plateau({"a": light.but(engine_cpu=0.97), "b": heavy.but(engine_cpu=0.97)})
        assert generator == snapshot
        ten = {"engine_cpu": 0.097, "engine_threads": 10}
        (threads,) = plateau({"a": light.but(**ten), "b": heavy.but(**ten)})
        assert threads == snapshot
        (database,) = plateau({"a": light, "b": heavy}, database=0.9)
        assert "the database used 90%" in database
        (else_,) = plateau({"a": light, "b": heavy}, database=0.1)
        assert "something else that they share" in else_

    def test_unlike_figures_are_left_alone(self) -> None:
        light, heavy = a_trial().serving(12_000), a_trial().serving(4000)
        assert plateau({"a": light, "b": heavy}) == []
        assert plateau({"a": a_trial().serving(4000).but(server_cpu=0.3), "b": a_trial().serving(4130)}) == []

    def test_like_cost_at_one_figure_is_a_tie(self) -> None:
        assert plateau({"a": a_trial().but(server_cpu=0.9), "b": a_trial().but(server_cpu=0.7)}) == []

    def test_the_odd_one_out_is_not_accused(self) -> None:
        made = {"a": a_trial().but(server_cpu=0.3), "b": a_trial().but(server_cpu=0.9), "c": a_trial().serving(900)}
        (evidence,) = plateau(made)
        assert evidence.startswith("a, b all reach")


class TestPercentiles:
    @pytest.mark.parametrize(("answers", "expected"), [(999, ["note"]), (1000, [])])
    def test_p99_is_in_every_table(self, answers: int, expected: list[str], snapshot: object) -> None:
        findings = in_trial("percentile-unsupported", a_trial().serving(answers / 3))
        assert severities(findings) == expected
        assert [one.evidence for one in findings] == snapshot

    def test_a_claim_on_it_makes_it_a_warning(self) -> None:
        claiming = an_experiment("a", "b").claiming("a", "b", metric="service_time_p99", at_most=1)
        findings = in_trial("percentile-unsupported", a_trial().serving(100), claiming)
        assert severities(findings) == ["note", "warning"]
        assert "service time" in findings[1].evidence

    def test_a_claim_on_one_request_needs_its_answers(self, snapshot: object) -> None:
        trial = a_trial().mixing(short=(0.99, 0.001), long=(0.01, 1.0))
        claiming = an_experiment("a").stating(
            "budget", of="a", metric="response_time_p99", request="long", at_most="2 s"
        )
        (finding,) = in_trial("percentile-unsupported", trial, claiming)
        assert finding.severity == "warning"
        assert finding.evidence == snapshot
        assert in_trial("percentile-unsupported", trial.but(window=30.0), claiming) == []


def test_an_idle_meter_is_no_reason_to_fail() -> None:
    """A window of no length, as an interrupted run has, divides nothing by zero."""
    nothing = ServerMeter(
        window_seconds=0.0, cpu_user_seconds=0.0, cpu_system_seconds=0.0, peak_rss_bytes=0, processes=0
    )
    trial = a_trial().record().model_copy(update={"server": nothing, "machine": calm_machine(0.0)})
    for check in ("contender-idle", "plateau", "foreign-load", "stolen", "pressure", "throttled"):
        found(check, EXPERIMENT, [trial])


class TestHarnessLimited:
    """A ceiling of 10,000 answers a second."""

    @staticmethod
    def judged(
        rate: float,
        *,
        connections: int = 16,
        threads: int | None = None,
        asked: int | None = None,
        machine: MachineMeter | None = None,
        streams: int | None = None,
    ) -> list[str]:
        calibration = Calibration(
            connections=connections,
            keep_alive=True,
            threads=threads,
            ceiling_per_second=10_000,
            mean_per_second=9_500,
            window_seconds=1.0,
            engine_cpu_seconds_per_request=1e-5,
            busiest_thread_share=0.9,
            machine=machine or calm_machine(1.0),
        )
        record = an_experiment("a").but(threads=asked, streams=streams).record()
        record = record.model_copy(update={"calibrations": [calibration]})
        return severities(found("harness-limited", record, [a_trial().serving(rate).record()]))

    @pytest.mark.parametrize(
        ("rate", "expected"), [(8_990, []), (9_010, ["refusal"]), (11_000, ["refusal"]), (11_200, ["warning"])]
    )
    def test_near_the_ceiling(self, rate: float, expected: list[str]) -> None:
        assert self.judged(rate) == expected

    def test_the_ceiling_of_another_load_is_no_ceiling(self) -> None:
        assert self.judged(9_500, connections=64) == []
        assert self.judged(9_500, threads=10) == []
        assert self.judged(9_500, threads=10, asked=10) == ["refusal"]

    @pytest.mark.parametrize("own", [0.95, 0.80])
    def test_a_disturbed_calibration_refuses_nobody(self, own: float) -> None:
        machine = calm_machine(1.0).model_copy(update={"own_server_cpu_seconds": own})
        assert self.judged(9_500, machine=machine) == (["refusal"] if own == 0.95 else ["warning"])

    def test_the_ceiling_over_http1_is_none_over_http2(self) -> None:
        assert self.judged(9_500, streams=1) == []

    @pytest.mark.parametrize(
        ("ceilings", "expected"),
        [
            ((10_000, 10_000, 10_000), []),
            ((10_000, 8_000, 8_000), [(2, "refusal"), (3, "refusal")]),
            ((8_000, 10_000, 10_000), [(1, "warning")]),
            ((20_000, 20_000, 20_000), []),
        ],
    )
    def test_a_trial_is_held_against_the_ceiling_of_its_block(
        self, ceilings: Sequence[float], expected: list[tuple[int, str]], snapshot: object
    ) -> None:
        """7,600 a second in each. Where one block's ceiling alone lies so low, a disturbance may have lowered it."""
        calibrated = Calibration(
            connections=16,
            keep_alive=True,
            ceiling_per_second=7_000,
            mean_per_second=7_000,
            window_seconds=1.0,
            engine_cpu_seconds_per_request=1e-5,
            busiest_thread_share=0.9,
            machine=calm_machine(1.0),
        )
        record = an_experiment("a", blocks=3).record().model_copy(update={"calibrations": [calibrated]})
        trials = [
            trial.model_copy(
                update={"ceiling": BlockCeiling(per_second=each, slices_per_second=[each], machine=calm_machine(0.6))}
            )
            for trial, each in zip(trials_of(record, a_trial().serving(7_600)), ceilings, strict=True)
        ]
        findings = found("harness-limited", record, trials)
        assert [(finding.trial, finding.severity) for finding in findings] == expected
        assert [finding.evidence for finding in findings] == snapshot

    def test_records_without_a_calibration_are_left_alone(self) -> None:
        assert in_trial("harness-limited", a_trial().serving(1e6)) == []


class TestGeneratorLate:
    """An open load: 4,000 a second, p50 4 ms, p99 16 ms."""

    @staticmethod
    def found(
        lag_ms: float, *, peak: int = 0, sent: int = 12_000, achieved: float | None = 1.0, of_all_ms: float = 0.0
    ) -> list[Finding]:
        """`lag_ms` is in each percentile of response time from p99 on, and `of_all_ms` in those below."""
        trial = a_trial().record()
        assert trial.engine
        lag = times(12_000, 1e-6)
        lag = lag.model_copy(update={"percentiles": lag.percentiles | {"99": lag_ms / 1000}})
        response = trial.engine.response_time
        percentiles = {
            name: at and at - (lag_ms if float(name) >= 99 else of_all_ms) / 1000
            for name, at in response.percentiles.items()
        }
        service = response.model_copy(update={"percentiles": percentiles})
        changes = {
            "send_lag": lag,
            "service_time": service,
            "achieved_over_offered": achieved,
            "offered": 12_000,
            "sent": sent,
            "waiting": Waiting(limit=1000, peak=peak, at_end=0),
        }
        changed = trial.model_copy(update={"engine": trial.engine.model_copy(update=changes)})
        return found("generator-late", EXPERIMENT, [changed])

    def judged(self, lag_ms: float, **more: Any) -> list[str]:
        return [f"{one.severity}: {one.evidence}" for one in self.found(lag_ms, **more)]

    @pytest.mark.parametrize(
        ("lag", "expected"), [(1.5, []), (1.7, ["warning"]), (7.9, ["warning"]), (8.1, ["refusal"])]
    )
    def test_by_its_part_of_the_tail(self, lag: float, expected: list[str]) -> None:
        assert [found.split(":")[0] for found in self.judged(lag)] == expected

    def test_only_what_the_lag_has_moved_is_lost(self) -> None:
        (finding,) = self.found(8.1)
        assert finding.metrics == ["response_time_p99"]
        assert not finding.refuses_trial
        taken = {name for name in METRICS if finding.takes(name)}
        assert taken == {"response_time_p99"}  # of p99.9, 64 ms, it is a part that is warned of
        assert finding.takes("response_time_p99.5") and not finding.takes("service_time_p99")
        assert not finding.takes("response_time_p98") and not finding.takes("response_time_p99.95")
        (all_of_it,) = self.found(8.1, of_all_ms=3.0)
        assert "response_time_p50" in all_of_it.metrics

    def test_a_fast_honest_server_keeps_its_goodput(self) -> None:
        """1,000 answers a second, p99 of the lag most of a p99 of 1.2 ms: nine trials, of which none is refused."""
        record = an_experiment("a", "b", blocks=9).claiming("a", "b", metric="response_time_p50", at_most=2).record()
        trials = []
        for trial in trials_of(record, a_trial().serving(1000).taking(0.0003)):
            assert trial.engine
            response = trial.engine.response_time
            at = {name: value if float(name) < 99 else 0.0003 for name, value in response.percentiles.items()}
            service = response.model_copy(update={"percentiles": at})
            update = {"service_time": service, "achieved_over_offered": 1.0, "offered": trial.engine.sent}
            trials.append(trial.model_copy(update={"engine": trial.engine.model_copy(update=update)}))
        result = judge(record, trials, interrupted=False)
        figures = result.conditions[0].figures
        assert {trial.outcome for each in result.conditions for trial in each.trials} == {"valid"}
        assert figures["goodput_per_second"] is not None and figures["response_time_p50_seconds"] is not None
        assert figures["response_time_p99_seconds"] is None and figures["service_time_p99_seconds"] is not None
        assert result.claims[0].verdict == "upheld"
        assert "generator-late (in 18)" in result.claims[0].sentence

    def test_requests_that_were_not_sent(self, snapshot: object) -> None:
        assert self.judged(0.1, sent=11_890) == []
        (finding,) = self.judged(0.1, sent=11_800)
        assert finding == snapshot

    def test_who_waits_for_a_connection_waits_for_the_contender(self) -> None:
        (finding,) = self.judged(15, peak=300, sent=9_000, achieved=0.7)
        assert finding.startswith("warning") and "did not keep up" in finding
        assert self.judged(0.1, peak=2) == []

    def test_a_closed_load_has_no_schedule_to_miss(self) -> None:
        assert self.judged(15, achieved=None) == []
