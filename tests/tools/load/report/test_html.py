"""The report of a load as an HTML page."""

import json
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import Any

from fairtrial.record.capacity import CapacityFound, CapacitySearch, ObjectiveMet, Probe
from fairtrial.record.engine_summary import SecondOfSeries
from fairtrial.tools.load.report.page import load_page
from fairtrial.tools.load.request.expected_figure import parse_expected_figure
from tests.builders import a_trial
from tests.tools.load.measurements import URL, measurement, open_measurement, with_trial

SECOND = SecondOfSeries(verified=4000, errors=0, p50_seconds=0.001, p99_seconds=0.002, max_seconds=0.5)


class Scripts(HTMLParser):
    """Collects the text of each script of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = False
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.inside = tag == "script"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.texts.append(data)


def charts_of(page: str) -> dict[str, Any]:
    """The specifications of a page's charts, by name."""
    scripts = Scripts()
    scripts.feed(page)
    charts: dict[str, Any] = json.loads(scripts.texts[0])
    return charts


def test_the_page_of_an_open_load() -> None:
    page = load_page(open_measurement(series=[SECOND] * 3))
    assert "4,000 verified answers/s" in page
    assert "open, 4,000 requests/s, constant arrivals" in page
    assert f"<title>{URL} · Fairtrial</title>" in page
    for words in ("service time", "send lag", "a closed load never shows"):
        assert words in page
    assert set(charts_of(page)) == {"distribution", "percentiles", "rate", "time"}
    for name in charts_of(page):
        assert f'id="chart-{name}"' in page


def test_the_page_runs_no_script_but_its_own() -> None:
    page = load_page(measurement())
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'; script-src 'sha256-" in unescape(page)


def test_a_page_without_an_answer() -> None:
    page = load_page(measurement(a_trial().serving(0).erring(refused=5)))
    assert "No answer was complete" in page
    assert "nothing was listening any more" in page


def test_text_from_the_server_is_escaped_in_html() -> None:
    page = load_page(measurement(a_trial().erring(status_5xx=1).showing("<script>alert(1)</script>\x1b")))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b" in page


def test_expected_figures_and_a_search_are_on_the_page() -> None:
    assert "Expected figures" not in load_page(measurement()) and "Capacity" not in load_page(measurement())
    missed = ObjectiveMet(objective="p99-within-50-ms", met=False, why_not="p99 was 90 ms")
    probe = Probe(
        rate_per_second=500,
        seconds=2.2,
        confirming=False,
        achieved_over_offered=1.0,
        percentiles_seconds={"50": 0.002, "99": 0.09},
        error_share=0.0,
        busiest_thread_share=0.1,
        objectives=[missed],
    )
    found = CapacityFound(objective="p99-within-50-ms", rate_per_second=None)
    expected = [parse_expected_figure("p50<1ms")]
    search = CapacitySearch(probes=[probe], found=[found])
    page = load_page(replace(with_trial(open_measurement(), capacity=search), expected=expected))
    assert "<h2>Capacity</h2>" in page and "confirmed with p99-within-50-ms" in page
    assert '<td data-label="p99 ms">90.0</td>' in page and "p99 was 90 ms" in page
    assert "<strong>p50&lt;1ms</strong>" in page and "see the warning of capacity-search" in page
    assert "first rate of --between" in page


def test_the_page_has_the_facts_and_the_requests_of_the_terminal() -> None:
    engine = a_trial().mixing(look=(0.5, 0.001), order=(0.5, 1.0)).record().engine
    assert engine and "By request" not in load_page(measurement())
    page = load_page(measurement(mix=engine.mix))
    assert '<th scope="row">order</th>' in page and "<h2>By request</h2>" in page
    assert "<dt>Transfer</dt>" in page and "<dt>Load generator</dt>" in page
