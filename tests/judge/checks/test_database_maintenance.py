"""Windows that differ in what the database did for itself: fires, and keeps quiet."""

from collections.abc import Mapping, Sequence

import pytest

from fairtrial.judge.checks.model import Finding
from fairtrial.record.database import Maintenance
from tests.builders import a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found

CALM = {"checkpoints": 0, "pages": 0, "vacuums": 0, "analyses": 0}
RECORD = an_experiment("a", "b", blocks=3).record()


def findings(
    by_trial: Mapping[int, Mapping[str, int]],
    usual: Mapping[str, int] = CALM,
    running: Mapping[int, Sequence[str]] | None = None,
    service: str = "postgresql",
) -> list[Finding]:
    """Of six trials, of windows of 3 s, in which the counters grew as they usually do or as these did."""
    trials = [
        trial.model_copy(
            update={
                "maintenance": {
                    service: Maintenance(
                        seconds=3.0,
                        counted=dict(by_trial.get(trial.index, usual)),
                        running=list((running or {}).get(trial.index, ())),
                    )
                }
            }
        )
        for trial in trials_of(RECORD, a_trial())
    ]
    return found("database-maintenance", RECORD, trials)


@pytest.mark.parametrize(
    "did",
    [{"checkpoints": 1, "pages": 812}, {"pages": 600}, {"vacuums": 1}, {"analyses": 2}],
)
def test_the_window_that_held_what_others_did_not_is_named(did: dict[str, int], snapshot: object) -> None:
    (finding,) = findings({4: CALM | did})
    assert (finding.trial, finding.severity) == (4, "warning")
    assert finding.evidence == snapshot
    assert "lengthen the windows" in finding.remedy


def test_the_window_that_lacked_it_is_named_where_that_is_rarer(snapshot: object) -> None:
    """Half of them: those that held it."""
    held = {"checkpoints": 1, "pages": 5}
    assert [finding.trial for finding in findings({2: CALM}, usual=held)] == [2]
    assert findings({2: CALM}, usual=held)[0].evidence == snapshot
    assert [finding.trial for finding in findings({1: held, 2: held, 6: held})] == [1, 2, 6]


@pytest.mark.parametrize("usual", [CALM, {"checkpoints": 2, "pages": 900, "vacuums": 1}])
def test_windows_that_are_alike_are_no_finding(usual: dict[str, int]) -> None:
    assert findings({}, usual) == []


def test_a_checkpoint_without_anything_to_write_is_none() -> None:
    assert findings({4: {"checkpoints": 1, "pages": 0}}) == []
    assert [finding.trial for finding in findings({4: {"checkpoints": 1}}, {"checkpoints": 0})] == [4]


@pytest.mark.parametrize(
    ("pages", "waits", "expected"), [(599, 0, []), (600, 0, ["warning"]), (10, 1, ["warning"]), (0, 0, [])]
)
def test_pages_that_are_flushed_because_they_have_to_be(pages: int, waits: int, expected: list[str]) -> None:
    """200 a second, in 3 s."""
    usual = {"pages": 30, "waits_for_pages": 0}
    seen = findings({4: {"pages": pages, "waits_for_pages": waits}}, usual, service="mariadb")
    assert [finding.severity for finding in seen] == expected
    assert not expected or "held a flush of mariadb" in seen[0].evidence


def test_what_was_under_way_at_an_end_of_the_window_counts(snapshot: object) -> None:
    assert [finding.trial for finding in findings({}, running={3: ["vacuum"]})] == [3]
    (finding,) = findings({}, {"snapshots": 0}, {5: ["snapshot"]}, "redis")
    assert finding.evidence == snapshot


def test_a_service_that_tells_nothing_is_said_to_be_not_examined() -> None:
    (finding,) = findings({}, {})
    assert (finding.trial, finding.severity) == (None, "note")
    assert "not examined: postgresql" in finding.evidence


def test_records_from_before_it_was_kept_are_left_alone() -> None:
    assert found("database-maintenance", RECORD, trials_of(RECORD, a_trial())) == []


def test_values_of_a_sweep_are_not_compared_with_each_other() -> None:
    """One value writes more than the other: its windows all hold a checkpoint."""
    record = an_experiment("a", blocks=3).sweeping(1, 16).record()
    trials = [
        trial.model_copy(
            update={
                "maintenance": {
                    "postgresql": Maintenance(
                        seconds=3.0, counted={"checkpoints": trial.index % 2, "pages": 900 * (trial.index % 2)}
                    )
                }
            }
        )
        for trial in trials_of(record, a_trial())
    ]
    assert found("database-maintenance", record, trials) == []
