"""The block under profilers in the report and in the terminal."""

import json
import re

import pytest
import vl_convert
from rich.console import Console

from fairtrial.record.profile import NO_PROFILES
from fairtrial.report.html import html_text
from fairtrial.report.profile.counters import counter_rows
from fairtrial.report.profile.flame_graph import flame_graph
from fairtrial.report.profile.section import profile_section
from fairtrial.report.profile.terminal import profile_parts
from tests.report.profile.profiles import NEW, OLD, counted, profile, two_profiles
from tests.report.scene import HOSTILE, judged


@pytest.fixture(scope="module")
def page() -> str:
    return html_text(*judged(), two_profiles())


def test_counters_are_for_one_request_and_beside_each_other() -> None:
    rows = {row.title: list(row.values) for row in counter_rows(two_profiles().lines)}
    assert rows == {
        "CPU, user": ["400", "500", "–"],
        "switches, voluntary": ["0.100", "–", "–"],
        "database: statements": ["2.00", "–", "–"],
    }


def test_a_counter_without_answers_is_not_divided() -> None:
    assert counter_rows([profile("a", verified=0, server=counted(1.0))]) == []


def test_the_report_says_that_nothing_of_it_counts(page: str) -> None:
    assert "Why is it slow?" in page and "Uncounted." in page
    assert "Why is it slow?" not in html_text(*judged(), NO_PROFILES)


def test_names_of_frames_are_shown_and_not_obeyed(page: str) -> None:
    assert HOSTILE not in page and "\x1b" not in page and "<img src=x" not in page
    (data,) = re.findall(r'id="chart-data">(.*?)</script>', page, flags=re.DOTALL)
    charts = json.loads(data)
    assert {"flame-1", "flame-2", "flame-difference-1"} < set(charts)
    assert "\x1b" not in json.dumps(charts["flame-2"], ensure_ascii=False)


def test_the_terminal_shows_counters_notes_and_what_differs() -> None:
    console = Console(width=100, record=True, file=None, force_terminal=False)
    with console.capture() as captured:
        for part in profile_parts(two_profiles()):
            console.print(part, highlight=False)
    printed = captured.get()
    for words in ("Uncounted", "400", "not profiled", "mend it", "profiles/004-app-HEAD.py-spy.folded", "30.0%"):
        assert words in printed
    assert "\x1b" not in printed
    assert profile_parts(NO_PROFILES) == []


def drawn(zoom: tuple[float, float] = (0, 1), search: str = "", **keys: object) -> str:
    spec = flame_graph(NEW, **keys)  # type: ignore[arg-type]
    assert spec is not None
    for signal in spec["signals"]:
        if signal["name"] == "zoom":
            signal["value"] = list(zoom)
        if signal["name"] == "search":
            signal["value"] = search
    return vl_convert.vega_to_svg(spec)


def test_a_flame_graph_is_drawn_zoomed_and_searched() -> None:
    whole = drawn()
    assert all(name in whole for name in (">all<", ">python3<", ">serve (a.py)<", ">parse (a.py)<"))
    assert "<script>" not in whole
    widths = [drawn((0.0, 0.3)).count("python3"), drawn((0.9, 1.0)).count(">parse (a.py)<")]
    assert widths[0] and not widths[1], "what lies outside of the zoom is not there"
    faint = 'fill-opacity="0.06"'
    assert faint not in whole and drawn(search="PARSE").count(faint) > 0


def test_what_there_is_more_of_and_less_of_has_two_colours() -> None:
    spec = flame_graph(NEW, against=OLD)
    assert spec is not None
    frames = {frame["name"]: frame for frame in spec["data"][0]["values"]}
    came = next(frame for name, frame in frames.items() if "script" in name)
    assert came["colour"] == "var(--refuted)" and came["shade"] > frames["parse (a.py)"]["shade"]
    assert frames["all"]["shade"] == pytest.approx(0.08)
    assert flame_graph({}) is None and flame_graph(NEW, against={}) is None


def test_without_stacks_the_counters_are_still_there() -> None:
    lines = [profile("a", server=counted(0.1))]
    section = profile_section(type(NO_PROFILES)(lines))
    assert section.rows and not section.graphs and not section.charts
