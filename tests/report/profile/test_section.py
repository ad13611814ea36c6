"""The block under profilers in the report and in the terminal."""

import json
import re

import pytest
import vl_convert
from rich.console import Console

from fairtrial.record.profile import NO_PROFILES, Profile, Profiles, ShortLoad, SystemCalls
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


def calls(verified: int, total: int, **by_name: int) -> SystemCalls:
    return SystemCalls(tool="perf", verified=verified, total=total, by_name=by_name)


def titles_and_values(*profiles: Profile) -> dict[str, list[str]]:
    return {row.title: list(row.values) for row in counter_rows(profiles)}


def test_system_calls_by_name_are_divided_by_the_answers_of_their_own_load() -> None:
    first = profile("a", system_calls=calls(100, 950, recvfrom=200, sendto=100, futex=600))
    second = profile("b", system_calls=calls(10, 30, recvfrom=20, writev=10))
    rows = titles_and_values(first, second, profile("c"))
    assert rows == {
        "system calls": ["9.50", "3.00", "–"],
        "calls of futex()": ["6.00", "0.00", "–"],
        "calls of recvfrom()": ["2.00", "2.00", "–"],
        "calls of sendto()": ["1.00", "0.00", "–"],
        "calls of writev()": ["≤ 0.500", "1.00", "–"],
        "other system calls": ["0.500", "0.00", "–"],
    }
    many = titles_and_values(profile("a", system_calls=calls(1, 78, **{f"call{each}": each for each in range(1, 13)})))
    assert "calls of call3()" in many and "calls of call2()" not in many and many["other system calls"] == ["3.00"]


def test_reads_and_writes_are_told_once() -> None:
    """By the tool, or where a contender has none, by the kernel's own sum; of the database, by the kernel."""
    kernel = counted(0.1).model_copy(update={"read_calls": 2000})
    with_tool = profile("a", server=kernel, service=kernel, system_calls=calls(10, 20, read=20))
    rows = titles_and_values(with_tool)
    assert rows["calls of read()"] == ["2.00"] and rows["database: calls of read()"] == ["2.00"]
    assert [row.title for row in counter_rows([with_tool])].count("calls of read()") == 1
    assert "calls of read()" in titles_and_values(profile("b", server=kernel))


def test_events_of_processors_and_allocations_are_for_one_answer() -> None:
    by_name = {"instructions": 3000, "cycles": 2000, "cache-misses": 5}
    first = profile("a", hardware={"verified": 10, "by_name": by_name}, allocations={"verified": 4, "bytes": 8192})
    rows = titles_and_values(first, profile("b", hardware={"verified": 10, "by_name": {"cycles": 100}}))
    assert rows == {
        "allocated": ["2.00", "–"],
        "instructions": ["300", "–"],
        "cycles": ["200", "10.0"],
        "instructions a cycle": ["1.50", "–"],
        "cache misses": ["0.500", "–"],
    }


def test_allocations_are_bytes_or_between_two_bounds_or_objects() -> None:
    rows = titles_and_values(
        profile("java", allocations={"verified": 4, "bytes": 8192}),
        profile("go", allocations={"verified": 2, "bytes": 8192, "least_bytes": 4096}),
        profile("ruby", allocations={"verified": 2, "objects": 120}),
        profile("python"),
    )
    assert rows == {"allocated": ["2.00", "2.00 to 4.00", "–", "–"], "allocated objects": ["–", "–", "60.0", "–"]}


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


def test_in_short_a_table_has_its_first_rows_and_says_how_many_more_there_are() -> None:
    many = calls(100, 950, **dict.fromkeys(("recvfrom", "sendto", "futex", "epoll_wait", "read", "write"), 100))
    profiles = Profiles([profile("a", server=counted(1.0), system_calls=many)])

    def text(*, verbose: bool) -> str:
        console = Console(width=80)
        with console.capture() as capture:
            for part in profile_parts(profiles, verbose=verbose):
                console.print(part)
        return capture.get()

    assert "calls of write()" in text(verbose=True) and "Counted without a profiler" in text(verbose=True)
    short = text(verbose=False)
    assert "CPU, user" in short and "calls of write()" not in short and "Counted" not in short
    assert "4 more rows: --verbose" in short


def test_the_parts_of_a_requests_time_are_shown_with_what_they_leave_out() -> None:
    load = ShortLoad(window_seconds=1.0, answers=100, response_seconds=0.01, server=counted(1.5), service=None)
    profiles = Profiles([profile("a", alone=[load], loaded=[load])])
    console = Console(width=100, record=True, file=None, force_terminal=False)
    with console.capture() as captured:
        for part in profile_parts(profiles):
            console.print(part, highlight=False)
    for shown in (captured.get(), html_text(*judged(), profiles)):
        for words in ("one request at a time", "under its own load", "below zero", "15,000", "-5,000"):
            assert words in " ".join(shown.split()), words


def test_four_contenders_with_long_names_fit_side_by_side() -> None:
    kernel = counted(1.0).model_copy(update={"involuntary_switches": 6_543_000})
    lines = [profile(f"start:with-yields-and-processes-{each}", service=kernel) for each in range(4)]
    console = Console(width=80, force_terminal=False)
    with console.capture() as captured:
        for part in profile_parts(Profiles(lines)):
            console.print(part, highlight=False)
    assert captured.get().count("6,543") == len(lines)


def test_figures_of_long_rows_stay_in_one_piece() -> None:
    load = ShortLoad(window_seconds=1.0, answers=100, response_seconds=0.12345, server=counted(1.5), service=None)
    lines = [profile(f"start:with-yields-and-processes-{each}", alone=[load], loaded=[load]) for each in range(4)]
    lines.append(profile("without-any"))
    console = Console(width=80, force_terminal=False)
    with console.capture() as captured:
        for part in profile_parts(Profiles(lines)):
            console.print(part, highlight=False)
    assert captured.get().count("123,450") == 2 * 4


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
