"""Files of requests."""

import shutil
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_import import http_variables
from tests.fairtrial_import.imported import DATA, SECRET, Imported, import_to
from tests.lines import passage


def imported_text(folder: Path, text: str) -> Imported:
    file = folder / "more.http"
    file.write_text(text)
    return import_to(folder, file)


def test_a_file_of_requests(tmp_path: Path) -> None:
    imported = import_to(tmp_path, DATA / "requests.http")
    items = imported.request("list-the-items")
    assert (items.method, items.path) == ("GET", "/api/v1/items?page={{uniform 1 9}}&limit=20")
    assert items.headers == {"accept": "application/json", "authorization": "Bearer {{env API_TOKEN}}"}
    order = imported.request("create-order")
    assert order.json_body == {
        "item": "{{uniform 1 99}}",
        "id": "00000000-0000-4000-8000-000000000001",
        "password": "{{env API_PASSWORD}}",
        "tags": ["a", "b"],
    }
    assert order.headers["x-api-key"] == "{{env API_KEY}}"
    assert imported.request("a-form").body == "user=ann&password={{env API_PASSWORD_2}}"
    assert SECRET not in imported.text + imported.said


def test_what_is_left_out_and_made_up_is_said(tmp_path: Path, snapshot: object) -> None:
    comments = import_to(tmp_path, DATA / "requests.http").comments
    assert comments == snapshot


def test_a_body_from_a_file_is_named_as_it_lies_beside_the_workload_file(tmp_path: Path) -> None:
    source = tmp_path / "requests"
    source.mkdir()
    for name in ("requests.http", "body.bin"):
        shutil.copy(DATA / name, source)
    imported = import_to(tmp_path, source / "requests.http")
    named = imported.request("from-a-file").body_file
    assert named == "requests/body.bin" and (tmp_path / named).samefile(source / "body.bin")


def test_forms_of_request_lines(tmp_path: Path) -> None:
    imported = imported_text(
        tmp_path,
        "@base = {{root}}/v2\n@root=http://h\n\n// @name first\nGET {{base}}/a\n"
        "### \nhttp://h/b\n###\n# only a comment\n\n### relative\nDELETE /c\nHost: h\n### {{unset}}\nGET {{unset}}/d\n",
    )
    paths = {name: f"{entry.method} {entry.path}" for name, entry in imported.model.entries().items()}
    assert paths == {"first": "GET /v2/a", "get-b": "GET /b", "relative": "DELETE /c", "unset": "GET /d"}
    assert "API_UNSET" not in imported.text  # the server's address is no part of the file
    assert "stands for what the file calls unset, and does not define; a path in it has to" in imported.comments


def test_a_request_that_is_left_out_does_not_choose_the_server(tmp_path: Path) -> None:
    imported = imported_text(tmp_path, "GRPC h:50051/shop.Items/Get\n\n{}\n\n###\nGET http://h/a\n")
    assert imported.request("get-a").path == "/a"
    assert "1 with the method GRPC" in imported.comments


def test_a_variable_that_is_asked_for_encoded_is_found(tmp_path: Path) -> None:
    imported = imported_text(tmp_path, "@q = a b\n\nGET http://h/{{%q}}\n")
    assert imported.request("get-a-b").path == "/a%20b"


def test_variables_of_the_environment_keep_their_names(tmp_path: Path) -> None:
    imported = imported_text(tmp_path, "GET http://h/?a={{$processEnv MY_ID}}&b={{$env.OTHER}}&t={{$timestamp}}\n")
    assert imported.request("get-root").path == "/?a={{env MY_ID}}&b={{env OTHER}}&t=1767225600"


