"""The reports: what a reader sees, and that nothing from a file does more than be seen."""

import json
import re
from html.parser import HTMLParser

import pytest
from rich.console import Console

from fairtrial_cross_examine.examination import Examination, examine_output
from fairtrial_cross_examine.figures import as_figure
from fairtrial_cross_examine.model import PrintedOutput
from fairtrial_cross_examine.report.outputs import examination_page
from fairtrial_cross_examine.report.table import LIMITS
from fairtrial_cross_examine.report.terminal import print_examination
from tests.fairtrial_cross_examine.runs import a_run

HOSTILE = '<script>alert(1)</script>\x1b[2J\u202e"><img src=x onerror=alert(2)>[red]'


def examination(*, honest: bool = False, name: str = "wrong") -> Examination:
    rate = "10000.00" if honest else "12000.00"
    wrong = {} if honest else {name: 90_000}
    run = a_run(name=name, source=name, rate_per_second=as_figure(rate), failures=wrong)
    return examine_output(PrintedOutput(runs=[run]))


def printed(made: Examination, width: int = 120) -> str:
    console = Console(width=width, force_terminal=True, color_system="truecolor")
    with console.capture() as captured:
        print_examination(made, console)
    return captured.get()


def test_the_terminal_shows_figures_formula_and_question(snapshot: object) -> None:
    text = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", printed(examination())).split())
    assert text == snapshot


def test_nothing_found_is_said_with_what_cannot_be_seen() -> None:
    text = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", printed(examination(honest=True))).split())
    assert "No contradiction in 1 run" in text and LIMITS in text


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_file_cannot_control_the_terminal(width: int) -> None:
    text = printed(examination(name=HOSTILE), width)
    assert re.sub(r"\x1b\[[0-9;]*m", "", text).isprintable() or "\x1b" not in re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "\x1b[2J" not in text and "\u202e" not in text


class Elements(HTMLParser):
    """The elements of a page and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [name for name, _ in attrs]


def test_the_page_escapes_what_came_from_a_file() -> None:
    page = examination_page(examination(name=HOSTILE))
    elements = Elements()
    elements.feed(page)
    assert "script" not in elements.names and "img" not in elements.names
    assert not any(name.startswith("on") for name in elements.attributes)
    assert "&lt;script&gt;" in page and "\x1b" not in page and "\u202e" not in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page


def test_the_page_shows_each_contradiction() -> None:
    page = examination_page(examination())
    assert 'id="rate"' in page and 'id="errors-as-throughput"' in page
    assert "requests / seconds" in page and "<dd>12,000/s</dd>" in page


def test_json_holds_what_was_read_and_found() -> None:
    content = json.loads(examination().model_dump_json())
    assert content["exit_status"] == 1
    assert {each["kind"] for each in content["contradictions"]} == {"rate", "errors-as-throughput"}
    assert content["runs"][0]["requests"] == {"value": 100_000.0, "within": 0.0}
    assert content["runs"][0]["times"]["percentiles"]["99"]["value"] == pytest.approx(0.0091)
