"""What the machine and its network did: each check fires at its boundary, and is quiet below it."""

import json

import pytest

from fairtrial.judge.checks import run_checks
from fairtrial.judge.judging import judge
from fairtrial.record.machine import NetworkMeter, ProcessorUse
from fairtrial.record.model import ExperimentRecord, TrialRecord
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found, in_trial, severities


def test_a_calm_machine_has_no_findings() -> None:
    record = an_experiment("a", "b").record()
    assert list(run_checks(record, trials_of(record, a_trial().on_machine().on_network()))) == []


def test_records_from_before_the_machine_was_watched_can_be_read() -> None:
    record = an_experiment("a").record()
    first = record.model_dump(mode="json", exclude={"calibrations"})
    old = a_trial().record().model_dump(mode="json", exclude={"machine": True, "network": True})
    del old["server"]["rss_series_bytes"]
    trial = TrialRecord.model_validate_json(json.dumps(old))
    assert list(run_checks(ExperimentRecord.model_validate_json(json.dumps(first)), [trial])) == []


def test_records_from_before_contenders_had_shapes_can_be_read() -> None:
    record = an_experiment("a").record()
    first = record.model_dump(mode="json", exclude={"experiment": {"contenders"}})
    for identity in first["stacks"]:
        del identity["origin"], identity["commit"]
    old = a_trial().record().model_dump(mode="json", exclude={"not_measured"})
    read = ExperimentRecord.model_validate_json(json.dumps(first))
    assert read == record
    assert TrialRecord.model_validate_json(json.dumps(old)) == a_trial().record()


def test_a_kernel_that_tells_nothing_has_no_findings() -> None:
    untold = a_trial().on_machine(
        swapped_in_pages=None,
        swapped_out_pages=None,
        quota_throttled_periods=None,
        quota_throttled_seconds=None,
        pressure_seconds={},
    )
    network: dict[str, None] = dict.fromkeys(NetworkMeter.model_fields)
    record = an_experiment("a").record()
    assert list(run_checks(record, trials_of(record, untold.on_network(**network)))) == []


class TestSwapped:
    @pytest.mark.parametrize(
        ("pages_in", "pages_out", "expected"),
        [(0, 0, []), (1, 0, ["warning"]), (0, 5000, ["warning"]), (300, 0, ["warning"]), (301, 0, ["refusal"])],
    )
    def test_any_page_warns_and_a_hundred_a_second_refuse(
        self, pages_in: int, pages_out: int, expected: list[str]
    ) -> None:
        trial = a_trial().on_machine(swapped_in_pages=pages_in, swapped_out_pages=pages_out)
        assert severities(in_trial("swapped", trial)) == expected


