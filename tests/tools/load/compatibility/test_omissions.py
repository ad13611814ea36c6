"""What the figures of ab and wrk leave out."""

from fairtrial.record.engine_summary import BodyBytes
from fairtrial.tools.load.compatibility.omissions import omissions
from tests.builders import a_trial
from tests.lines import lines_with
from tests.tools.load.measurements import measurement, plan


def omitted(tool: str = "ab", **changes: object) -> str:
    trial = changes.pop("trial", a_trial())
    of = changes.pop("of", plan())
    return "\n".join(omissions(tool, measurement(trial, of=of, **changes)))  # type: ignore[arg-type]


def test_what_is_always_left_out() -> None:
    text = omitted()
    for words in ("The load was closed", "fairtrial load -r RATE", "One run has no interval", "30% busy", "p99"):
        assert words in text


def test_wrong_answers_counted_as_requests(snapshot: object) -> None:
    text = omitted(trial=a_trial().serving(100).erring(status_5xx=30))
    assert lines_with(text, "Requests per second") == snapshot
    assert "Requests/sec counts them" in omitted("wrk", trial=a_trial().erring(status_5xx=30))


def test_lost_requests(snapshot: object) -> None:
    assert lines_with(omitted(trial=a_trial().erring(timeout=5)), "no answer") == snapshot
    assert lines_with(omitted("wrk"), "unanswered") == snapshot


def test_lengths(snapshot: object) -> None:
    assert lines_with(omitted(), "Bodies had") == snapshot
    assert "Bodies had" not in omitted(body_bytes=BodyBytes(min=5, max=5, mean=5))


def test_rows_without_support(snapshot: object) -> None:
    text = omitted(trial=a_trial().serving(50))
    assert lines_with(text, "The row") == snapshot


def test_connections_of_their_own(snapshot: object) -> None:
    assert lines_with(omitted(of=plan(requests_per_connection=1)), "of its own") == snapshot
