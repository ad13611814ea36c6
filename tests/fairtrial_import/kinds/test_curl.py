"""Command lines of curl."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from tests.fairtrial_import.imported import SECRET, import_to

CHROME = r"""curl 'https://shop.example/api/orders?dry=1' \
  -H 'accept: application/json' \
  -H 'authorization: Bearer SECRET-1' \
  -H 'content-type: application/json' \
  -b 'session=SECRET-2' \
  -H 'sec-ch-ua-mobile: ?0' \
  --data-raw $'{"name":"it\'s \u00e9\\n","n":3}' \
  --compressed ;
curl 'https://shop.example/api/items' -H 'accept: application/json' | jq .
"""


def test_what_a_browser_copies(tmp_path: Path) -> None:
    imported = import_to(tmp_path, CHROME)
    order, items = imported.request("post-api-orders"), imported.request("get-api-items")
    assert (order.method, order.path) == ("POST", "/api/orders?dry=1")
    assert order.json_body == {"name": "it's é\n", "n": 3}
    assert order.headers == {
        "accept": "application/json",
        "authorization": "Bearer {{env API_TOKEN}}",
        "cookie": "{{env API_COOKIE}}",
    }
    assert items.headers == {"accept": "application/json"} == imported.model.defaults.headers
    assert SECRET not in imported.text + imported.said
    for part in ("API_TOKEN: header authorization, after Bearer", "sec-ch-ua-mobile", "--compressed"):
        assert part in imported.comments
    assert "https://shop.example" in imported.comments


@pytest.mark.parametrize(
    ("command", "method", "path"),
    [
        ("curl localhost:8080/items", "GET", "/items"),
        ("curl http://[::1]:8080", "GET", "/"),
        ("curl -sSL --url http://h/a#part", "GET", "/a"),
        ("curl -I http://h/a", "HEAD", "/a"),
        ("curl -XDELETE http://h/a/1", "DELETE", "/a/1"),
        ("curl -G -d a=1 --data-urlencode 'b=x y' http://h/s?c=2", "GET", "/s?c=2&a=1&b=x%20y"),
        ("curl http://h/caf\u00e9/{{x}}?q=a|b", "GET", "/caf%C3%A9/%7B%7Bx%7D%7D?q=a%7Cb"),
        ("$ /usr/bin/curl http://h/a > out.txt", "GET", "/a"),
        ('curl "http://h/a" \\\n\t-H "x: 1"', "GET", "/a"),
    ],
)
def test_method_and_path(tmp_path: Path, command: str, method: str, path: str) -> None:
    (request,) = import_to(tmp_path, command).model.entries().values()
    assert (request.method, request.path) == (method, path)


def test_bodies(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text("{}")
    commands = f"""
        curl http://h/form -d a=1 -d 'b=--'
        curl http://h/json --json '{{"a": [1, 2.5, true, "{{{{x}}}}"]}}'
        curl http://h/null -H 'content-type: application/json' -d '{{"a": null}}'
        curl http://h/dashes --data-raw '--x' -H 'content-type: text/plain'
        curl http://h/file -X PUT --data-binary @{tmp_path / "order.json"}
    """
    imported = import_to(tmp_path, commands.strip())
    form, json = imported.request("post-form"), imported.request("post-json")
    assert (form.body, form.headers) == ("a=1&b=--", {"content-type": "application/x-www-form-urlencoded"})
    assert json.json_body == {"a": [1, 2.5, True, "{{{{x}}"]}
    assert json.headers == {"accept": "application/json"}  # the content type follows from `json`
    assert imported.request("post-null").body == '{"a": null}'
    assert imported.request("post-dashes").body == "--x"
    assert imported.request("put-file").body_file == str(tmp_path / "order.json")


def test_credentials(tmp_path: Path) -> None:
    imported = import_to(
        tmp_path, "curl -u ann:SECRET-0 http://h/a; curl http://ann:SECRET-0@h/b --oauth2-bearer SECRET-2"
    )
    assert imported.request("get-a").headers == {"authorization": "Basic {{env API_BASIC_CREDENTIALS}}"}
    assert SECRET not in imported.text + imported.said
    assert "base64 of user:password" in imported.comments


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        ("curl --no-such-option http://h/", "take the option out"),
        ("curl -F file=@a http://h/", "body_file"),
        ("curl -T file http://h/", "--data-binary"),
        ("curl -b jar.txt http://h/", "the cookies themselves"),
        ("curl -H 'x: SECRET-1 http://h/", "all of the command"),
        ("curl -H 'x: y'", "with its URL"),
        ("curl ftp://SECRET-1@h/", "HTTP server"),
        ('curl ^"http://h/^" ^\n  -H ^"a: b^"', "cURL (bash)"),
        ("curl http://h/ -d a=1 -d @file", "one file"),
    ],
)
def test_what_is_refused(tmp_path: Path, command: str, remedy: str, snapshot: object) -> None:
    with pytest.raises(Problem) as caught:
        import_to(tmp_path, command)
    assert caught.value.reason == snapshot and remedy in caught.value.remedy
    assert SECRET not in caught.value.reason


def test_what_a_workload_file_has_no_place_for_is_named(tmp_path: Path) -> None:
    comments = import_to(tmp_path, "curl -kL --http2 -m 5 -A me http://h/").comments
    for part in (
        "-k. Give --insecure",
        "-L. Redirects are not followed",
        "--http2",
        "-m. Give --timeout",
        "user-agent",
    ):
        assert part in comments, part


def test_what_all_commands_leave_out_is_said_once(tmp_path: Path) -> None:
    commands = "\n".join(f"curl http://h/{name} --compressed -H 'sec-gpc: 1' -A me" for name in "abc")
    text = import_to(tmp_path, commands).text
    assert text.count("--compressed") == text.count("sec-gpc, user-agent") == 1
