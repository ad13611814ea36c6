"""Reports of tools in the forms that they were published in: honest ones keep quiet, faulty ones do not."""

from pathlib import Path

import pytest

from fairtrial_cross_examine.examination import examine_output
from fairtrial_cross_examine.formats import all_formats, read_text
from fairtrial_cross_examine.model import PrintedOutput
from fairtrial_cross_examine.read import read_evidence
from tests.fairtrial_cross_examine.formats.reports import (
    BOMBARDIER,
    BOMBARDIER_JSON,
    FAULTY,
    GATLING,
    GATLING_NEW,
    HONEST,
    JMETER,
    LOADTEST,
    LOADTEST_NEW,
    LOCUST,
    LOCUST_OLD,
    SIEGE,
)


def evidence(folder: Path, text: str) -> PrintedOutput:
    file = folder / "report.txt"
    file.write_text(text)
    return read_evidence([file])


@pytest.mark.parametrize(
    ("tool", "text"), [(tool, text) for tool, many in HONEST.items() for text in many], ids=lambda value: value[:12]
)
def test_honest_reports(tmp_path: Path, tool: str, text: str) -> None:
    output = evidence(tmp_path, text)
    (run,) = output.runs
    assert run.tool == tool and run.requests is not None and run.rate_per_second is not None
    assert run.times.maximum is not None or run.times.percentiles
    assert not run.failures and not run.unanswered
    assert [each.says for each in examine_output(output).contradictions] == []


@pytest.mark.parametrize(("tool", "text", "kinds"), FAULTY, ids=[f"{tool}-{min(kinds)}" for tool, _, kinds in FAULTY])
def test_faulty_reports(tmp_path: Path, tool: str, text: str, kinds: set[str]) -> None:
    output = evidence(tmp_path, text)
    assert {run.tool for run in output.runs} == {tool}
    found = examine_output(output).contradictions
    assert {each.kind for each in found} == kinds, [each.says for each in found]


def test_what_an_output_does_not_tell_is_left_unknown(tmp_path: Path) -> None:
    (run,) = evidence(tmp_path, BOMBARDIER.partition("\n")[2]).runs
    assert (run.load, run.connections) == (None, 125), "its output does not say whether the rate was limited"
    (run,) = evidence(tmp_path, BOMBARDIER).runs
    assert (
        run.load == "closed"
        and run.seconds is not None
        and (run.seconds.low, run.seconds.high) == pytest.approx((10 - 0.0613, 10 + 0.0613), abs=1e-4)
    )
    assert {share: figure.value for share, figure in run.times.percentiles.items()} == pytest.approx(
        {"50": 0.0192, "99": 0.0311}
    )
    (run,) = evidence(tmp_path, BOMBARDIER_JSON).runs
    assert run.answer_bytes is not None and run.answer_bytes.value == 170 and run.times.deviation is None
    (run,) = evidence(tmp_path, SIEGE.replace("-b ", "")).runs
    assert (run.load, run.connections) == (None, 100), "its users may pause"
    (run,) = evidence(tmp_path, LOADTEST_NEW).runs
    assert run.connections is None, "on several cores its clients are those of one core, or of all"
    (run,) = evidence(tmp_path, LOADTEST).runs
    assert (run.load, run.connections) == ("closed", 1000)


def test_the_percentiles_of_gatling_are_estimates(tmp_path: Path) -> None:
    (run,) = evidence(tmp_path, GATLING_NEW).runs
    assert run.times.percentiles["99"].low == pytest.approx(0.04)


def test_a_simulation_of_gatling_may_pause_at_both_ends() -> None:
    """Its rate is over the time from the first request to the last answer, which is not printed."""
    text = GATLING.replace("completed in 17 seconds", "completed in 47 seconds")
    (run,) = read_text(text, "r.txt")
    assert run.rate_seconds is not None and run.rate_seconds.low == pytest.approx(1.563)
    assert not examine_output(PrintedOutput(runs=[run])).contradictions


def test_siege_counts_no_answer_of_5xx_but_its_time(tmp_path: Path) -> None:
    text = SIEGE.replace("Failed transactions:\t           0", "Failed transactions:\t       32676")
    (run,) = evidence(tmp_path, text).runs
    assert run.times.mean is not None and run.times.mean.low == pytest.approx(0.085 / 2)
    assert run.times.mean.high == pytest.approx(0.095)


@pytest.mark.parametrize("text", [JMETER, LOCUST])
def test_what_is_printed_while_a_run_lasts_is_no_run(text: str) -> None:
    """Two runs below each other are two, though each printed its figures several times."""
    once = read_text(text, "r.txt")
    twice = read_text(text + "\nand with the other one:\n\n" + text, "r.txt")
    assert [run.requests for run in once] * 2 == [run.requests for run in twice]
    assert once[0].requests is not None and once[0].requests.value in (6000, 2390)


def test_locust_before_version_1_counts_no_failure_as_a_request() -> None:
    (run,) = read_text(LOCUST_OLD.replace("1100     0(0.00%)     ", "1100   100(8.33%)     "), "r.txt")
    assert run.unanswered == {"failed": 100} and run.failures == {}


def test_every_tool_has_a_report() -> None:
    assert set(HONEST) <= set(all_formats()) and {tool for tool, _, _ in FAULTY} == set(HONEST)
