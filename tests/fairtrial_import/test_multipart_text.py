"""Forms of several parts, in `.http` files and recordings."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairtrial.experiment.workload_file.multipart import FilePart
from fairtrial_import.multipart_text import sent_parts
from tests.fairtrial_import.imported import Imported, import_to
from tests.lines import passage

TYPE = "multipart/form-data; boundary=b"
BODY = """--b
Content-Disposition: form-data; name="note é"

two
lines {{x}}
--b
Content-Disposition: form-data; name="data"
Content-Type: application/json

{"a": 1}
--b
Content-Disposition: form-data; name="empty"


--b--
"""
FILE = '--b\nContent-Disposition: form-data; name="photo"; filename="{}"'


@pytest.mark.parametrize(
    "content_type", [TYPE, 'multipart/form-data; boundary="b"; charset=utf-8', "multipart/form-data"]
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_parts(content_type: str, line_end: str) -> None:
    parts = sent_parts(BODY.replace("\n", line_end), content_type)
    assert [(part.name, part.media_type, part.content) for part in parts] == [
        ("note é", "", f"two{line_end}lines {{{{x}}}}"),
        ("data", "application/json", '{"a": 1}'),
        ("empty", "", ""),
    ]


@pytest.mark.parametrize(
    "text",
    ["", "a=1", "--c\n", "--b\n\nx\n--b--", "--b\nContent-Type: multipart/mixed; boundary=c\n\n--b--", BODY[:-6]],
)
def test_what_is_no_form(text: str) -> None:
    with pytest.raises(ValueError, match=r"boundary|name"):
        sent_parts(text, TYPE)


def of_http(folder: Path, body: str, method: str = "POST") -> Imported:
    file = folder / "shop.http"
    file.write_text(
        f"@x = 7\n{method} http://h/form\nContent-Type: {TYPE}\nAccept: a/b\n\n{body}\n### b\nGET http://h/b\n"
    )
    return import_to(folder, file)


def test_a_form_in_a_file_of_requests(tmp_path: Path, snapshot: object) -> None:
    (tmp_path / "cat.jpg").write_bytes(b"x")
    part = f"{FILE.format('a.jpg')}\nContent-Type: image/jpeg\n\n< ./cat.jpg\n"
    imported = of_http(tmp_path, part + BODY)
    request = imported.request("post-form")
    photo = FilePart(file="cat.jpg", name="a.jpg", type="image/jpeg")
    assert request.multipart == {"photo": photo, "note é": "two\nlines 7", "data": '{"a": 1}', "empty": ""}
    assert request.headers == {"accept": "a/b"}
    assert passage(imported.comments, "media type or", "part data") == snapshot


@pytest.mark.parametrize(
    ("body", "method", "reason"),
    [
        (
            f"{FILE.format('a.txt')}\n\nhello\n--b--",
            "POST",
            "the file a.txt stands in",
        ),
        (BODY, "DELETE", "DELETE sends no form"),
        (BODY.replace("note é", "data"), "POST", "two parts of its form have one name"),
    ],
)
def test_a_form_that_is_left_out_of_a_file_of_requests(tmp_path: Path, body: str, method: str, reason: str) -> None:
    imported = of_http(tmp_path, body, method)
    assert list(imported.model.entries()) == ["b"] and reason in imported.comments


def of_recording(folder: Path, **data: Any) -> Imported:
    headers = [{"name": "Content-Type", "value": TYPE}]
    form = {"method": "POST", "url": "http://h/form", "headers": headers, "postData": {"mimeType": TYPE, **data}}
    requests = [form, {"method": "GET", "url": "http://h/b"}]
    file = folder / "shop.har"
    file.write_text(
        json.dumps({"log": {"entries": [{"request": each, "response": {"status": 200}} for each in requests]}})
    )
    return import_to(folder, file)


NOTE = {"name": "note", "value": "{{1}}"}


@pytest.mark.parametrize("data", [{"text": BODY}, {"params": [NOTE, {"name": "empty", "value": ""}]}])
def test_a_form_in_a_recording(tmp_path: Path, data: Any) -> None:
    imported = of_recording(tmp_path, **data)
    request = imported.request("post-form")
    assert request.multipart in (
        {"note é": "two\nlines {{{{x}}", "data": '{"a": 1}', "empty": ""},
        {"note": "{{{{1}}", "empty": ""},
    )
    assert request.headers == {}
    assert ("media type or name" in imported.comments) == ("text" in data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (
            {"params": [NOTE, {"name": "f", "fileName": "a.txt", "contentType": "text/plain"}]},
            "1 with a file in its form",
        ),
        ({"text": BODY.replace('"empty"', '"empty"; filename=""')}, "1 with a file in its form"),
        ({"text": "", "params": []}, "1 with a form that cannot be read"),
    ],
)
def test_a_form_that_is_left_out_of_a_recording(tmp_path: Path, data: Any, reason: str) -> None:
    imported = of_recording(tmp_path, **data)
    assert list(imported.model.entries()) == ["get-b"] and reason in imported.comments
