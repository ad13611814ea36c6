"""Reports, opened in a real browser without a network, at the widths of a phone, a tablet and a desktop.

One start of Chromium answers everything: a page holds each report in one iframe for each width, and its script measures
the layouts. Chromium prints the page with what the script wrote.
"""

import html
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fairtrial.judge.judging import judge
from fairtrial.report.html import html_text
from tests.builders import a_trial, an_experiment, trials_of
from tests.machine.lack import chromium
from tests.machine.needs import needs
from tests.report.profile.profiles import two_profiles
from tests.report.scene import judged, with_real_stacks

OFFLINE = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--hide-scrollbars",
    "--allow-file-access-from-files",  # the measuring page reads the reports in its iframes
]
WIDTHS = (360, 390, 768, 1280)
CHARTS = {"eventful": 5, "sweep": 4}
"""How many charts each report has: goodput, percentiles, seconds and two claims; a curve, and of a
profile two flame graphs and their difference."""

SHEET_PIXELS = 700
"""What a sheet of A4 or letter paper has between the margins that browsers leave, a little narrower."""

PAGE = """<!doctype html><title>layouts</title><pre id="layouts"></pre>{frames}<script>{script}</script>"""
FRAME = '<iframe id="{id}" src="{source}" style="border:0" width="{width}" height="900"></iframe>'

pytestmark = needs("chromium")


@dataclass(frozen=True)
class Visit:
    """What the browser measured of each report at each width, and what its console printed."""

    layouts: dict[str, dict[str, Any]]
    console: list[str]


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Visit:
    folder = tmp_path_factory.mktemp("browser")
    result, record, trials = judged(window=6.0)
    record = with_real_stacks(record)
    result = result.model_copy(update={"stacks": record.stacks})
    (folder / "eventful.html").write_text(html_text(result, record, trials))
    sweep = an_experiment("rust-axum", "node-http:two").sweeping("upsert", "single", parameter="env.MODE").record()
    sweep_trials = trials_of(sweep, a_trial())
    swept = judge(sweep, sweep_trials, interrupted=False)
    (folder / "sweep.html").write_text(html_text(swept, sweep, sweep_trials, two_profiles()))
    frames = [
        FRAME.format(id=f"{name}-{width}", source=f"{name}.html", width=width) for name in CHARTS for width in WIDTHS
    ]
    (folder / "print.html").write_text(on_paper((folder / "eventful.html").read_text()))
    frames.append(FRAME.format(id=f"print-{SHEET_PIXELS}", source="print.html", width=SHEET_PIXELS))
    script = Path(__file__).with_name("measure_layout.js").read_text()
    (folder / "page.html").write_text(PAGE.format(frames="".join(frames), script=script))
    browser = chromium()
    assert browser
    done = subprocess.run(
        [
            browser,
            *OFFLINE,
            f"--user-data-dir={folder / 'profile'}",
            "--enable-logging=stderr",
            "--virtual-time-budget=10000",
            "--dump-dom",
            (folder / "page.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    measured = re.search(r'<pre id="layouts">(.*?)</pre>', done.stdout, re.DOTALL)
    assert measured and measured[1], done.stderr
    layouts = json.loads(html.unescape(measured[1]))
    return Visit(layouts, [line for line in done.stderr.splitlines() if "CONSOLE" in line])


def on_paper(page: str) -> str:
    """The page with the style that it has when it is printed."""
    assert "@media (" not in page, "a style of a screen's width alone is that of paper, too"
    return page.replace("@media screen", "@media not all").replace("@media print", "@media all")


def layout(visit: Visit, report: str, width: int) -> dict[str, Any]:
    layout: dict[str, Any] = visit.layouts[f"{report}-{width}"]
    assert layout["width"] == width
    return layout


def test_charts_are_drawn_offline_and_nothing_is_refused_by_the_policy(visit: Visit) -> None:
    assert visit.console == []
    for report, charts in CHARTS.items():
        for width in WIDTHS:
            measured = layout(visit, report, width)
            assert measured["charts"] >= charts
            assert measured["drawn"] == measured["charts"]


@pytest.mark.parametrize("report", CHARTS)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_no_wider_than_the_screen(visit: Visit, report: str, width: int) -> None:
    assert layout(visit, report, width)["page_width"] <= width


@pytest.mark.parametrize("report", CHARTS)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_charts_labels_stay_between_its_title_and_its_caption(visit: Visit, report: str, width: int) -> None:
    assert layout(visit, report, width)["charts_with_labels_outside"] == []


@pytest.mark.parametrize("report", CHARTS)
@pytest.mark.parametrize("width", WIDTHS)
def test_goodput_and_outcome_are_seen_without_scrolling(visit: Visit, report: str, width: int) -> None:
    measured = layout(visit, report, width)
    assert measured["conditions"]
    for condition in measured["conditions"]:
        assert len(condition["cells"]) == 2, condition
        for cell in condition["cells"]:
            assert cell["text"] and 0 <= cell["left"] < cell["right"] <= width, condition
    assert not [table for table in measured["scrolling_tables"] if "conditions" in table or "stacks" in table]


@pytest.mark.parametrize("width", [width for width in WIDTHS if width < 800])
def test_no_table_scrolls_sideways_on_phones_and_tablets(visit: Visit, width: int) -> None:
    assert layout(visit, "eventful", width)["scrolling_tables"] == []


def test_on_paper_tables_are_tables_and_fit(visit: Visit) -> None:
    measured = layout(visit, "print", SHEET_PIXELS)
    assert measured["page_width"] <= SHEET_PIXELS and measured["scrolling_tables"] == []
    assert set(measured["displays"]) == {"table-row"}


def test_each_chart_has_a_label_of_its_own(visit: Visit) -> None:
    for report, charts in CHARTS.items():
        labels = layout(visit, report, 1280)["labels"]
        assert len(set(labels)) == len(labels) >= charts
        assert all(label and "Vega visualization" not in label for label in labels)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_column_of_the_stacks_is_narrower_than_its_longest_word(visit: Visit, width: int) -> None:
    measured = layout(visit, "eventful", width)
    assert measured["stacks"] == 5
    assert measured["broken_words"] == []
