"""What is said of an unexpected status, by what the answer says itself."""

import pytest

from fairtrial.record.engine_summary import EngineSummary, Example, UnexpectedStatus
from fairtrial.record.quoted import hidden_quotes
from fairtrial.record.status_causes import STATUS_REMEDIES, status_remedy, statuses_remedy
from tests.builders import a_trial

HOST = "shop.example:8080"


def counted(window: float = 10.0, **statuses: UnexpectedStatus) -> EngineSummary:
    """A summary of 200 right answers and these statuses, `s429=…`."""
    engine = a_trial().record().engine
    assert engine is not None
    counts = {name[1:]: each for name, each in statuses.items()}
    return engine.model_copy(update={"verified": 200, "window_seconds": window, "examples": [], "statuses": counts})


def saying(count: int = 1, excerpt: str = "", **headers: str) -> UnexpectedStatus:
    return UnexpectedStatus(
        count=count, excerpt=excerpt, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


@pytest.mark.parametrize("status", [*STATUS_REMEDIES, 100, 206, 307, 418, 507, 999])
def test_every_status_has_a_remedy(status: int, snapshot: object) -> None:
    assert status_remedy(status, {}) == snapshot


@pytest.mark.parametrize(
    ("name", "value", "words", "not_words"),
    [
        ("www-authenticate", 'Bearer realm="x"', "Bearer, with a token", "base64"),
        ("www-authenticate", "Negotiate, basic realm=x", "Basic, with USER:PASSWORD", "token"),
        ("www-authenticate", 'Digest realm="basic", nonce="y"', "take another", "base64"),
        ("www-authenticate", "Hoba x\x1b[31m", "it asks for Hoba x\\x1b[31m", "token"),
        ("allow", "GET, HEAD", "it allows GET, HEAD", "none"),
        ("allow", "", "it allows none", "HEAD"),
        ("accept", "application/json", "it takes application/json", "allows"),
        ("retry-after", "120", "wait 120 s", "until"),
        ("retry-after", "Fri, 31 Dec 1999 23:59:59 GMT", "wait until Fri, 31 Dec 1999", " s ("),
        ("location", "/login", "it points to /login, on the same host", "another"),
        ("location", "https://shop.example:8080/", "same host by https", "another"),
        ("location", "//Shop.example:8080/x", "same host by the same scheme", "another"),
        ("location", "http://shop.example/", "on another host", "same"),
        ("location", "http://[::1", "it points to http://[::1", "host"),
        ("location", "http://a:99999999/", "it points to", "host"),
    ],
)
def test_what_a_header_says_is_said(name: str, value: str, words: str, not_words: str) -> None:
    said = status_remedy(499, {name: value}, HOST).partition("; ")[2]
    assert words in said and not_words not in said, said


@pytest.mark.parametrize(
    ("host", "location"),
    [("shop.example", "http://shop.example:80/"), ("[::1]:8080", "http://[::1]:8080/"), ("a", "https://A:443/x")],
)
def test_a_host_is_the_same_with_its_usual_port(host: str, location: str) -> None:
    assert "on the same host" in status_remedy(301, {"location": location}, host)


def test_without_a_host_nothing_is_said_of_it() -> None:
    assert status_remedy(301, {"location": "http://a/"}).endswith("it points to http://a/")


def test_of_several_statuses_the_most_frequent_come_first() -> None:
    limited = saying(1200, retry_after="1")
    summary = counted(s404=saying(3), s429=limited, s500=saying(9), s401=saying(2), s418=saying(1))
    text = statuses_remedy("status_4xx", summary)
    places = [text.index(each) for each in ("429 (1,200): ", "404 (3): ", "401 (2): ")]
    assert places == sorted(places) and "418" not in text and "500" not in text


@pytest.mark.parametrize(
    ("wait", "rate"), [("1", "is 20.0 a second"), ("60", "over 60 s is 3.33 a second"), ("a date", "is 20.0 a second")]
)
def test_a_limiter_implies_a_rate(wait: str, rate: str) -> None:
    text = statuses_remedy("status_4xx", counted(s429=saying(retry_after=wait)))
    assert f"200 answers got through, which {rate}" in text
    assert "got through" not in statuses_remedy("status_5xx", counted(s503=saying(retry_after=wait)))


def test_a_redirect_to_nowhere_is_said_to_be_one() -> None:
    assert "302: a redirect" in statuses_remedy("status_3xx", counted(s302=saying(location="/a")))
    assert "no Location" not in statuses_remedy("status_3xx", counted(s302=saying(location="/a")))
    assert statuses_remedy("status_3xx", counted(s308=saying())).endswith("no Location, so that nobody can follow it")
    assert "no Location" not in statuses_remedy("status_3xx", counted(s304=saying()))


def test_who_let_nothing_through_is_said_to() -> None:
    summary = counted(s429=saying()).model_copy(update={"verified": 0})
    assert "nothing got through" in statuses_remedy("status_4xx", summary)


def test_a_servers_failure_is_quoted_where_no_example_shows_it() -> None:
    down = saying(excerpt="\n pool \x1b[31mis empty\r\nat line 7")
    summary = counted(s500=down)
    assert "it says “pool \\x1b[31mis empty”" in statuses_remedy("status_5xx", summary)
    page = counted(s500=saying(excerpt="<!doctype html>\n<title>no"))
    shown = summary.model_copy(update={"examples": [Example(kind="status_5xx", status=500, excerpt="pool")]})
    assert not any("it says" in statuses_remedy("status_5xx", each) for each in (page, shown))


def test_an_old_record_has_its_examples_alone() -> None:
    examples = [Example(kind="wrong_body", status=200, excerpt=""), Example(kind="status_4xx", status=404, excerpt="")]
    summary = counted().model_copy(update={"examples": examples})
    assert statuses_remedy("status_4xx", summary) == f"404: {STATUS_REMEDIES[404]}"
    both = summary.model_copy(update={"examples": [*examples, Example(kind="status_4xx", status=400, excerpt="")]})
    assert "404: " in statuses_remedy("status_4xx", both)  # how many there were is not known
    assert statuses_remedy("status_3xx", summary).startswith("a redirect: ")


def test_a_secret_is_quoted_nowhere() -> None:
    summary = counted(s302=saying(location="/in?t=s3cret", excerpt="s3cret"))
    assert "s3cret" not in hidden_quotes(summary, lambda text: text.replace("s3cret", "…")).model_dump_json()
