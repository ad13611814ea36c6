"""Files of requests."""

import shutil
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_import import http_variables
from tests.fairtrial_import.imported import DATA, SECRET, Imported, import_to


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


def test_variables_of_the_environment_keep_their_names(tmp_path: Path) -> None:
    imported = imported_text(tmp_path, "GET http://h/?a={{$processEnv MY_ID}}&b={{$env.OTHER}}&t={{$timestamp}}\n")
    assert imported.request("get-root").path == "/?a={{env MY_ID}}&b={{env OTHER}}&t=1767225600"


@pytest.mark.parametrize(
    "text",
    [
        "GET http://h/\n###\nthis is no request\n",
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