@pytest.mark.parametrize(
    "text",
    [
        "@a = 1\nthis is no request\n",
        "GET http://h/\nno header SECRET-1\n",
        "POST http://h/\ncontent-type: multipart/form-data\n\n--x\n",
        "POST http://h/\n\n< ./a\n< ./b\n",
        "@a={{b}}{{b}}\n@b={{a}}{{a}}\nGET http://h/" + "{{a}}" * 500,
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    monkeypatch.setattr(http_variables, "MOST_REPLACEMENTS", 1000)
    with pytest.raises(Problem) as caught:
        imported_text(tmp_path, text)
    assert caught.value.reason == snapshot and caught.value.remedy
    assert SECRET not in caught.value.reason


def paths(imported: Imported) -> list[str]:
    return [f"{entry.method} {entry.path}" for entry in imported.model.entries().values()]


def test_a_variable_has_the_value_above_the_request(tmp_path: Path, snapshot: object) -> None:
    text = "GET {{root}}/0\n###\n@root = http://h\n@n = 1\n\nGET {{root}}/{{n}}\n\n###\n@n = 2\nGET {{root}}/{{n}}\n"
    imported = imported_text(tmp_path, text)
    assert paths(imported) == ["GET /0", "GET /1", "GET /2"]
    assert imported.comments == snapshot


COMMENTS = """### a
# @name first
// of the shop
POST http://h/a
# between
Content-Type: application/json
// X-Not: sent

{
  // what
  "item": 7,
  # how many
  "url": "http://x/#//"
}
// the end

### b
/*
GET http://h/not
*/
< {%
  request.variables.set("x", "}}")
%}
post http://h/b?x=1
  &y=2
# &z=3
Content-Type: text/plain

> not a handler
# gone
last

> {% client.log("%") %}
?? status == 200

### c
http://h/c

HTTP/1.1 200 OK

###
# nothing

###
HTTP/1.1 200 OK
"""


def test_comments_and_scripts_are_left_out_as_the_clients_do(tmp_path: Path, snapshot: object) -> None:
    imported = imported_text(tmp_path, COMMENTS)
    assert paths(imported) == ["POST /a", "POST /b?x=1&y=2", "GET /c"]
    first = imported.request("first")
    assert first.json_body == {"item": 7, "url": "http://x/#//"} and first.headers == {}
    assert imported.request("b").body == "last"
    assert passage(imported.comments, "a script that", "the request") == snapshot
    assert "what handles the answer" in imported.comments


def test_a_file_of_markdown_keeps_its_headings(tmp_path: Path) -> None:
    imported = imported_text(tmp_path, "PUT http://h/\nContent-Type: text/markdown\n\n# A title\n")
    assert imported.request("put-root").body == "# A title"


def test_a_request_that_is_a_command_of_curl(tmp_path: Path) -> None:
    curl = "curl -X POST {{h}}/a \\\n  -H 'Authorization: Bearer {{key}}' -d 'b={{key}}'"
    text = f"@h = http://h\n### a\n{curl}\n### c\nGET {{{{h}}}}/c\n"
    imported = imported_text(tmp_path, text)
    assert paths(imported) == ["POST /a", "GET /c"]
    assert imported.request("a").headers["authorization"] == "Bearer {{env API_KEY}}"
    assert imported.request("a").body == "b={{env API_KEY}}"


def test_requests_fail_one_by_one(tmp_path: Path, snapshot: object) -> None:
    text = (
        "GET http://h/a\n### parts\nPOST http://h/\ncontent-type: multipart/form-data; boundary=x\n\n--x\n--x--\n"
        "### no line\nrun ./other.http\n### no header\nGET http://h/\nhttp://h/list\n"
        "### off\n# @disabled\nGET http://h/off\n### curl\ncurl --no-such-option http://h/\n### ok\nLIST http://h/\n"
        "### files\nPUT http://h/\n\na\n< ./a\n"
    )
    imported = imported_text(tmp_path, text)
    assert paths(imported) == ["GET /a"]
    assert imported.comments == snapshot


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        (["a=1", "&b=x y", "&c={{env}}"], "a=1&b=x%20y&c={{env API_ENV}}"),
        (["a=1 &", "b=2"], "a=1%20&b=2"),
        (["a=1", "b=2"], "a=1%0Ab=2"),
    ],
)
def test_forms(tmp_path: Path, lines: list[str], body: str) -> None:
    text = "\n".join(["POST http://h/", "content-type: application/x-www-form-urlencoded", "", *lines])
    assert imported_text(tmp_path, text).request("post-root").body == body


@pytest.mark.parametrize(
    "head", ["GRAPHQL http://h/g", "POST http://h/g\nX-Request-Type: GraphQL\nContent-Type: application/json"]
)
def test_graphql(tmp_path: Path, head: str) -> None:
    text = f'{head}\n\nquery ($id: ID) {{\n  item(id: $id) {{ name }}\n}}\n\n{{"id": "{{{{which}}}}"}}\n'
    (request,) = imported_text(tmp_path, text).model.entries().values()
    assert (request.method, request.headers) == ("POST", {})
    query = "query ($id: ID) {\n  item(id: $id) { name }\n}"
    assert request.json_body == {"query": query, "variables": {"id": "{{env API_WHICH}}"}}


def test_values_that_a_client_makes(tmp_path: Path) -> None:
    text = "GET http://h/?a={{$random.alphabetic(5)}}&b={{$datetime rfc1123}}&c={{$random.integer(1, 5)}}&d={{$guid}}\n"
    (path,) = paths(imported_text(tmp_path, text))
    assert path == (
        "GET /?a=abcdefghij&b=Thu,%2001%20Jan%202026%2000:00:00%20GMT&c={{uniform 1 4}}"
        "&d=00000000-0000-4000-8000-000000000001"
    )
