"""What a workload file or a short window gives no means to examine is in every result."""

from collections.abc import Sequence

import pytest

from fairtrial.judge.checks import all_checks
from fairtrial.judge.checks.model import Case
from fairtrial.judge.judging import judge
from fairtrial.judge.not_examined import OF_WORKLOAD_FILES, unexamined_notes
from fairtrial.load.ramp import RampLoad
from fairtrial.record.capacity import CapacitySearch
from fairtrial.record.identity import WorkloadIdentity
from fairtrial.record.model import Clause, ExperimentRecord, TrialRecord
from fairtrial.record.slices import Slicing
from tests.builders import TrialBuilder, a_trial, a_warm_up, an_experiment, trials_of

FILE = WorkloadIdentity(name="shop.workload.toml", title="", sha256="0" * 64, requests={"look": "GET /items"})


def test_a_result_of_a_workload_file_lists_what_was_not_examined() -> None:
    record = an_experiment("a", "b").claiming("a", "b", at_least=0.5).record()
    trials = trials_of(record, a_trial().serving(4000).but(window=10.0))
    own = record.model_copy(update={"own_workload": FILE, "implied_work": {}})
    notes = {
        finding.check: finding for finding in judge(own, trials, interrupted=False).findings if finding.trial is None
    }
    assert (
        notes.keys()
        == {"answered-while-held", "ledger", "stale", "writes-stored"}
        == OF_WORKLOAD_FILES.keys()
        <= all_checks().keys()
    )
    assert all(note.severity == "note" and note.evidence.startswith("not examined: ") for note in notes.values())
    lab_s = judge(record, trials, interrupted=False)
    assert lab_s.findings == []
    assert [claim.verdict for claim in judge(own, trials, interrupted=False).claims] == [
        claim.verdict for claim in lab_s.claims
    ]


def unexamined(audits: dict[str, list[str]]) -> dict[str, str]:
    """By check, what a result says was not examined, of a file with these audits."""
    requests = {"look": "GET /items", "order": "POST /orders", "cancel": "DELETE /orders/{{row orders id}}"}
    own = FILE.model_copy(update={"requests": requests, "audits": audits})
    record = an_experiment("a").record().model_copy(update={"own_workload": own, "implied_work": {}})
    findings = judge(record, trials_of(record, a_trial().but(window=10.0)), interrupted=False).findings
    return {each.check: each.evidence for each in findings if each.evidence.startswith("not examined: ")}


def test_what_audits_prove_is_not_listed_and_the_rest_by_name(snapshot: object) -> None:
    assert unexamined({"stored": ["order"], "cancelled": ["cancel"]}).keys() == {
        "answered-while-held",
        "ledger",
        "stale",
    }
    assert unexamined({"stored": ["order"]})["writes-stored"] == snapshot
    # An audit that no number of requests bounds from below says nothing about any of them.
    assert "of: order, cancel; no audit" in unexamined({"none-open": []})["writes-stored"]


def test_a_request_that_was_answered_otherwise_has_a_remedy_of_its_own() -> None:
    record = an_experiment("a").record()
    own = record.model_copy(update={"own_workload": FILE.model_copy(update={"journeys": ["buy"]})})
    clauses = [Clause(name=name, requirement="x", passed=False, evidence="y") for name in ("look", "buy", "close")]
    trial = a_trial().record().model_copy(update={"contract": clauses})
    check = all_checks()["contract"]
    look, buy, close = check.findings(Case.of(own, [trial]), {})
    assert "`expect`" in look.remedy and buy.remedy == look.remedy and close.remedy == check.remedy


def test_requests_of_which_nothing_is_expected_are_told(snapshot: object) -> None:
    record = an_experiment("a").record()
    own = record.model_copy(update={"own_workload": FILE.model_copy(update={"expects_nothing": ["look", "home"]})})
    (note,) = [finding for finding in judge(own, [], interrupted=False).findings if finding.check == "errors"]
    assert note.severity == "note" and note.evidence == snapshot


def test_a_schema_that_says_nothing_is_told(snapshot: object) -> None:
    record = an_experiment("a").record()
    own = record.model_copy(update={"own_workload": FILE.model_copy(update={"accepts_anything": ["look"]})})
    (note,) = [finding for finding in judge(own, [], interrupted=False).findings if finding.check == "errors"]
    assert (note.severity, note.evidence) == ("note", snapshot)


