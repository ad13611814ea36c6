"""The table by request, wherever a result is shown."""

import io
import re

import pytest
from rich.console import Console

from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report.html import html_text
from fairtrial.report.markdown import markdown_text
from fairtrial.report.terminal import print_result
from tests.builders import a_trial, an_experiment, trials_of
from tests.report.scene import HOSTILE

Judged = tuple[Result, ExperimentRecord, list[TrialRecord]]


@pytest.fixture(scope="module")
def mixed() -> Judged:
    """`a` with two requests, of which one is rare; `b` with one; `c` refused."""
    trials = {
        "a": a_trial().mixing(**{"short": (0.99, 0.001), HOSTILE: (0.01, 1.0)}),
        "b": a_trial().mixing(short=(1.0, 0.002)),
        "c": a_trial().mixing(short=(0.5, 0.001), long=(0.5, 1.0)).but(altered=True),
    }
    record = an_experiment("a", "b", "c").stating("budget", of="a", request="short", at_least="1/s").record()
    made = trials_of(record, lambda name, _block: trials[name])
    return judge(record, made, interrupted=False), record, made


def printed(result: Result, width: int = 100) -> str:
    file = io.StringIO()
    print_result(result, Console(file=file, width=width))
    return file.getvalue()


def test_only_a_mix_of_several_requests_has_figures_by_request(mixed: Judged) -> None:
    a, b, c = mixed[0].conditions
    assert [request.name for request in a.requests] == ["short", HOSTILE]
    assert (b.requests, c.requests) == ([], [])
    short, rare = (request.figures for request in a.requests)
    assert short.keys() == rare.keys() and "peak_rss_bytes" not in short
    assert short["goodput_per_second"] and short["goodput_per_second"].estimate == pytest.approx(3960)
    assert rare["response_time_p50_seconds"] and rare["response_time_p99_seconds"] is None


def test_the_terminal_shows_a_row_for_each_request(mixed: Judged) -> None:
    text = printed(mixed[0])
    table = text[text.index("request") :]
    assert re.search(r"^a +short +3,960 +1\.00 +4\.00 +20\.0 *$", table, re.MULTILINE), table
    assert re.search(r" 40\.0 +1,000 +– +20,000 *$", table, re.MULTILINE), table
    assert "\x1b" not in text and "by request: goodput" in text
    assert "of `short` on a" in text
    assert max(map(len, printed(mixed[0], 80).splitlines())) <= 80


def test_html_and_markdown_show_it_and_obey_no_server(mixed: Judged) -> None:
    page, text = html_text(*mixed), markdown_text(mixed[0])
    assert "By request" in page and HOSTILE not in page and "<td" in page
    assert "of `short` on a" in page
    assert "### By request" in text and "| a | short | 3,960 | 1.00 | 4.00 | 20.0 |" in text
    assert not re.search(r"(?<!\\)<", text)


def test_without_a_mix_there_is_no_such_table() -> None:
    record = an_experiment("a").record()
    trials = trials_of(record, a_trial())
    result = judge(record, trials, interrupted=False)
    shown = (printed(result), markdown_text(result), html_text(result, record, trials))
    assert not any("by request" in text.lower() for text in shown)