class TestMetersLate:
    @pytest.mark.parametrize(
        ("seconds", "expected"), [(2.41, []), (3.59, []), (2.39, ["warning"]), (3.61, ["warning"]), (0.02, ["warning"])]
    )
    def test_of_the_machine_a_fifth_may_be_missed(self, seconds: float, expected: list[str], snapshot: object) -> None:
        findings = in_trial("meters-late", a_trial().on_machine(window_seconds=seconds))
        assert severities(findings) == expected
        assert [each.evidence for each in findings] == snapshot

    @pytest.mark.parametrize(("seconds", "is_lost"), [(2.86, False), (3.15, False), (2.84, True), (3.17, True)])
    def test_a_twentieth_of_the_stacks_processor_time_takes_that_figure_alone(
        self, seconds: float, is_lost: bool
    ) -> None:
        record = an_experiment("a").record()
        trials = [with_meters(trial, server=seconds) for trial in trials_of(record, a_trial())]
        result = judge(record, trials, interrupted=False).conditions[0]
        assert result.outcome == "valid" and result.figures["goodput_per_second"] is not None
        # Half of the blocks and more are late, so that the figure is lost altogether.
        assert (result.figures["server_cpu_seconds_per_1000_requests"] is None) == is_lost
        assert result.figures["response_time_p99_seconds"] is not None

    def test_what_trials_differ_by_anyway_is_no_loss(self) -> None:
        """Processor time for a request scatters by a fifth: a meter that misses a tenth decides nothing."""
        record = an_experiment("a", blocks=5).record()
        cpus = [0.5, 0.6, 0.7, 0.8, 0.9]
        trials = trials_of(record, lambda _, block: a_trial().but(server_cpu=cpus[block - 1]))
        late = [with_meters(trial, server=3.3) for trial in trials]
        assert found("meters-late", record, late) == []
        (first, *_) = late
        (alone,) = found("meters-late", record, [with_meters(first, server=6.0), *trials[1:]])
        assert alone.trial == first.index
        steady = [with_meters(trial, server=3.3) for trial in trials_of(record, a_trial())]
        assert len(found("meters-late", record, steady)) == 5

    def test_a_service_whose_meter_was_late_takes_nothing_of_the_stack(self, snapshot: object) -> None:
        """Windows of a fifth of a second, and a meter that was read 50 ms later: no claim uses it."""
        experiment = an_experiment("a", "b").claiming("a", "b", at_least=2)
        experiment = experiment.claiming("a", "b", metric="service_cpu_per_1000_requests", at_most=1)
        record = experiment.record()
        rates = {"a": 4000, "b": 1000}
        trials = [
            with_meters(trial, service=0.24)
            for trial in trials_of(record, lambda name, _: a_trial().serving(rates[name]).but(window=0.19))
        ]
        result = judge(record, trials, interrupted=False)
        assert [trial.outcome for each in result.conditions for trial in each.trials] == ["valid"] * 10
        goodput, cost = result.claims
        assert goodput.verdict == "upheld"
        assert cost.verdict == "undecided" and cost.reason is not None and cost.reason == snapshot

    def test_a_block_whose_meter_was_late_counts_for_neither_side(self) -> None:
        claim = {"metric": "server_cpu_per_1000_requests", "at_least": 1.5}
        record = an_experiment("a", "b", blocks=6).claiming("a", "b", **claim).record()
        rates = {"a": 1000, "b": 4000}
        trials = trials_of(record, lambda name, _: a_trial().serving(rates[name]))
        trials = [
            with_meters(each, server=2.0) if each.block == 2 and "a/" in each.condition else each for each in trials
        ]
        (verdict,) = judge(record, trials, interrupted=False).claims
        assert (verdict.verdict, verdict.blocks) == ("upheld", 5)
        assert "meters-late (in 1)" in verdict.sentence

    def test_how_late_is_no_matter_of_how_fast_the_contender_was(self) -> None:
        """Of windows of a number of requests the short ones are those of the fast trials: they are no likelier lost."""
        record = an_experiment("a", blocks=5).record()
        windows = [0.1, 0.2, 0.3, 0.4, 0.5]
        trials = trials_of(record, lambda _, block: a_trial().but(window=windows[block - 1]))
        late = [with_meters(each, server=each.engine.window_seconds + 0.012) for each in trials if each.engine]
        assert found("meters-late", record, late) == []
        late = [with_meters(each, server=each.engine.window_seconds + 0.03) for each in trials if each.engine]
        assert len(found("meters-late", record, late)) == 5

    def test_lost_meters_are_no_witness_of_what_the_figure_is_worth(self) -> None:
        """Three of six trials on time agree to a thousandth: what late ones show is not what trials differ by."""
        record = an_experiment("a", blocks=6).record()
        trials = trials_of(record, lambda _, block: a_trial().but(server_cpu=0.5 if block < 4 else 0.2 * block))
        late = [with_meters(each, server=3.6) if each.block >= 4 else each for each in trials]
        assert {each.trial for each in found("meters-late", record, late)} == {4, 5, 6}

    def test_each_meter_that_was_late_is_named(self, snapshot: object) -> None:
        record = a_trial().on_machine(window_seconds=2.0).record()
        findings = found("meters-late", an_experiment("a").record(), [with_meters(record, server=0.5)])
        assert [(each.severity, each.metrics) for each in findings] == [
            ("refusal", ["server_cpu_per_1000_requests"]),
            ("warning", []),
        ]
        assert findings[0].evidence == snapshot


def with_meters(trial: TrialRecord, **seconds: float) -> TrialRecord:
    """With meters that were open for so long, and saw as much processor time a second as the stack's."""
    assert trial.server is not None
    meter = trial.server
    changed = {
        name: meter.model_copy(
            update={
                "window_seconds": length,
                "cpu_user_seconds": meter.cpu_user_seconds * length / meter.window_seconds,
                "cpu_system_seconds": meter.cpu_system_seconds * length / meter.window_seconds,
            }
        )
        for name, length in seconds.items()
    }
    return trial.model_copy(update=changed)


def processors(*busy_and_steal: tuple[float, float]) -> list[ProcessorUse]:
    """Seconds of a window of 3 s, by processor."""
    return [
        ProcessorUse(cpu=cpu, busy_seconds=busy, interrupt_seconds=0.0, steal_seconds=steal)
        for cpu, (busy, steal) in enumerate(busy_and_steal)
    ]


