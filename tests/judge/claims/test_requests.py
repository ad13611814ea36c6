"""Claims about one request of a mix: on built records, and on a real run of two requests with different delays."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.run import run_engine
from fairtrial.judge.claims import SentNames, validate_claim
from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from fairtrial.load.engine_terms import Closed, StopAfterRequests
from fairtrial.record.engine_summary import Distribution
from fairtrial.record.histogram import read_histogram
from fairtrial.record.model import TrialRecord
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.judge.claims.scene import WOBBLE, verdict

LONG_SECONDS = 0.2


def mixed(name: str, block: int) -> TrialBuilder:
    """`short` takes 1 ms on `loop`, and 10 ms on `threads`; `long` takes as long on both."""
    short = {"loop": 0.001, "threads": 0.010}[name.partition(" ")[0]] * WOBBLE[block % 5]
    return a_trial().mixing(short=(0.99, short), long=(0.01, 1.0 * WOBBLE[(block + 2) % 5]))


def about(request: str, kind: str, **keys: Any) -> ClaimResult:
    return verdict(kind, mixed, "loop", "threads", request=request, **{"metric": "response_time_p50", **keys})


@pytest.mark.parametrize(
    ("kind", "keys", "long"),
    [
        ("budget", {"of": "loop", "at_most": "5 ms"}, "refuted"),
        ("ratio", {"of": "threads", "to": "loop", "at_least": 5}, "refuted"),
        ("difference", {"of": "threads", "to": "loop", "at_least": "5 ms"}, "refuted"),
        ("order", {"order": ["loop", "threads"]}, "equal"),
        ("budget", {"of": "loop", "metric": "goodput", "at_least": "3,900/s"}, "refuted"),
        ("budget", {"of": "loop", "metric": "response_time_max", "at_most": "50 ms"}, "refuted"),
        ("budget", {"of": "loop", "metric": "errors", "at_most": "1%"}, "upheld"),
    ],
)
def test_a_claim_about_one_request_is_judged_by_its_answers_alone(kind: str, keys: dict[str, Any], long: str) -> None:
    short = about("short", kind, **keys)
    assert (short.verdict, short.request) == ("upheld", "short"), short.sentence
    assert about("long", kind, **keys).verdict == long


def test_equality_and_shapes_are_of_the_request_too() -> None:
    sides = {"of": "threads", "to": "loop"}
    assert about("short", "equal", **sides).verdict == "refuted"
    assert about("long", "equal", **sides).verdict == "upheld"
    leading = {"sweep": (1.0, 2.0), "of": "loop", "to": "threads", "shape": "leads"}
    assert about("short", "shape", **leading).verdict == "upheld"
    assert about("long", "shape", **leading).verdict == "undecided"


def test_the_sentence_names_the_request(snapshot: object) -> None:
    budget = about("short", "budget", of="loop", metric="response_time_p99", at_most="50 ms")
    assert budget.sentence == snapshot
    assert budget.subject == snapshot
    ratio = about("short", "ratio", of="threads", to="loop", at_least=5)
    assert ratio.sentence == snapshot
    assert ratio.subject == snapshot


def test_a_percentile_needs_enough_answers_of_that_request(snapshot: object) -> None:
    claim = about("long", "budget", of="loop", metric="response_time_p99", at_most="50 ms")
    assert (claim.verdict, claim.estimate) == ("undecided", None)
    assert claim.reason == snapshot


def judged_with(metric: str, at_most: str, change: Callable[[TrialRecord], TrialRecord]) -> ClaimResult:
    """A budget for `short` on trials of `loop` that are changed."""
    record = an_experiment("loop").stating("budget", of="loop", metric=metric, request="short", at_most=at_most)
    built = record.record()
    trials = [change(trial) for trial in trials_of(built, mixed)]
    return judge(built, trials, interrupted=False).claims[0]


def with_mix(trial: TrialRecord, errors: dict[str, int] | None = None, **changes: Any) -> TrialRecord:
    """The trial with another entry for `short`, and further errors."""
    assert trial.engine is not None
    short, *others = trial.engine.mix
    more = trial.engine.errors | (errors or {})
    engine = trial.engine.model_copy(update={"mix": [short.model_copy(update=changes), *others], "errors": more})
    return trial.model_copy(update={"engine": engine})


def test_errors_are_those_of_the_request(snapshot: object) -> None:
    claim = judged_with("errors", "2%", lambda trial: with_mix(trial, verified=11_400, answers=11_480, failures=520))
    assert claim.verdict == "refuted" and claim.estimate == pytest.approx(0.05)
    overflown = judged_with("errors", "2%", lambda trial: with_mix(trial, {"overflow": 1}))
    assert overflown.reason == snapshot


def test_what_a_record_does_not_hold_of_a_request_is_said(snapshot: object) -> None:
    older = judged_with("response_time_p50", "1 s", lambda trial: with_mix(trial, response_time=None, failures=None))
    assert older.reason == snapshot
    other = judged_with("goodput", "1k/s", lambda trial: with_mix(trial, name="quick"))
    assert other.reason == snapshot
    counted = judged_with("goodput", "9k/s", lambda trial: with_mix(trial, response_time=None, failures=None))
    assert (counted.verdict, counted.estimate) == ("upheld", pytest.approx(3960))


def test_the_only_request_of_a_workload_has_the_figures_of_all() -> None:
    def alone(trial: TrialRecord) -> TrialRecord:
        assert trial.engine is not None
        (short, _) = trial.engine.mix
        only = short.model_copy(update={"verified": 12_000, "response_time": None, "service_time": None})
        return trial.model_copy(update={"engine": trial.engine.model_copy(update={"mix": [only]})})

    assert judged_with("response_time_p99", "1 s", alone).estimate == pytest.approx(0.016)
    assert judged_with("goodput", "9k/s", alone).estimate == pytest.approx(4000)


@pytest.mark.parametrize(
    "keys",
    [
        {"request": "shrt"},
        {"request": "short", "metric": "peak_rss", "at_least": "1 MiB"},
        {"request": "short", "metric": "p99"},
    ],
)
def test_wrong_use_is_answered_with_the_remedy(keys: dict[str, Any], snapshot: object) -> None:
    budget = {"of": "a", "at_least": "1/s"} | keys
    experiment = an_experiment("a").stating("budget", **budget).record().experiment
    with pytest.raises(ValueError) as error:
        validate_claim(experiment.claims[0], experiment, lambda _value: SentNames(["short", "long"]))
    assert str(error.value) == snapshot


class Handler(BaseHTTPRequestHandler):
    """Answers at once, and `/long` after a while."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/long":
            time.sleep(LONG_SECONDS)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def log_message(self, *_arguments: object) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a server of two delays."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
        Thread(target=served.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{served.server_port}"
        served.shutdown()


def counts_by_bucket(*distributions: Distribution | None) -> Counter[float]:
    counts: Counter[float] = Counter()
    for times in distributions:
        assert times is not None
        for bucket in read_histogram(times.hdr_base64).buckets:
            counts[bucket.low_seconds] += bucket.count
    return counts


def test_the_delays_of_two_requests_of_a_real_run_are_told_apart(engine: Path, server: str) -> None:
    assert engine.exists()
    plan = EnginePlan(
        address=server,
        requests=[Request(name="short", path="/short", weight=15), Request(name="long", path="/long")],
        load=Closed(connections=16),
        stop=StopAfterRequests(requests=640),
    )
    summary = run_engine(plan, lambda event: None)
    assert [(share.name, share.verified, share.failures) for share in summary.mix] == [
        ("short", 600, 0),
        ("long", 40, 0),
    ]
    for kind in ("response_time", "service_time"):
        parts = [getattr(share, kind) for share in summary.mix]
        assert counts_by_bucket(*parts) == counts_by_bucket(getattr(summary, kind))

    record = (
        an_experiment("a", blocks=5)
        .stating("budget", of="a", request="short", metric="response_time_p90", at_most="100 ms")
        .stating("budget", of="a", request="long", metric="service_time_p50", at_least="200 ms")
        .stating("budget", of="a", request="long", metric="response_time_p90", at_least="200 ms")
        .record()
    )
    # Five copies of one run: a beginning that was slow by chance would look like five of them.
    trials = [
        trial.model_copy(update={"engine": summary.model_copy(update={"series": [], "tenths": None})})
        for trial in trials_of(record, a_trial().but(window=summary.window_seconds))
    ]
    short, long, rare = judge(record, trials, interrupted=False).claims
    assert (short.verdict, long.verdict) == ("upheld", "upheld"), f"{short.sentence} {long.sentence}"
    assert rare.verdict == "undecided", "40 answers do not support p90"
