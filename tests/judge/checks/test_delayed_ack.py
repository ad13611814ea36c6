"""A timer of TCP in the answers: made on loopback by a server that writes twice, and by hand where it cannot be."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.run import run_engine
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.load.engine_terms import Closed, StopAfterSeconds
from fairtrial.record.model import TrialRecord
from tests.builders import a_trial, an_experiment, calm_network
from tests.judge.checks.findings import found, severities
from tests.record.test_histogram import encoded, zigzag

EXPERIMENT = an_experiment("a").record()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"


@contextmanager
def serving_in_two_writes(no_delay: bool) -> Iterator[str]:
    """A server of whose answers head and body are two segments: without TCP_NODELAY the second waits for the ACK of the
    first, which the client's kernel holds back."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(connection: socket.socket) -> None:
            with connection:
                if no_delay:
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                with suppress(ConnectionError):
                    while connection.recv(4096):
                        connection.sendall(HEAD)
                        connection.sendall(b"ok")

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        host, port = listener.getsockname()
        yield f"{host}:{port}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def tried(no_delay: bool) -> TrialRecord:
    """What the engine sees of such a server, as a trial's record."""
    with serving_in_two_writes(no_delay) as address:
        plan = EnginePlan(
            address=address,
            requests=[Request(name="any", path="/")],
            load=Closed(connections=4),
            stop=StopAfterSeconds(seconds=1.5),
            warmup_seconds=0.3,
        )
        watch = NetworkWatch()
        watch.open()
        summary = run_engine(plan, lambda _event: None)
        return a_trial().record().model_copy(update={"engine": summary, "network": watch.close()})


@pytest.mark.measures
def test_head_and_body_in_two_writes(engine: Path) -> None:
    # Where other processes take the processors, 40 ms become 40 to 60 in a run or two, and no mode stands apart.
    runs = (found("delayed-ack", EXPERIMENT, [tried(no_delay=False)]) for _ in range(5))
    (finding,) = next(findings for findings in runs if findings)
    assert finding.severity == "warning"
    assert "delayed acknowledgement (40 ms" in finding.evidence
    assert "the kernel counted" in finding.evidence
    assert "TCP_NODELAY" in finding.remedy


@pytest.mark.measures
def test_with_tcp_nodelay_nothing_waits(engine: Path) -> None:
    assert found("delayed-ack", EXPERIMENT, [tried(no_delay=True)]) == []


def taking(milliseconds: "np.ndarray[tuple[int], np.dtype[np.float64]]", **network: int | None) -> TrialRecord:
    """A trial whose answers took so long, each to a tenth of a millisecond."""
    trial = a_trial().record()
    assert trial.engine
    # The first 2,048 places of a histogram whose lowest value is 2^17 ns are that wide each.
    counts = np.bincount((milliseconds * 1e6 / 131072).astype(int))
    numbers = [int(count) if count else -1 for count in counts]
    times = trial.engine.service_time.model_copy(
        update={"count": milliseconds.size, "hdr_base64": encoded(zigzag(*numbers), lowest=131072)}
    )
    return trial.model_copy(
        update={
            "engine": trial.engine.model_copy(update={"service_time": times}),
            "network": calm_network().model_copy(update=network),
        }
    )


RANDOM = np.random.default_rng(8)
FAST = RANDOM.gamma(4, 0.3, 20_000)


def mixed(delay: float, answers: int = 400) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Fast answers, and some that waited `delay` ms besides."""
    return np.concatenate([FAST, delay + RANDOM.gamma(4, 0.3, answers)])


@pytest.mark.parametrize(
    ("first_ms", "counted", "expected"),
    [(8, 20_000, ["warning"]), (8, None, []), (8, 10, []), (50, 20_000, []), (30, 20_000, [])],
    ids=["head at once", "nobody counts", "no timer", "whole answer at once", "head late"],
)
def test_on_a_busy_machine_the_head_tells_the_timer_from_work(
    first_ms: float, counted: int | None, expected: list[str]
) -> None:
    """Work of up to 20 ms before the head smears the mode; the body still comes 40 ms behind it."""
    trial = taking(RANDOM.uniform(40, 60, 20_000), delayed_acks=counted)
    assert trial.engine
    times = trial.engine.service_time
    changes = {
        "service_time": times.model_copy(update={"percentiles": {"50": 0.050}}),
        "first_byte_time": times.model_copy(update={"percentiles": {"50": first_ms / 1000}}),
    }
    changed = trial.model_copy(update={"engine": trial.engine.model_copy(update=changes)})
    assert severities(found("delayed-ack", EXPERIMENT, [changed])) == expected


@pytest.mark.parametrize(
    ("milliseconds", "counters", "expected"),
    [
        (FAST, {"delayed_acks": 0}, []),
        (mixed(40), {"delayed_acks": 400}, ["warning"]),
        (mixed(40), {"delayed_acks": None}, ["warning"]),
        (mixed(40), {"delayed_acks": 10}, []),
        (mixed(40, answers=15), {"delayed_acks": 15}, []),
        (mixed(200), {"timeouts": 400}, ["warning"]),
        (mixed(200), {"timeouts": 0}, []),
        (mixed(70), {"delayed_acks": 400, "timeouts": 400}, []),
        (RANDOM.normal(40, 8, 20_000).clip(1), {"delayed_acks": 20_000}, []),
        (RANDOM.lognormal(np.log(40), 0.3, 20_000), {"delayed_acks": 20_000}, []),
        (RANDOM.uniform(25, 60, 20_000), {"delayed_acks": 20_000}, []),
        (RANDOM.uniform(40, 60, 20_000), {"delayed_acks": 20_000}, []),
        (RANDOM.exponential(20, 20_000), {"delayed_acks": 20_000, "timeouts": 20_000}, []),
    ],
    ids=[
        "fast",
        "delayed",
        "delayed, nothing counted",
        "not the timer: it hardly ran out",
        "too few",
        "a retransmission timeout",
        "no timeout ran out",
        "another delay",
        "slow: normal around 40 ms",
        "slow: lognormal around 40 ms",
        "slow: uniform",
        "slow: uniform from 40 ms",
        "slow: exponential",
    ],
)
def test_a_narrow_mode_at_a_timer_s_time(
    milliseconds: "np.ndarray[tuple[int], np.dtype[np.float64]]", counters: dict[str, int | None], expected: list[str]
) -> None:
    assert severities(found("delayed-ack", EXPERIMENT, [taking(milliseconds, **counters)])) == expected