@pytest.mark.parametrize("check", ["stolen", "foreign-load"])
@pytest.mark.parametrize(("window", "expected"), [(0.03, []), (0.6, ["refusal"])])
def test_windows_of_a_few_ticks_tell_nothing(check: str, window: float, expected: list[str]) -> None:
    taken = processors((0.5 * window, 0.5 * window), (0.0, 0.0))
    trial = a_trial().on_machine(window_seconds=window, processors=taken, own_server_cpu_seconds=0.0)
    assert severities(in_trial(check, trial)) == expected


class TestStolen:
    @pytest.mark.parametrize(
        ("server", "load", "expected"),
        [
            (0.14, 0.14, []),
            (0.16, 0.0, ["warning"]),
            (0.0, 0.16, ["warning"]),
            (0.74, 0.0, ["warning"]),
            (0.76, 0.0, ["refusal"]),
        ],
    )
    def test_by_share(self, server: float, load: float, expected: list[str]) -> None:
        trial = a_trial().on_machine(processors=processors((2.0, server), (1.0, load)))
        assert severities(in_trial("stolen", trial)) == expected

    def test_processors_of_nobody_do_not_count(self) -> None:
        assert in_trial("stolen", a_trial().on_machine(processors=processors((2, 0), (1, 0), (0, 3)))) == []


class TestForeignLoad:
    @pytest.mark.parametrize(
        ("server", "load", "expected"),
        [
            (2.29, 1.29, []),
            (2.31, 1.0, ["warning"]),
            (2.0, 1.31, ["warning"]),
            (2.74, 1.0, ["warning"]),
            (2.76, 1.0, ["refusal"]),
            (2.0, 3.0, ["warning"]),
            (1.0, 0.5, []),
        ],
    )
    def test_what_is_not_ours(self, server: float, load: float, expected: list[str]) -> None:
        """Ours: 2 s on the server's processor and 1 s on the load's, of 3 s."""
        trial = a_trial().on_machine(
            processors=processors((server, 0), (load, 0)), own_server_cpu_seconds=2.0, own_load_cpu_seconds=1.0
        )
        assert severities(in_trial("foreign-load", trial)) == expected

    def test_where_services_have_the_loads_processors_what_is_taken_there_is_taken_from_the_figure(self) -> None:
        trial = a_trial().on_machine(
            processors=processors((2.0, 0), (2.5, 0)), own_server_cpu_seconds=2.0, own_load_cpu_seconds=1.0
        )
        record = an_experiment("a").record()
        program = record.model_copy(update={"placement": record.placement.without_load()})
        (of_load,) = found("foreign-load", record, [trial.record()])
        (of_service,) = found("foreign-load", program, [trial.record()])
        assert (of_load.severity, of_service.severity) == ("warning", "refusal")
        assert "50% of the service's processors" in of_service.evidence

    @pytest.mark.parametrize(
        ("kernel", "expected"), [(None, ["refusal"]), (0.0, ["refusal"]), (0.29, ["warning"]), (0.8, ["note"])]
    )
    def test_threads_of_the_kernel_are_nobody_else(self, kernel: float | None, expected: list[str]) -> None:
        """Of 3 s, 2 s ours and 0.8 s not: as much of it as was the kernel's is noted. Older records do not say."""
        (server, load) = processors((2.8, 0), (1.0, 0))
        server = server.model_copy(update={"kernel_thread_seconds": kernel})
        used = {"own_server_cpu_seconds": 2.0, "own_load_cpu_seconds": 1.0, "kernel_threads": {"kcryptd": 0.8}}
        findings = in_trial("foreign-load", a_trial().on_machine(processors=[server, load], **used))
        assert severities(findings) == expected
        assert expected != ["note"] or "27% of the server's processors" in findings[0].evidence
        assert expected != ["note"] or "kcryptd 0.80 s" in findings[0].evidence

    def test_on_one_processor_the_engine_is_no_stranger(self) -> None:
        alone = an_experiment("a").sharing_processors()
        trial = a_trial().on_machine(
            processors=processors((3, 0)), own_server_cpu_seconds=2.0, own_load_cpu_seconds=1.0
        )
        assert in_trial("foreign-load", trial, alone) == []
        assert severities(in_trial("foreign-load", trial)) == ["refusal"]


