"""The parts of a request's time, from short loads."""

import pytest

from fairtrial.record.profile import KernelCounters, Profile, ShortLoad, TimedRoundTrips, Unread
from fairtrial.report.profile.counters import counter_rows
from fairtrial.report.profile.request_time import alone_rows, loaded_rows

PROFILE = Profile(condition="x", contender="x", started_at="2026-01-01T00:00:00Z", load="closed")
LEFT = "elsewhere: queues and locks within, sleeps, the way"


def a_load(
    response_ms: float,
    stack_ms: float,
    database_ms: float | None,
    waited_ms: float | None = 0.0,
    **keys: object,
) -> ShortLoad:
    """A second of a hundred answers, of which each took so many milliseconds. The counters were read over two."""

    def counted(each_ms: float) -> KernelCounters:
        return KernelCounters(
            window_seconds=2.0,
            cpu_user_seconds=9.0,
            cpu_system_seconds=0.0,
            ran_seconds=each_ms / 1000 * 100 * 2,
            waited_seconds=None if waited_ms is None else waited_ms / 1000 * 100 * 2,
        )

    load = ShortLoad(
        window_seconds=1.0,
        answers=100,
        response_seconds=response_ms / 1000,
        server=counted(stack_ms),
        service=None if database_ms is None else counted(database_ms),
    )
    return load.model_copy(update=keys)


def through_proxy(round_trips: int, service_ms: float, proxy_ms: float) -> TimedRoundTrips:
    """Of each of these answers, over two seconds."""
    return TimedRoundTrips(
        window_seconds=2.0,
        count=200 * round_trips,
        service_seconds=0.2 * service_ms,
        proxy_seconds=0.2 * proxy_ms,
    )


def cells(loads: list[ShortLoad]) -> dict[str, str]:
    return {row.title: row.cells[0] for row in alone_rows([PROFILE.model_copy(update={"alone": loads})])}


def test_parts_add_up_to_the_response_time(snapshot: object) -> None:
    load = a_load(
        20.0,
        3.0,
        2.0,
        0.5,
        unsent_seconds=0.001,
        round_trips=through_proxy(3, service_ms=6.0, proxy_ms=0.25),
        requests_under_way=8.0,
        unread=Unread(moments=100, requests=1.6, answers=0.8),
    )
    (profile,) = profiles = [PROFILE.model_copy(update={"loaded": [load] * 2})]
    rows = {row.title: row.cells[0] for row in loaded_rows(profiles)}
    assert list(rows) == snapshot
    whole, unsent, unread, stack, waiting, *parts_of_waiting, unread_answer, left, meanwhile = rows.values()
    assert (whole, unsent, unread, stack, waiting) == ("20,000", "1,000", "4,000", "3,000", "6,000")
    assert parts_of_waiting == ["2,000", "500", "3,500", "250"]
    assert (unread_answer, left, meanwhile) == ("2,000", "3,750", "500")
    in_no_sum = ("database, ", "meanwhile: ")
    total, *parts = (float(text.replace(",", "")) for title, text in rows.items() if not title.startswith(in_no_sum))
    assert sum(parts) == pytest.approx(total)
    assert alone_rows(profiles) == []
    assert [row.values for row in counter_rows(profiles) if row.title == "database: round trips"] == [["3.00"]]
    assert profile.alone == []


def test_of_a_file_from_before_there_were_proxies_the_rest_is_left(snapshot: object) -> None:
    rows = cells([a_load(10.0, 3.0, 2.0, 0.5)] * 5)
    assert list(rows) == snapshot
    assert rows[LEFT] == "4,500 (4,500 to 4,500)"
    figures = [cell.partition(" ")[0] for cell in rows.values()]
    assert figures == ["10,000", "3,000", "2,000", "500", "4,500", "500"]
    assert list(rows.values()) == [f"{figure} ({figure} to {figure})" for figure in figures]


def test_more_may_be_done_than_a_request_waits_for() -> None:
    assert cells([a_load(10.0, 13.0, None)] * 2)[LEFT] == "-3,000"


def test_what_is_not_known_is_no_part() -> None:
    known = cells([a_load(10.0, 3.0, None, None)] * 2)
    assert known == {
        "response time": "10,000",
        "stack, on a processor": "3,000",
        LEFT: "7,000",
    }, "two loads are too few for an interval"
    assert alone_rows([PROFILE]) == []


def test_an_interval_is_of_the_scatter_between_the_loads() -> None:
    loads = [a_load(time, 3.0, None) for time in (9.0, 10.0, 11.0, 10.0, 10.0)]
    assert cells(loads)["response time"] == "10,000 (9,122 to 10,878)"


def test_of_a_kernel_that_tells_no_nanoseconds_ticks_are_taken() -> None:
    load = a_load(200.0, 3.0, None)
    assert load.server is not None
    ticks = load.model_copy(update={"server": load.server.model_copy(update={"ran_seconds": None})})
    assert cells([ticks])["stack, on a processor"] == "45,000"


def test_another_contender_may_have_none() -> None:
    rows = alone_rows([PROFILE, PROFILE.model_copy(update={"alone": [a_load(10.0, 3.0, None)]})])
    assert [row.cells[0] for row in rows] == ["–"] * len(rows) and rows[0].cells[1] == "10,000"
