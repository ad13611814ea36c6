"""The report of a load in the terminal."""

import io

import pytest
from rich.console import Console

from fairtrial.record.engine_summary import TlsSession, Waiting
from fairtrial.report.columns import LOWER_BOUNDS
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.terminal import print_measurement
from tests.builders import a_trial
from tests.tools.load.measurements import URL, busy, measurement, open_measurement


def printed(measurement: Measurement, width: int = 200, *, verbose: bool = True) -> str:
    """What is printed about a measurement, on a terminal of this width."""
    out = io.StringIO()
    print_measurement(Console(file=out, width=width), measurement, verbose=verbose)
    return out.getvalue()


def test_goodput_and_load_come_first() -> None:
    lines = printed(measurement()).splitlines()
    assert lines[0] == URL
    assert lines[1] == "load: closed, 16 connections, keep-alive, 3 s"
    assert "goodput" in lines[3] and "4,000 verified answers/s" in lines[3]


@pytest.mark.parametrize("width", [60, 80, 100])
def test_without_verbose_it_is_half_a_screen_and_every_error_and_warning(width: int) -> None:
    assert len(printed(measurement(), width, verbose=False).splitlines()) <= 12
    troubled = measurement(a_trial().erring(timeout=7, status_5xx=3), in_flight_at_end=4, oldest_in_flight_seconds=2.5)
    text = printed(troubled, width, verbose=False)
    assert "errors: 10" in text and "warning: unanswered" in text and "transfer" not in text
    opened = printed(open_measurement(waiting=Waiting(limit=100_000, peak=12, at_end=3)), width, verbose=False)
    assert "12 for a free connection" in " ".join(opened.split()) and "send lag" in opened
    assert len(opened.splitlines()) <= 24


def test_an_open_load_shows_both_times_and_explains_them() -> None:
    text = printed(open_measurement(waiting=Waiting(limit=100_000, peak=12, at_end=3)))
    for words in ("response time", "service time", "send lag", "a closed load never shows", "12,000 requests, 100.00%"):
        assert words in text
    assert "12 for a free connection (limit 100,000)" in text
    assert "service time" not in printed(measurement())


def test_errors_by_kind_each_with_a_remedy() -> None:
    text = printed(measurement(a_trial().erring(timeout=7, status_5xx=3).showing("\x1b[31mbad\n")))
    assert "errors: 10" in text
    assert "7 timeout  no answer in time" in text
    assert "3 status_5xx  500: the server fails" in text
    assert "status_5xx, status 500: \\x1b[31mbad" in text


def test_warnings_are_printed() -> None:
    assert "warning: interrupted" in printed(open_measurement(interrupted=True))
    hanging = measurement(in_flight_at_end=4, oldest_in_flight_seconds=2.5)
    assert "warning: unanswered: 4 requests were unanswered" in printed(hanging)
    assert "warning" not in printed(measurement(in_flight_at_end=4, oldest_in_flight_seconds=0.01))


def test_a_generator_that_waits_for_its_next_request_is_not_busy() -> None:
    spinning = busy(0.95)[0].model_copy(update={"spinning_seconds": 2.7})
    assert "5% of its processor" in printed(open_measurement(threads=[spinning]))


@pytest.mark.parametrize(("wait", "words"), [("sleep", "epoll, asleep while"), ("awake", "epoll, awake while")])
def test_what_it_does_while_it_awaits_answers_is_shown(wait: str, words: str) -> None:
    assert f"{words} it awaits answers" in printed(measurement(wait=wait))
    assert "awaits answers" not in printed(measurement())


def test_tls_is_shown() -> None:
    text = printed(measurement(tls=TlsSession(version="1.3", cipher_suite="TLS_AES_128_GCM_SHA256")))
    assert "1.3, TLS_AES_128_GCM_SHA256" in text


def test_it_fits_a_narrow_terminal() -> None:
    assert max(map(len, printed(measurement(), width=80).splitlines())) <= 80


def test_without_an_answer_there_are_no_times() -> None:
    nothing = measurement(a_trial().serving(0).erring(refused=5))
    text = printed(nothing)
    assert "no verified answer" in text
    assert "response time" not in text
    assert "5 refused" in text


def test_lower_bounds_are_marked_by_request_too_and_explained_once() -> None:
    trial = a_trial().mixing(short=(0.5, 0.001), long=(0.5, 1.0))
    exact, bounded = trial.record().engine, trial.unanswered_from(0.004).record().engine
    assert exact and bounded
    plain, text = (
        printed(measurement(mix=exact.mix)),
        printed(measurement(mix=bounded.mix, response_time=bounded.response_time)),
    )
    assert LOWER_BOUNDS not in plain and "1.00    4.00" in plain
    assert text.count(LOWER_BOUNDS) == 1
    assert "1.00  > 4.00" in text and "> 1,000 > 4,000" in text
