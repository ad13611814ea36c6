"""Outputs that the tools themselves printed: honest ones contradict nothing, faulty ones show their faults.

data/README.md says which version printed each, and against what.
"""

from pathlib import Path

import pytest

from fairtrial_cross_examine.examination import examine_output
from fairtrial_cross_examine.formats import all_formats
from fairtrial_cross_examine.read import read_evidence
from tests.fairtrial_cross_examine.formats.reports import HONEST

OUTPUTS = Path(__file__).parents[1] / "data" / "tools"
FILES = sorted(OUTPUTS.iterdir())

FAULTY: dict[str, set[str]] = {
    "ab-errors.txt": {"errors-as-throughput"},
    "autocannon-errors.json": {"errors-as-throughput", "lost-requests"},
    # Of connections that were reset, autocannon prints latencies that they had no time for.
    "autocannon-errors.txt": {"errors-as-throughput", "lost-requests", "too-much-time"},
    "bombardier-errors.json": {"errors-as-throughput"},
    "bombardier-errors.txt": {"errors-as-throughput"},
    "h2load-errors.txt": {"errors-as-throughput", "lost-requests"},
    "h2load-warm.txt": {"errors-as-throughput", "stalls"},
    "hey-errors.txt": {"errors-as-throughput"},
    "hyperfine-order.txt": {"order-within-noise"},
    "k6-errors.json": {"errors-as-throughput"},
    "k6-errors.txt": {"errors-as-throughput"},
    "k6-summary.json": {"errors-as-throughput"},
    "loadtest-errors.txt": {"errors-as-throughput"},
    "locust-errors.csv": {"errors-as-throughput"},
    "locust-errors.txt": {"errors-as-throughput"},
    # It prints a p99.99 of however many answers.
    "oha-errors.json": {"errors-as-throughput", "lost-requests", "unsupported-percentile"},
    "oha-errors.txt": {"errors-as-throughput", "lost-requests", "unsupported-percentile"},
    "vegeta-errors.json": {"errors-as-throughput"},
    "vegeta-errors.txt": {"errors-as-throughput"},
    "wrk-errors.txt": {"errors-as-throughput", "lost-requests", "too-much-time"},
    "wrk-pause.txt": {"too-much-time"},
    "wrk-ports.txt": {"clients-idle"},
    "wrk2-short.txt": {"unsupported-percentile"},
}
"""The kinds of contradictions that are in each faulty output."""


def tool(file: Path) -> str:
    return file.name.partition("-")[0]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_everything_is_read(file: Path) -> None:
    runs = read_evidence([file]).runs
    assert {run.tool for run in runs} == {tool(file)}
    for run in runs:
        assert run.times.mean is not None and run.times.maximum is not None
        if run.of_requests:
            assert run.requests is not None and run.rate_per_second is not None
            assert run.seconds or run.rate_seconds or run.tool == "locust", "which prints no time of the run"
        else:
            assert run.runs is not None and run.times.deviation is not None


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_it_contradicts_what_is_wrong_and_nothing_else(file: Path) -> None:
    found = examine_output(read_evidence([file])).contradictions
    assert {each.kind for each in found} == FAULTY.get(file.name, set()), [each.says for each in found]


def test_every_tool_printed_an_honest_and_where_it_can_a_faulty_output() -> None:
    assert {tool(file) for file in FILES if file.name not in FAULTY} | set(HONEST) == set(all_formats())
    assert set(FAULTY) <= {file.name for file in FILES}
