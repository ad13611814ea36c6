"""Each check fires at its boundary, and is quiet on the other side of it."""

import pytest

from fairtrial.judge.checks import all_checks, run_checks
from fairtrial.record.machine import ProcessorUse
from fairtrial.record.model import ExperimentRecord
from fairtrial.record.placement import Placement
from tests.builders import ERROR_KINDS, a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found, in_trial, severities


def test_an_honest_experiment_has_no_findings() -> None:
    record = an_experiment("a", "b", "c").record()
    assert list(run_checks(record, trials_of(record, a_trial()))) == []


def test_a_trial_without_measurements_is_no_business_of_checks() -> None:
    for stage in ("service", "requirements", "build", "start", "interrupted"):
        record = an_experiment("a", "b").record()
        assert list(run_checks(record, [a_trial().failing(stage, "it did not").record()])) == []


def test_every_finding_names_a_remedy() -> None:
    assert all(check.remedy and check.looks_at for check in all_checks().values())


class TestContract:
    def test_a_broken_clause_is_refused(self) -> None:
        (finding,) = in_trial("contract", a_trial().breaking("unknown path", "GET /nowhere answered 200"))
        assert finding.severity == "refusal"
        assert "unknown path" in finding.evidence and "answered 200" in finding.evidence

    def test_a_kill_instead_of_an_exit_is_refused(self) -> None:
        (finding,) = in_trial("contract", a_trial().but(forced=True))
        assert finding.severity == "refusal" and "5.2 s" in finding.evidence and "SIGTERM" in finding.remedy

    def test_a_stack_that_keeps_the_contract_is_left_alone(self) -> None:
        assert in_trial("contract", a_trial()) == []


class TestServerExited:
    @pytest.mark.parametrize(
        ("status", "words"),
        [(0, "status 0"), (1, "status 1"), (139, "SIGSEGV"), (-9, "SIGKILL"), (137, "SIGKILL"), (160, "signal 32")],
    )
    def test_an_end_of_its_own_is_refused_whatever_the_status(self, status: int, words: str) -> None:
        (finding,) = in_trial("server-exited", a_trial().but(exit_status=status))
        assert finding.severity == "refusal" and words in finding.evidence
        assert ("memory" in finding.remedy) == (words == "SIGKILL")

    def test_a_stack_that_stays_is_left_alone(self) -> None:
        assert in_trial("server-exited", a_trial()) == []


class TestErrors:
    @pytest.mark.parametrize(
        ("verified", "errors", "expected"), [(9990, 10, ["warning"]), (9990, 11, ["refusal"]), (10_000, 0, [])]
    )
    def test_a_thousandth_is_the_limit(self, verified: int, errors: int, expected: list[str]) -> None:
        trial = a_trial().serving(verified / 3).erring(timeout=errors)
        assert severities(in_trial("errors", trial)) == expected

    @pytest.mark.parametrize("kind", ["wrong_body", "wrong_length", "wrong_header"])
    def test_the_first_wrong_answer_refuses(self, kind: str) -> None:
        (finding,) = in_trial("errors", a_trial().erring(**{kind: 1}))
        assert finding.severity == "refusal" and f"{kind} 1" in finding.evidence

    def test_a_few_wrong_answers_speak_louder_than_many_timeouts(self) -> None:
        (finding,) = in_trial("errors", a_trial().erring(timeout=5, wrong_body=1))
        assert "dataset" in finding.remedy

    def test_the_example_cannot_command_the_terminal(self) -> None:
        finding, _ = in_trial("errors", a_trial().erring(status_5xx=9).showing("\x1b[2Joops\n<script>"))
        assert "\x1b" not in finding.evidence and "\\x1b[2Joops <script>" in finding.evidence

    @pytest.mark.parametrize("kind", ERROR_KINDS)
    def test_every_kind_has_a_remedy_of_its_own(self, kind: str) -> None:
        (finding,) = in_trial("errors", a_trial().erring(**{kind: 100}))
        assert finding.remedy != all_checks()["errors"].remedy

    def test_an_error_without_a_status_is_shown_without_one(self) -> None:
        trial = a_trial().erring(protocol=3).showing("SSH", "protocol", None)
        finding, _ = in_trial("errors", trial)
        assert "protocol: “SSH”" in finding.evidence


