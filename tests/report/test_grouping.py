from fairtrial.judge.checks.model import Finding
from fairtrial.report.columns import in_order
from fairtrial.report.grouping import grouped_findings, numbered, obstacles
from tests.report.scene import judged


def test_the_same_finding_in_several_trials_is_one() -> None:
    groups = grouped_findings(judged()[0])
    assert [(group.severity, group.check, group.contender, len(group.trials)) for group in groups] == [
        ("refusal", "errors", "python-threads", 2),
        ("warning", "placement-shared", None, 0),
        ("warning", "generator-saturated", "rust-axum", 5),
        ("note", "errors", None, 0),
        ("note", "not-stationary", None, 0),
    ]


def test_checks_that_say_the_same_of_the_same_trials_are_named_together() -> None:
    """A contender that the lab did not start: six checks know none of its processes."""
    result = judged()[0]
    first = result.conditions[0].trials[0]
    unknown = [
        Finding(check=check, severity="note", evidence="not examined", remedy=remedy)
        for check, remedy in [("plateau", "start it"), ("pressure", "start it"), ("stolen", "look elsewhere")]
    ]
    first.findings.extend(unknown)
    checks = [group.check for group in grouped_findings(result) if group.evidence == "not examined"]
    assert checks == ["plateau, pressure", "stolen"]


def test_a_reason_why_trials_were_not_run_is_given_once_with_its_remedy() -> None:
    (obstacle,) = obstacles(judged()[0])
    assert (obstacle.outcome, obstacle.contender, obstacle.remedy) == ("not run", "bun-serve", "install Bun")
    assert len(obstacle.trials) == 5


def test_conditions_without_figures_come_last() -> None:
    assert [condition.outcome for condition in in_order(judged()[0].conditions)] == ["valid"] * 3 + [
        "refused",
        "not run",
    ]


def test_trials_are_named_by_their_numbers() -> None:
    assert numbered([3]) == "trial 3"
    assert numbered([1, 2, 9]) == "trials 1, 2 and 9"
    assert numbered(range(1, 10)) == "trials 1, 2, 3, 4, 5 and 4 more"