def short_windows(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> list[str]:
    findings = judge(record, trials, interrupted=False).findings
    assert all(each.severity == "note" and each.remedy for each in findings)
    return [each.evidence for each in findings if each.check == "not-stationary"]


def test_windows_that_are_too_short_are_named_once_for_each_condition_and_not_for_each_trial() -> None:
    record = an_experiment("a", "b", "c").record()
    windows = {"a": 3.0, "b": 9.9, "c": 10.0}
    (first, second) = short_windows(record, trials_of(record, lambda name, _: a_trial().but(window=windows[name])))
    asked = "not examined: whether goodput and times change within a window, which takes 10 s, of: "
    assert (first, second) == (f"{asked}a (3 s at most)", f"{asked}b (9.9 s at most)")
    (both,) = short_windows(
        record, trials_of(record, lambda name, _: a_trial().but(window=10.0 if name == "b" else 2.0))
    )
    assert both == f"{asked}a, c (2 s at most)"


def test_a_condition_of_which_one_window_was_long_enough_was_examined() -> None:
    """As where a number of requests takes longer at times."""
    record = an_experiment("a").record()
    trials = trials_of(record, lambda _, block: a_trial().but(window=10.0 if block == 3 else 8.0))
    assert short_windows(record, trials) == []


def test_of_a_rate_that_changes_it_is_said_that_it_does_however_long_the_windows_are(snapshot: object) -> None:
    record = an_experiment("a", "b").record()
    ramp = RampLoad(kind="ramp", from_per_second=100, to_per_second=4000)
    conditions = [record.conditions[0].model_copy(update={"load": ramp}), record.conditions[1]]
    changed = record.model_copy(update={"conditions": conditions})
    found = judge(changed, trials_of(changed, a_trial().but(window=12.0)), interrupted=False).findings
    unexamined = [each for each in found if not each.examined]
    assert {each.check for each in unexamined} <= {"not-stationary", "not-warm"}
    (note,) = [each.evidence for each in unexamined if each.check == "not-stationary"]
    assert note == snapshot


def test_what_was_not_measured_has_no_window_that_is_too_short() -> None:
    record = an_experiment("a").record()
    assert short_windows(record, trials_of(record, a_trial().failing("start", "it ended"))) == []


def test_of_slices_it_is_said_that_they_are() -> None:
    record = an_experiment("a").record()
    slicing = Slicing(planned_rounds=30, rule="quiet", slices=[], idle_seconds=1.0, idle_cpu_seconds=0.0)
    trials = [
        trial.model_copy(
            update={"slices": slicing, "engine": trial.engine and trial.engine.model_copy(update={"series": []})}
        )
        for trial in trials_of(record, a_trial().but(window=12.0))
    ]
    (told,) = short_windows(record, trials)
    assert told.endswith("of: a (measured in slices)")


@pytest.mark.parametrize(
    ("make", "blocks", "compared"),
    [
        (a_trial(), 2, False),
        (a_trial().but(window=1.9), 5, False),
        (a_trial().but(window=2.0), 3, True),
        (a_trial().but(window=1.9, warm_up=a_warm_up("flat")), 2, True),
        (a_trial().but(window=1.9, warm_up=a_warm_up("unknown")), 2, False),
        (a_trial().failing("start", "it ended"), 3, True),
        (a_trial().but(capacity=CapacitySearch(probes=[], found=[])), 5, False),
    ],
)
def test_first_parts_that_were_not_compared_are_named_with_the_reason(
    make: TrialBuilder, blocks: int, compared: bool, snapshot: object
) -> None:
    record = an_experiment("a", "b", blocks=blocks).record()
    findings = judge(record, trials_of(record, make), interrupted=False).findings
    notes = [each.evidence for each in findings if each.check == "not-warm"]
    assert notes == ([] if compared else [snapshot])


def test_over_http2_there_is_no_ceiling_and_streams_are_not_told_apart() -> None:
    loads = {"pool": {"connections": 8}, "multiplexed": {"connections": 1, "http2": True, "streams": 8}}
    record = an_experiment("a").but(loads=loads).sweeping("pool", "multiplexed", parameter="load").record()
    notes = {each.check: each for each in unexamined_notes(record, [])}
    assert {"harness-limited", "latency-at-the-floor", "uneven-connections"} <= set(notes)
    for name in ("harness-limited", "latency-at-the-floor", "uneven-connections"):
        assert "a at multiplexed" in notes[name].evidence and "a at pool" not in notes[name].evidence
        assert notes[name].severity == "note" and notes[name].remedy
    assert "own target speaks HTTP/1.1 alone" in notes["harness-limited"].evidence


@pytest.mark.parametrize(("streams", "checks"), [(None, set()), (1, {"harness-limited", "latency-at-the-floor"})])
def test_who_has_a_ceiling_or_one_stream_is_examined(streams: int | None, checks: set[str]) -> None:
    record = an_experiment("a").but(streams=streams).record()
    assert {each.check for each in unexamined_notes(record, []) if "HTTP" in each.evidence} == checks
    assert "uneven-connections" not in {each.check for each in unexamined_notes(record, [])}