class TestThrottled:
    @pytest.mark.parametrize(
        ("periods", "seconds", "expected"), [(0, 0.0, []), (2, 0.14, ["warning"]), (2, 0.16, ["refusal"])]
    )
    def test_a_quota(self, periods: int, seconds: float, expected: list[str]) -> None:
        trial = a_trial().on_machine(quota_throttled_periods=periods, quota_throttled_seconds=seconds)
        findings = in_trial("throttled", trial)
        assert severities(findings) == expected
        assert all("quota" in finding.remedy for finding in findings)

    def test_heat(self) -> None:
        (finding,) = in_trial("throttled", a_trial().on_machine(thermal_throttles=2))
        assert finding.severity == "warning" and "heat 2 times" in finding.evidence
        assert in_trial("throttled", a_trial().on_machine(thermal_throttles=0)) == []

    def test_a_clock_unlike_the_others(self) -> None:
        """The load's processor may run as it likes."""
        record = an_experiment("a", blocks=5).record()
        clocks = {1: 3.0e9, 2: 3.1e9, 3: 3.0e9, 4: 2.8e9, 5: 2.9e9}
        trials = trials_of(
            record, lambda _, block: a_trial().on_machine(frequencies_hertz={0: clocks[block], 1: block * 1e9})
        )
        (finding,) = found("throttled", record, trials)
        assert (finding.trial, finding.severity) == (4, "warning")
        assert "2.80 GHz" in finding.evidence and "3.00 GHz" in finding.evidence


class TestMemoryShort:
    def test_of_the_machine(self, snapshot: object) -> None:
        (finding,) = in_trial("memory-short", a_trial().on_machine(memory_available_bytes=400 * 2**20))
        assert finding.severity == "warning" and finding.evidence == snapshot
        assert in_trial("memory-short", a_trial().on_machine(memory_available_bytes=420 * 2**20)) == []

    def test_of_the_control_group(self, snapshot: object) -> None:
        tight = {"memory_limit_bytes": 1000 * 2**20, "memory_charged_bytes": 960 * 2**20}
        (finding,) = in_trial("memory-short", a_trial().on_machine(**tight))
        assert finding.evidence == snapshot
        roomy = tight | {"memory_charged_bytes": 940 * 2**20}
        assert in_trial("memory-short", a_trial().on_machine(**roomy)) == []


@pytest.mark.parametrize(("seconds", "expected"), [(0.029, []), (0.031, ["warning"])])
def test_stalls_for_memory(seconds: float, expected: list[str]) -> None:
    pressure = {"cpu": 3.0, "memory": seconds, "io": 3.0}
    assert severities(in_trial("pressure", a_trial().on_machine(pressure_seconds=pressure))) == expected


@pytest.mark.parametrize(("overflows", "drops", "expected"), [(0, 0, []), (1, 1, ["warning"]), (0, 1, ["warning"])])
def test_a_full_accept_queue(overflows: int, drops: int, expected: list[str]) -> None:
    trial = a_trial().on_network(listen_overflows=overflows, listen_drops=drops)
    assert severities(in_trial("backlog-overflow", trial)) == expected


@pytest.mark.parametrize(("again", "expected"), [(0, []), (49, []), (50, ["warning"])])
def test_segments_sent_again(again: int, expected: list[str]) -> None:
    """Of 50,000."""
    trial = a_trial().on_network(retransmitted_segments=again, timeouts=again)
    findings = in_trial("retransmits", trial)
    assert severities(findings) == expected
    assert all(f"{again} waited for a timeout" in finding.evidence for finding in findings)


@pytest.mark.parametrize(("recovered", "expected"), [(0, []), (60, ["warning"])])
def test_probes_on_suspicion_are_no_loss(recovered: int, expected: list[str]) -> None:
    trial = a_trial().on_network(retransmitted_segments=100, loss_probes=100, loss_probe_recoveries=recovered)
    assert severities(in_trial("retransmits", trial)) == expected


@pytest.mark.parametrize(
    ("waiting", "failed", "expected"),
    [(22_000, 0, []), (22_000, 9, []), (22_600, 0, ["warning"]), (22_600, 9, ["refusal"])],
)
def test_ports_that_run_out(waiting: int, failed: int, expected: list[str]) -> None:
    trial = a_trial().on_network(time_wait_sockets=waiting).erring(connect=failed)
    assert severities(in_trial("ports-exhausted", trial)) == expected


@pytest.mark.parametrize(("failed", "expected"), [(0, []), (9, ["refusal"])])
def test_ports_that_are_lent_again_run_out_only_where_connects_fail(failed: int, expected: list[str]) -> None:
    trial = a_trial().on_network(time_wait_sockets=28_000, ports_lent_again=True).erring(connect=failed)
    assert severities(in_trial("ports-exhausted", trial)) == expected


def test_ports_that_the_plan_withholds_are_no_matter_of_the_kernel() -> None:
    scarce = an_experiment("a").sweeping(500, 60_000, parameter="load.local_ports").record()
    trial = a_trial().on_network(time_wait_sockets=28_000, ports_lent_again=True).erring(connect=2).record()
    of_plan = trial.model_copy(update={"condition": scarce.conditions[0].id})
    assert found("ports-exhausted", scarce, [of_plan]) == []
