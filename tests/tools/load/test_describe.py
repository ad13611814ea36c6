"""The load of a plan in words."""

import pytest

from fairtrial.engine.plan import Closed, Http2, Poisson, Ramp, Step, Steps, StopAfterRequests, Tls
from fairtrial.tools.load.describe import describe_plan, window_seconds
from tests.tools.load.measurements import plan


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "closed, 16 connections, keep-alive, 3 s"),
        (
            {"load": Closed(connections=1, think_time_seconds=0.05)},
            "closed, 1 connection, 50 ms think time, keep-alive",
        ),
        ({"stop": StopAfterRequests(requests=1000)}, "1,000 requests"),
        ({"requests_per_connection": 1}, "one request per connection"),
        ({"requests_per_connection": 5}, "5 requests per connection"),
        ({"pipeline": 8}, "8 requests in flight per connection (pipelined)"),
        ({"http2": Http2(streams=1)}, "× 1 stream, HTTP/2, 3 s"),
        ({"http2": Http2(streams=20)}, "× 20 streams, HTTP/2, 3 s"),
        (
            {"load": Poisson(rate_per_second=2000, connections=4), "http2": Http2(streams=9)},
            "open, 2,000 requests/s, Poisson arrivals, up to 4 connections × 9 streams, HTTP/2, 3 s",
        ),
        ({"tls": Tls(server_name="a")}, "keep-alive, TLS, 3 s"),
        ({"warmup_seconds": 0.5}, "3 s after 500 ms of warm-up"),
        ({"deadline_seconds": 0.5}, "keep-alive, not sent when due for more than 500 ms, 3 s"),
        ({"drain_seconds": 0.0}, "keep-alive, 3 s, no answers awaited after it"),
        ({"drain_seconds": 5.0, "warmup_seconds": 1.0}, "3 s after 1 s of warm-up, answers awaited for 5 s after it"),
        (
            {"load": Poisson(rate_per_second=2000, connections=64)},
            "open, 2,000 requests/s, Poisson arrivals, up to 64 connections, keep-alive, 3 s",
        ),
        ({"load": Ramp(from_per_second=0, to_per_second=500, connections=1)}, "ramp from 0 to 500 requests/s"),
        (
            {"load": Steps(steps=[Step(rate_per_second=10, seconds=2)], connections=1), "stop": None},
            "steps 10/s for 2 s, up to 1 connection, keep-alive, 2 s in all",
        ),
    ],
)
def test_the_load_in_words(changes: dict[str, object], words: str) -> None:
    assert words in describe_plan(plan(**changes))


def test_the_planned_length_of_the_window() -> None:
    steps = Steps(steps=[Step(rate_per_second=10, seconds=2), Step(rate_per_second=0, seconds=1)], connections=1)
    assert window_seconds(plan()) == 3
    assert window_seconds(plan(load=steps, stop=None)) == 3
    assert window_seconds(plan(stop=StopAfterRequests(requests=5))) is None
