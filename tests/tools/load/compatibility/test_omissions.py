"""What the figures of ab and wrk leave out."""

from fairtrial.record.engine_summary import BodyBytes
from fairtrial.tools.load.compatibility.omissions import omissions
from tests.builders import a_trial
from tests.tools.load.measurements import measurement, plan


def omitted(tool: str = "ab", **changes: object) -> str:
    trial = changes.pop("trial", a_trial())
    of = changes.pop("of", plan())
    return "\n".join(omissions(tool, measurement(trial, of=of, **changes)))  # type: ignore[arg-type]


def test_what_is_always_left_out() -> None:
    text = omitted()
    for words in ("The load was closed", "fairtrial load -r RATE", "One run has no interval", "30% busy", "p99"):
        assert words in text


def test_wrong_answers_counted_as_requests() -> None:
    text = omitted(trial=a_trial().serving(100).erring(status_5xx=30))
    assert "30 of 330 answers were wrong, and Requests per second counts them: 110/s, but 100/s verified" in text
    assert "Requests/sec counts them" in omitted("wrk", trial=a_trial().erring(status_5xx=30))


def test_lost_requests() -> None:
    assert "5 requests had no answer within 10 s" in omitted(trial=a_trial().erring(timeout=5))
    assert "16 requests were unanswered at the end" in omitted("wrk")


def test_lengths() -> None:
    assert "ab counts every answer as failed whose length is not that of the first" in omitted()
    assert "Bodies had" not in omitted(body_bytes=BodyBytes(min=5, max=5, mean=5))


def test_rows_without_support() -> None:
    text = omitted(trial=a_trial().serving(50))
    assert "The row for 95% and those below it would rest on fewer than ten slower answers of 150" in text


def test_connections_of_their_own() -> None:
    assert "opened a connection of its own" in omitted(of=plan(requests_per_connection=1))
