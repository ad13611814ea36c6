"""Bodies of several parts, and what is wrong with them."""

from email import message_from_bytes
from email.policy import HTTP
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads.sent_requests import sent_requests
from fairtrial.experiment.workload_file import multipart
from fairtrial.experiment.workload_file.read import read_workload_file

UPLOAD = """
[requests.upload]
post = "/photos"
multipart = { "the \\"title\\"" = "<{{sequence 5}}>", photo = { file = "cat.jpg" }, notes = NOTES }
""".replace("NOTES", '{ file = "cat.jpg", name = "a.txt", type = "text/plain" }')
CAT = bytes(range(256))


def file_of(folder: Path, text: str = UPLOAD) -> Path:
    (folder / "cat.jpg").write_bytes(CAT)
    file = folder / "a.workload.toml"
    file.write_text(text)
    return file


def test_a_body_of_texts_and_files_is_what_its_rfc_says(tmp_path: Path) -> None:
    (request,) = sent_requests(read_workload_file(file_of(tmp_path)), check_every=1).requests
    assert request.body is None and request.body_parts is not None
    parts = [next(iter(part.items())) for part in request.body_parts]
    body = b"".join(it.encode() if kind == "text" else Path(it).read_bytes() for kind, it in parts)
    (content_type,) = [value for name, value in request.headers if name == "content-type"]
    message = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body, policy=HTTP)
    title, photo, notes = message.iter_parts()
    assert title["content-disposition"] == 'form-data; name="the %22title%22"'
    assert title.get_payload() == "<{{sequence 5}}>"
    assert (photo.get_content_type(), photo.get_filename(), photo.get_content()) == ("image/jpeg", "cat.jpg", CAT)
    assert (notes.get_content_type(), notes.get_filename()) == ("text/plain", "a.txt")


def test_a_file_that_changes_is_another_workload(tmp_path: Path) -> None:
    before = read_workload_file(file_of(tmp_path)).sha256
    (tmp_path / "cat.jpg").write_bytes(b"dog")
    assert read_workload_file(tmp_path / "a.workload.toml").sha256 != before


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('"cat.jpg" }', '"dog.jpg" }'), r"requests\.upload\.multipart\.photo: .*dog\.jpg: No such file"),
        (("multipart =", 'body = "a"\nmultipart ='), "body and multipart: a request has one body"),
        (("multipart = {", "multipart = {}\nheaders = {"), "multipart"),
        (("{{sequence 5}}", "{{row items id}}"), r"multipart\.the .*no \[rows\.items\]"),
        (("post =", "head ="), "multipart: HEAD sends no form"),
        (("post =", "get ="), "multipart: GET sends no form"),
        (("post =", "websocket ="), r"requests\.upload\.multipart: a message is no form"),
        (
            ('post = "/photos"', 'grpc = { proto = "a.proto", method = "a.B/C" }'),
            "multipart: the body of a call is its",
        ),
        (("multipart =", 'headers = { Content-Type = "text/plain" }\nmultipart ='), "content-type of its own"),
        (('"text/plain"', '"text/plain\\r\\nX: y"'), "type"),
    ],
)
def test_what_is_wrong_with_parts_is_said(tmp_path: Path, change: tuple[str, str], reason: str) -> None:
    with pytest.raises(Problem, match=reason):
        read_workload_file(file_of(tmp_path, UPLOAD.replace(*change, 1)))


def test_a_part_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multipart, "LARGEST_FILE_BYTES", 255)
    with pytest.raises(Problem, match=r"requests\.upload\.multipart\.photo: .*larger than"):
        read_workload_file(file_of(tmp_path))


@pytest.mark.parametrize(
    ("expect", "reason"),
    [
        ('expect = { sha256 = "ab" }', "sha256"),
        (f'expect = {{ sha256 = "{"a" * 64}", text = "b" }}', "sha256: it says already"),
        (f'expect = {{ sha256 = "{"a" * 64}", echo = true }}', "sha256: it says already"),
    ],
)
def test_a_digest_stands_alone(tmp_path: Path, expect: str, reason: str) -> None:
    with pytest.raises(Problem, match=reason):
        read_workload_file(file_of(tmp_path, f'[requests.a]\nget = "/"\n{expect}\n'))


@pytest.mark.parametrize(
    ("request_keys", "reason"),
    [
        ('head = "/"', r"requests\.a\.expect: an answer to HEAD has no body"),
        ('websocket = "/"\nbody = "a"', r"requests\.a\.expect\.sha256: a message is compared as it is"),
        ('grpc = { proto = "a.proto", method = "a.B/C" }', r"expect\.sha256: of a call, `expect\.grpc` says"),
    ],
)
def test_a_digest_is_refused_where_no_body_is_looked_at_so(tmp_path: Path, request_keys: str, reason: str) -> None:
    with pytest.raises(Problem, match=reason):
        read_workload_file(file_of(tmp_path, f'[requests.a]\n{request_keys}\nexpect.sha256 = "{"a" * 64}"\n'))


def test_a_digest_is_in_the_place_of_a_default_text(tmp_path: Path) -> None:
    text = f'[defaults.expect]\ntext = "b"\n[requests.a]\nget = "/"\nexpect.sha256 = "{"A" * 64}"\n'
    (request,) = sent_requests(read_workload_file(file_of(tmp_path, text)), check_every=1).requests
    assert request.expect.model_dump(include={"body"})["body"] == {"sha256": "A" * 64, "kind": "digest"}