class TestGeneratorSaturated:
    @pytest.mark.parametrize(
        ("share", "expected"),
        [(0.79, []), (0.8, ["warning"]), (0.94, ["warning"]), (0.95, ["refusal"]), (1, ["refusal"])],
    )
    def test_by_the_share_of_a_processor(self, share: float, expected: list[str]) -> None:
        assert severities(in_trial("generator-saturated", a_trial().but(engine_cpu=share + 1e-9))) == expected

    def test_threads_on_one_processor_count_together(self, snapshot: object) -> None:
        """Ten threads on one processor: it is busy all the time, and each of them for a tenth of it."""
        (finding,) = in_trial("generator-saturated", a_trial().but(engine_cpu=0.096, engine_threads=10))
        assert finding.severity == "refusal" and finding.evidence == snapshot
        assert in_trial("generator-saturated", a_trial().but(engine_cpu=0.07, engine_threads=10)) == []

    def test_threads_on_processors_of_their_own_count_for_themselves(self) -> None:
        one = an_experiment("a").record()
        two = one.model_copy(update={"placement": Placement(load_cpus=[1, 2], server_cpus=[0], disjoint=True)})
        trial = a_trial().but(engine_cpu=0.7, engine_threads=2).record()
        assert found("generator-saturated", two, [trial]) == []
        assert severities(found("generator-saturated", one, [trial])) == ["refusal"]

    def test_spinning_is_no_work(self) -> None:
        """An open load stays awake for its next moment and takes a whole processor for it, at any rate."""
        assert in_trial("generator-saturated", a_trial().but(engine_cpu=1.0, engine_spinning=0.9)) == []
        worked = a_trial().but(engine_cpu=1.0, engine_spinning=0.1)
        (finding,) = in_trial("generator-saturated", worked)
        assert finding.severity == "warning" and "90.0% of a processor" in finding.evidence


class TestUnequalAnswers:
    def test_the_odd_one_of_three_is_refused(self) -> None:
        record = an_experiment("a", "b", "c", blocks=1).record()
        bodies = {"a": 5113.0, "b": 601.0, "c": 5113.0}
        findings = found(
            "unequal-answers", record, trials_of(record, lambda name, block: a_trial().but(body=bodies[name]))
        )
        assert [finding.trial for finding in findings] == [2]
        assert "601" in findings[0].evidence and "5,113" in findings[0].evidence

    def test_of_two_that_differ_both_are_refused(self) -> None:
        record = an_experiment("a", "b", blocks=2).record()
        bodies = {"a": 5113.0, "b": 601.0}
        findings = found(
            "unequal-answers", record, trials_of(record, lambda name, block: a_trial().but(body=bodies[name]))
        )
        assert [finding.trial for finding in findings] == [1, 2, 3, 4]
        assert "cannot be told" in findings[0].evidence

    def test_the_error_pages_of_one_accuse_no_other(self) -> None:
        """Refused as errors already; their size says nothing about who is right."""
        record = an_experiment("a", "b", blocks=1).record()
        failing = a_trial().but(body=48.0).erring(status_5xx=9000)
        findings = found(
            "unequal-answers", record, trials_of(record, lambda name, block: failing if name == "b" else a_trial())
        )
        assert findings == []

    def test_one_odd_trial_of_a_contender_is_refused_alone(self) -> None:
        record = an_experiment("a", "b", blocks=5).record()
        findings = found(
            "unequal-answers",
            record,
            trials_of(record, lambda name, block: a_trial().but(body=90.0 if (name, block) == ("a", 4) else 230.0)),
        )
        assert [finding.trial for finding in findings] == [7]

    @pytest.mark.parametrize(("other", "expected"), [(200.0, []), (180.0, []), (179.9, ["refusal", "refusal"])])
    def test_white_space_is_tolerated(self, other: float, expected: list[str]) -> None:
        record = an_experiment("a", "b", blocks=1).record()
        bodies = {"a": 200.0, "b": other}
        trials = trials_of(record, lambda name, block: a_trial().but(body=bodies[name]))
        assert severities(found("unequal-answers", record, trials)) == expected

    @pytest.mark.parametrize(("parameter", "values"), [("requests", ("list", "look")), ("options.selects", (8, 9))])
    def test_where_a_sweep_decides_what_is_asked_for_only_those_at_one_value_must_agree(
        self, parameter: str, values: tuple[str | int, ...]
    ) -> None:
        record = an_experiment("a", "b", "c", blocks=1).sweeping(*values, parameter=parameter).record()
        bodies = {f"c at {values[1]}": 48.0, **{f"{name} at {values[1]}": 200.0 for name in "ab"}}
        trials = trials_of(record, lambda name, block: a_trial().but(body=bodies.get(name, 5113.0)))
        (odd,) = [trial for trial in trials if trial.engine is not None and trial.engine.body_bytes.mean == 48]
        assert [finding.trial for finding in found("unequal-answers", record, trials)] == [odd.index]

    def test_one_contender_has_nobody_to_differ_from(self) -> None:
        assert in_trial("unequal-answers", a_trial(), an_experiment("a")) == []


