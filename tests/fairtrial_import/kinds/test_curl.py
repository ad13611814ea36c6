"""Command lines of curl."""

import json
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.multipart import FilePart
from tests.fairtrial_import.imported import SECRET, import_to
from tests.lines import passage

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
        ("curl 'http://h/caf\u00e9/{{x}}?q=a|b'", "GET", "/caf%C3%A9/%7B%7Bx%7D%7D?q=a%7Cb"),
        ("$ /usr/bin/curl http://h/a > out.txt", "GET", "/a"),
        ('curl "http://h/a" \\\n\t-H "x: 1"', "GET", "/a"),
        ("curl http://h/a/../b/./c?d=/../e", "GET", "/b/c?d=/../e"),
        ("curl --path-as-is http://h/a/../b", "GET", "/a/../b"),
        ("curl --request-target /b -X OPTIONS http://h/a", "OPTIONS", "/b"),
        ("curl http://h/a --url-query '+b=c%20d' --url-query 'e=f g'", "GET", "/a?b=c%20d&e=f%20g"),
        ("curl -G http://h/a --data-urlencode '=x@y' --data-urlencode 'm@n=o' -I", "HEAD", "/a?x%40y&m@n=o"),
        ("curl --ins --compressed --no-location --retry 3 -sSfo /dev/null http://h/a", "GET", "/a"),
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


def test_forms_of_several_parts(tmp_path: Path, snapshot: object) -> None:
    """As curl(1) has them: quotes, semicolons, media types, names, and the content type that people copy along."""
    photo, page = tmp_path / "a cat.jpg", tmp_path / "p"
    for file in (photo, page):
        file.write_bytes(b"x")
    form_of = f"""-F token=SECRET-3 -F 'photo=@"{photo}";type=image/jpeg;filename="x.jpg"'"""
    page_of = f"-F 'page=@{page};type=text/html; charset=utf-8' -H 'Content-Type: multipart/form-data'"
    commands = f"""
        curl http://h/form -F 'note=b; c' -F 'say="d; e"' {form_of}
        curl http://h/plain -X PUT --form-string 'a=@b;c' {page_of}
    """
    imported = import_to(tmp_path, commands.strip())
    form, plain = imported.request("post-form"), imported.request("put-plain")
    assert form.multipart == {
        "note": "b",
        "say": "d; e",
        "token": "{{env API_TOKEN}}",
        "photo": FilePart(file=str(photo), name="x.jpg", type="image/jpeg"),
    }
    assert plain.multipart == {"a": "@b;c", "page": FilePart(file=str(page), type="text/html; charset=utf-8")}
    assert plain.headers == {}
    assert SECRET not in imported.text + imported.said
    assert passage(imported.comments, "Left out: c", "part note.") == snapshot


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
        ("curl -F a=1 -F a=2 http://h/", "--data-binary"),
        ("curl -F a=1 -d b=2 http://h/", "take one of them out"),
        ("curl -F a=1 -G http://h/", "take one of them out"),
        ("curl -F a=1 -X GET http://h/", "by POST"),
        ("curl -F 'a=<text' http://h/", "write the value"),
        ("curl -F 'a=@b,c' http://h/", "write the value"),
        ("curl -F =1 http://h/", "'name=value'"),
        ("curl -T file http://h/", "--data-binary"),
        ("curl -b jar.txt http://h/", "the cookies themselves"),
        ("curl -H 'x: SECRET-1 http://h/", "all of the command"),
        ("curl -H 'x: y'", "with its URL"),
        ("curl ftp://SECRET-1@h/", "HTTP server"),
        ("curl http://h/ -d a=1 -d @file", "one file"),
        ("curl http://h/ -d @-", "the value into the command"),
        ("curl http://h/ --request-target '*'", "take the option out"),
        ("curl --url @list", "URLs themselves"),
        ("curl -Uri http://h/ -Method POST", "cURL (bash)"),
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
        "--http2",
        "-m. Give --timeout",
        "user-agent",
    ):
        assert part in comments, part


@pytest.mark.parametrize(("options", "number"), [("", 0), ("-L", 20), ("-L --max-redirs 3", 3), ("--max-redirs 3", 0)])
def test_redirects_that_curl_follows_are_followed(tmp_path: Path, options: str, number: int) -> None:
    (request,) = import_to(tmp_path, f"curl {options} http://h/a").model.entries().values()
    assert request.follow_redirects == number


