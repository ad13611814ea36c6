import re
from pathlib import Path

import pytest

from fairtrial.judge import checks
from fairtrial.judge.checks import all_checks, unusual_thresholds, validate_thresholds
from tests.builders import a_trial, an_experiment
from tests.judge.checks.findings import in_trial, severities


def test_every_check_in_the_folder_is_found() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(checks.__file__).parent.glob("*.py")]
    written = [name for source in sources for name in re.findall(r'^@check\(\s*"([a-z-]+)"', source, re.MULTILINE)]
    assert sorted(written) == list(all_checks())
    assert len(written) > 60


def test_a_threshold_of_the_experiment_is_used_and_named() -> None:
    lenient = an_experiment("a", "b").checking("errors", share=0.1)
    trial = a_trial().serving(3000).erring(timeout=100)
    assert severities(in_trial("errors", trial)) == ["refusal"]
    (finding,) = in_trial("errors", trial, lenient)
    assert finding.severity == "warning"
    assert finding.evidence.endswith("(share is 0.1 here, default 0.001)")


def test_unusual_thresholds_are_reported_and_usual_ones_are_not() -> None:
    overrides = {"errors": {"share": 0.1}, "generator-saturated": {"warn": 0.8}}
    assert [(check.name, words) for check, words in unusual_thresholds(overrides)] == [
        ("errors", "share is 0.1 here, default 0.001")
    ]


@pytest.mark.parametrize(
    "overrides",
    [
        {"error": {"share": 0.1}},
        {"errors": {"shares": 0.1}},
        {"contract": {"clauses": 1}},
        {"errors": {"share": -1}},
        {"errors": {"share": float("nan")}},
    ],
)
def test_wrong_overrides_are_named_with_what_is_allowed(
    overrides: dict[str, dict[str, float]], snapshot: object
) -> None:
    with pytest.raises(ValueError, match="checks") as caught:
        validate_thresholds(overrides)
    assert str(caught.value) == snapshot


def test_right_overrides_pass() -> None:
    validate_thresholds({"errors": {"share": 0.5}, "picks-uniform": {"alpha": 1e-9}})
