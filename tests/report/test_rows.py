"""A result as rows, and as gauges for Prometheus."""

import csv
import math

from prometheus_client.parser import text_string_to_metric_families

from fairtrial.base.csv_text import csv_text
from fairtrial.judge.model import Result
from fairtrial.report.prometheus import prometheus_text
from fairtrial.report.rows import ResultFigure, TrialRow, VerdictRow, figures_of, trials_of, verdicts_of
from tests.report.scene import judged

Samples = dict[tuple[str, str], float]


def samples_of(result: Result) -> Samples:
    """By metric and contender, what Prometheus would read of figures over all requests."""
    families = list(text_string_to_metric_families(prometheus_text(result)))
    assert {family.type for family in families} == {"gauge"} and all(family.documentation for family in families)
    return {
        (sample.name, sample.labels.get("contender", "")): sample.value
        for family in families
        for sample in family.samples
    }


def test_a_row_for_each_figure_and_an_empty_cell_for_a_refused_one() -> None:
    result, _, _ = judged()
    rows = list(csv.DictReader(csv_text(ResultFigure, figures_of(result)).splitlines()))
    assert list(rows[0]) == list(ResultFigure.model_fields)
    over_blocks = {(row["contender"], row["metric"]): row for row in rows if not row["block"]}
    rust, refused = over_blocks["rust-axum", "goodput"], over_blocks["python-threads", "goodput"]
    condition = next(each for each in result.conditions if each.contender == "rust-axum")
    figure = condition.figures["goodput_per_second"]
    assert figure is not None and figure.interval is not None
    assert (float(rust["value"]), float(rust["lower"]), float(rust["upper"])) == (figure.estimate, *figure.interval)
    assert (rust["unit"], rust["blocks"], rust["is_lower_bound"], rust["outcome"]) == (
        "per_second",
        "5",
        "false",
        "valid",
    )
    assert (refused["value"], refused["lower"], refused["outcome"]) == ("", "", "refused")
    of_trials = [row for row in rows if row["block"] and (row["contender"], row["metric"]) == ("rust-axum", "goodput")]
    assert [row["block"] for row in of_trials] == ["1", "2", "3", "4", "5"]
    assert all(float(row["value"]) > 0 and not row["lower"] for row in of_trials)
    assert not [row for row in rows if row["block"] and row["outcome"] == "refused"]


def test_verdicts_and_trials_have_their_reasons() -> None:
    result, _, _ = judged()
    verdicts = {row.claim: row for row in verdicts_of(result)}
    assert {row.verdict for row in verdicts.values()} == {"upheld", "refuted", "undecided"}
    assert all(row.reason for row in verdicts.values() if row.verdict == "undecided")
    trials = list(trials_of(result))
    assert [trial.index for trial in trials] == list(range(1, 26))
    refused = [trial for trial in trials if trial.outcome == "refused"]
    assert refused and all("errors" in trial.findings and trial.reason for trial in refused)
    assert "\x1b" not in csv_text(TrialRow, trials) + csv_text(VerdictRow, verdicts.values())


def test_prometheus_reads_the_figures_and_none_that_was_refused() -> None:
    result, _, _ = judged()
    samples = samples_of(result)
    condition = next(each for each in result.conditions if each.contender == "rust-axum")
    for key, name in (
        ("goodput_per_second", "fairtrial_goodput_per_second"),
        ("response_time_p50_seconds", "fairtrial_response_time_p50_seconds"),
        ("server_cpu_seconds_per_1000_requests", "fairtrial_server_cpu_seconds_per_1000_requests"),
        ("errors_share", "fairtrial_errors_ratio"),
    ):
        figure = condition.figures[key]
        assert figure is not None and samples[name, "rust-axum"] == figure.estimate
        assert (name, "python-threads") not in samples
    lower, upper = (samples[f"fairtrial_goodput_{end}_per_second", "rust-axum"] for end in ("lower", "upper"))
    assert lower < samples["fairtrial_goodput_per_second", "rust-axum"] < upper


def test_outcomes_and_verdicts_are_states() -> None:
    result, _, _ = judged()
    states = [
        sample
        for family in text_string_to_metric_families(prometheus_text(result))
        for sample in family.samples
        if sample.name in ("fairtrial_condition_outcome", "fairtrial_claim_verdict")
    ]
    on = {
        (sample.labels.get("claim") or sample.labels["contender"]): sample.labels.get("verdict")
        or sample.labels["outcome"]
        for sample in states
        if sample.value == 1
    }
    assert on == {claim.id: claim.verdict for claim in result.claims} | {
        condition.contender: condition.outcome for condition in result.conditions
    }


def test_labels_are_escaped_and_an_open_interval_ends_at_infinity() -> None:
    result, _, _ = judged()
    hostile = 'a\\b"} 1\nfairtrial_goodput_per_second 7'
    (first, *_) = result.conditions
    figure = first.figures["response_time_p99_seconds"]
    assert figure is not None
    bound = figure.model_copy(update={"is_lower_bound": True, "open_above": True})
    changed = first.model_copy(
        update={"contender": hostile, "figures": first.figures | {"response_time_p99_seconds": bound}}
    )
    samples = samples_of(result.model_copy(update={"conditions": [changed]}))
    name = 'a\\b"} 1 fairtrial_goodput_per_second 7'
    assert samples["fairtrial_goodput_per_second", name] > 100
    assert samples["fairtrial_response_time_p99_upper_seconds", name] == math.inf
