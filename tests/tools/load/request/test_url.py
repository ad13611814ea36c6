"""The parts of URLs, and URLs that are refused."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.tools.load.request.url import parse_url


@pytest.mark.parametrize(
    ("text", "hostname", "port", "host", "path"),
    [
        ("http://a.example", "a.example", 80, "a.example", "/"),
        ("http://a.example:80/", "a.example", 80, "a.example", "/"),
        ("http://a.example:8080/x?y=1#z", "a.example", 8080, "a.example:8080", "/x?y=1"),
        ("https://a.example/x", "a.example", 443, "a.example", "/x"),
        ("https://a.example:80/x", "a.example", 80, "a.example:80", "/x"),
        ("http://[::1]:8080/", "::1", 8080, "[::1]:8080", "/"),
        ("HTTP://LOCALHOST?q", "localhost", 80, "localhost", "/?q"),
        ("http://bücher.example/", "xn--bcher-kva.example", 80, "xn--bcher-kva.example", "/"),
    ],
)
def test_parts(text: str, hostname: str, port: int, host: str, path: str) -> None:
    url = parse_url(text)
    assert (url.hostname, url.port, url.host, url.path) == (hostname, port, host, path)
    assert url.secure is text.lower().startswith("https")


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("ftp://a/", "http://HOST"),
        ("localhost:8080/x", "write http://localhost:8080/x"),
        ("shop.workload.toml", "http://HOST:PORT -f shop.workload.toml"),
        ("http://", "http://HOST"),
        ("http://a:99999/", "http://HOST"),
        ("http://[::1/", "http://HOST"),
        ("http://user:secret@a/", "Authorization"),
        ("http://a/x y", "percent-encode"),
        ("http://a/ä", "percent-encode"),
        ("http://a/{{uniform 1 9}}", "--template"),
    ],
)
def test_what_cannot_be_requested(text: str, remedy: str, snapshot: object) -> None:
    with pytest.raises(Problem) as raised:
        parse_url(text)
    assert str(raised.value) == snapshot
    assert remedy in raised.value.remedy
    assert "secret" not in raised.value.reason


def test_a_template_may_hold_spaces_in_its_braces_only() -> None:
    assert parse_url("http://a/{{uniform 1 9}}?q={{sequence 1}}", template=True).path.endswith("{{sequence 1}}")
    with pytest.raises(Problem):
        parse_url("http://a/{{uniform 1 9}} x", template=True)
