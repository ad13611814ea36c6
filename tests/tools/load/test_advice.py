"""Remedies for errors, and warnings about figures that cannot be trusted."""

import pytest

from fairtrial.record.engine_summary import Example, Routes, Waiting
from fairtrial.tools.load.advice import remedy, warnings
from tests.builders import ERROR_KINDS
from tests.lines import passage
from tests.tools.load.measurements import busy, measurement, open_measurement, plan


def test_every_kind_of_error_has_a_remedy() -> None:
    summary = measurement().summary
    assert [kind for kind in (*ERROR_KINDS, "tls", "overflow", "deadline") if not remedy(kind, summary)] == []


@pytest.mark.parametrize("kind", ["wrong_body", "status_4xx"])
def test_what_is_right_can_be_said_by_an_option_and_in_a_workload_file(kind: str) -> None:
    assert all(words in remedy(kind, measurement().summary) for words in ("--expect-", "in a workload file"))


@pytest.mark.parametrize(
    ("cause", "words"),
    [("second_answer", "answers twice"), ("tls", "https://"), (None, "HTTP server?"), ("new", "HTTP server?")],
)
def test_bytes_that_are_no_answer_have_the_remedy_of_their_cause(cause: str | None, words: str) -> None:
    example = Example(kind="protocol", status=None, excerpt="", cause=cause)
    assert words in remedy("protocol", measurement(examples=[example]).summary)


def test_an_error_of_another_kind_has_the_remedy_of_its_own_cause() -> None:
    causes = {"protocol": "http2_push", "reset": "http2_reset", "timeout": "http2_no_stream"}
    examples = [Example(kind=kind, status=None, excerpt="", cause=cause) for kind, cause in causes.items()]
    summary = measurement(examples=examples).summary
    assert "RST_STREAM" in remedy("reset", summary) and "streams at once" in remedy("timeout", summary)
    assert "a proxy's time-out" in remedy("closed", summary)


@pytest.mark.parametrize(
    ("cause", "words", "not_words"),
    [
        ("certificate_expired", "renew the server's certificate; --insecure", "--cacert"),
        ("alpn_http2", "leave out --http2", "--insecure"),
        (None, "--cacert, --cert or --insecure", "renew"),
    ],
)
def test_tls_has_the_remedy_of_its_cause(cause: str | None, words: str, not_words: str) -> None:
    others = Example(kind="timeout", status=None, excerpt="", cause="handshake_timeout")
    example = Example(kind="tls", status=None, excerpt="", cause=cause)
    text = remedy("tls", measurement(examples=[others, example]).summary)
    assert all(word in text for word in words.split("; ")) and not_words not in text


def test_a_busy_generator_is_named(snapshot: object) -> None:
    assert list(warnings(measurement(threads=busy(0.79)))) == []
    (warning,) = warnings(measurement(threads=busy(0.81)))
    assert warning == snapshot
    (together,) = warnings(measurement(of=plan(threads=10, cpus=[1]), threads=busy(0.09) * 10))
    assert together == snapshot


def test_waiting_awake_is_not_being_busy() -> None:
    spinning = busy(0.95)[0].model_copy(update={"spinning_seconds": 2.7})
    assert list(warnings(open_measurement(threads=[spinning]))) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"achieved_over_offered": 0.5}, "only 50.0% of the offered requests"),
        ({"interrupted": True}, "interrupted"),
    ],
)
def test_other_warnings(changes: dict[str, object], words: str) -> None:
    (warning,) = warnings(open_measurement(**changes))
    assert words in warning


def test_a_load_that_did_not_take_place_is_warned_of_once(snapshot: object) -> None:
    waited = Waiting(limit=100_000, peak=900, at_end=0)
    times = measurement().summary.response_time
    half = times.model_copy(update={"percentiles": {name: at and at / 2 for name, at in times.percentiles.items()}})
    (warning,) = warnings(open_measurement(achieved_over_offered=0.5, waiting=waited, service_time=half))
    assert warning == snapshot


def test_requests_that_hang_are_named(snapshot: object) -> None:
    (warning,) = warnings(measurement(in_flight_at_end=4, oldest_in_flight_seconds=2.5))
    assert warning == snapshot
    assert list(warnings(measurement(in_flight_at_end=4, oldest_in_flight_seconds=0.01))) == []


def test_a_driver_that_could_not_be_had_is_named() -> None:
    fallback = "this kernel has no io_uring"
    (warning,) = warnings(measurement(of=plan(driver="io_uring"), driver_fallback=fallback))
    assert fallback in warning
    assert list(warnings(measurement(driver_fallback=fallback))) == []


def test_a_rate_that_the_generator_itself_did_not_keep_up_with_is_not_the_servers(snapshot: object) -> None:
    routes = Routes(addresses=["[::1]:80"], source_addresses=1, connections_each=19_000, ports_each=14_116)
    behind, at_fault = (
        next(each for each in warnings(open_measurement(achieved_over_offered=0.5, **more)) if "only 50.0%" in each)
        for more in ({}, {"routes": routes})
    )
    assert passage(behind, "the server (or", "keep up") == snapshot
    assert passage(at_fault, "the load generator", "keep up") == snapshot