def test_an_altered_dataset_is_refused() -> None:
    assert severities(in_trial("dataset-altered", a_trial().but(altered=True))) == ["refusal"]
    assert in_trial("dataset-altered", a_trial()) == []


def test_a_shared_processor_is_a_warning_on_the_experiment() -> None:
    (finding,) = found("placement-shared", an_experiment("a").sharing_processors().record(), [])
    assert (finding.trial, finding.severity) == (None, "warning")
    assert found("placement-shared", an_experiment("a").record(), []) == []


def placed(**more: object) -> ExperimentRecord:
    record = an_experiment("a").record()
    return record.model_copy(update={"placement": record.placement.model_copy(update=more)})


def test_a_shared_core_is_a_warning_on_the_experiment() -> None:
    (finding,) = found("placement-shared", placed(shared_cores=[[0, 1]]), [])
    assert (finding.trial, finding.severity) == (None, "warning")
    assert "share the core of processors 0, 1" in finding.evidence and "two cores" in finding.remedy


def test_a_server_on_several_numa_nodes_is_noted() -> None:
    (finding,) = found("placement-shared", placed(server_nodes=[0, 1, 2], load_nodes=[3]), [])
    assert (finding.trial, finding.severity) == (None, "note")
    assert "NUMA nodes 0, 1, 2" in finding.evidence
    apart = placed(server_nodes=[0], load_nodes=[1], server_kind="performance", load_kind="efficiency")
    assert found("placement-shared", apart, []) == []


class TestPlacementShared:
    SWEPT = an_experiment("a").sweeping("disjoint", "shared", parameter="placement")

    def test_where_it_is_asked_for_its_trials_are_refused_and_no_others(self, snapshot: object) -> None:
        record = self.SWEPT.record()
        findings = found("placement-shared", record, trials_of(record, a_trial()))
        assert severities(findings) == ["refusal"] * 5
        assert [finding.trial for finding in findings] == [2, 4, 6, 8, 10]
        assert findings[0].evidence == snapshot
        assert "on_purpose = 1" in findings[0].remedy

    def test_on_purpose_it_is_a_warning(self) -> None:
        record = self.SWEPT.checking("placement-shared", on_purpose=1).record()
        assert severities(found("placement-shared", record, trials_of(record, a_trial()))) == ["warning"] * 5

    def test_the_engine_is_no_stranger_on_the_processor_that_it_shares(self) -> None:
        record = self.SWEPT.record()
        busy = [ProcessorUse(cpu=0, busy_seconds=2.9, interrupt_seconds=0, steal_seconds=0)]
        meter = {"processors": busy, "own_server_cpu_seconds": 2.0, "own_load_cpu_seconds": 0.9}
        findings = found("foreign-load", record, trials_of(record, a_trial().on_machine(**meter)))
        assert {finding.trial for finding in findings} == {1, 3, 5, 7, 9}


def test_zero_is_never_a_result() -> None:
    (finding,) = in_trial("too-few-answers", a_trial().serving(0))
    assert finding.severity == "refusal" and "16 still waited" in finding.evidence
    assert in_trial("too-few-answers", a_trial().serving(1 / 3)) == []