@pytest.mark.parametrize("options", ["-d @", "-F x=@", "-F 'x=@f;type=no type'", "--data-binary @"])
def test_a_file_without_a_name_or_with_a_broken_type_leaves_its_request_out(tmp_path: Path, options: str) -> None:
    imported = import_to(tmp_path, f"curl http://h/a {options}\ncurl http://h/b\n")
    assert list(imported.model.entries()) == ["get-b"] and "Left out: " in imported.comments


def test_what_all_commands_leave_out_is_said_once(tmp_path: Path) -> None:
    commands = "\n".join(f"curl http://h/{name} --compressed -H 'sec-gpc: 1' -A me" for name in "abc")
    text = import_to(tmp_path, commands).text
    assert text.count("--compressed") == text.count("sec-gpc, user-agent") == 1


def test_a_page_of_documentation(tmp_path: Path) -> None:
    file = tmp_path / "README.md"
    code = ["```bash\n$ curl http://h/1\n```\n", "```\n curl http://h/3\n```\n"]
    file.write_text(f"# How\n\nIt's easy:\n\n{code[0]}\nDon't `curl http://h/2`.\n{code[1]}")
    assert list(import_to(tmp_path, file).model.entries()) == ["get-1", "get-3"]


SCRIPT = """#!/bin/bash
# Asks for everything; don't run it twice.
BASE=http://127.0.0.1:8080
TOKEN=$(curl -s "$BASE/login" -d user=ann | jq -r .token)
look() {
  curl -fsS "$BASE/items/$1" -H "Authorization: Bearer $TOKEN" | jq .
}
curl "$BASE/items" -T a
curl "$BASE/orders" --json @- <<EOF
{"item": $ITEM, "say": "$BASE"}
EOF
docker exec web curl -s "$BASE/a" --next -X DELETE "$BASE/b"
curl "$@"
curl "$BASE$1"
curl 'not closed
"""


def test_a_script(tmp_path: Path, snapshot: object) -> None:
    file = tmp_path / "all.sh"
    file.write_text(SCRIPT)
    imported = import_to(tmp_path, file)
    assert {name: f"{entry.method} {entry.path}" for name, entry in imported.model.entries().items()} == {
        "post-login": "POST /login",
        "get-items": "GET /items/{{env API_ARGUMENT_1}}",
        "post-orders": "POST /orders",
        "get-a": "GET /a",
        "delete-b": "DELETE /b",
    }
    assert imported.request("get-items").headers == {"authorization": "Bearer {{env API_TOKEN}}"}
    assert imported.request("post-orders").json_body == {"item": "{{env API_ITEM}}", "say": "http://127.0.0.1:8080"}
    assert imported.comments == snapshot


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("curl http://h/ -d @- <<'E'\na\nb\nE\n", "ab"),
        ("curl http://h/ --data-binary @- <<'E'\na\nb\nE\n", "a\nb\n"),
        ("echo x | curl http://h/ -d a=1 -d @-", "a=1&x"),
        ("curl http://h/ --json '{\"a\":' --json '1}'", '{"a":1}'),
    ],
)
def test_bodies_on_standard_input_and_in_pieces(tmp_path: Path, text: str, body: str) -> None:
    file = tmp_path / "one.sh"
    file.write_text(text)
    (request,) = import_to(tmp_path, file).model.entries().values()
    assert body in (request.body, json.dumps(request.json_body, separators=(",", ":")))


def test_one_bad_command_of_three_is_named_with_its_line(tmp_path: Path, snapshot: object) -> None:
    file = tmp_path / "three.sh"
    file.write_text("curl http://h/1\ncurl --no-such-option http://h/2\ncurl -X post http://h/3\n")
    imported = import_to(tmp_path, file)
    assert list(imported.model.entries()) == ["get-1", "post-3"]
    assert passage(imported.comments, "Left out: line", "not recognized") == snapshot
    assert passage(imported.comments, "curl would send", "as post") == snapshot


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ('curl ^"http://h/^" ^\n  --data-raw ^"^{^\\^"a^\\^":1^}^"', '{"a":1}'),
        ('curl "http://h/" --data-binary "^{^\\^"a^\\^":1^}" --compressed', '{"a":1}'),
        ("curl.exe -d '{\\\"a\\\":1}' `\n  http://h/", '{"a":1}'),
    ],
)
def test_forms_of_other_shells(tmp_path: Path, text: str, body: str) -> None:
    (request,) = import_to(tmp_path, text).model.entries().values()
    assert request.body == body
