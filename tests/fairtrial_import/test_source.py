"""What can be imported, and what cannot."""

import gzip
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_import import import_source as importing
from fairtrial_import.kinds import kind_of, source_kinds
from fairtrial_import.source import open_source
from tests.fairtrial_import.imported import DATA, import_to

KINDS = {
    "shop.har": "har",
    "requests.http": "http",
    "access.log": "access-log",
    "openapi.yaml": "openapi",
}


@pytest.mark.parametrize("name", KINDS)
def test_the_kind_is_told_from_the_content(tmp_path: Path, name: str) -> None:
    renamed = tmp_path / "renamed"
    renamed.write_bytes((DATA / name).read_bytes())
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress((DATA / name).read_bytes()))
    for file in (renamed, packed):
        assert kind_of(open_source(str(file)), None).name == KINDS[name]


def test_other_beginnings(tmp_path: Path) -> None:
    beginnings = {
        '{\n  "info": {"title": "x"},\n  "openapi": "3.0.0"}': "openapi",
        "\ufeff# a comment\nopenapi: 3.0.0": "openapi",
        "%YAML 1.2\n---\n### GET /items\n# curl -s http://h/\n'openapi': 3.0.0\n": "openapi",
        "info: {}\npaths:\n" + "  /a: {}\n" * 10_000 + "openapi: 3.0.0\n": "openapi",
        '{"paths": {"openapi": [' + "1," * 50_000 + '1]}, "openapi": "3.0.0"}': "openapi",
        "  info: {}\n  openapi: 3.0.0\n": "openapi",
        '# a comment\n{"info": {}, "openapi": "3.0.0"}': "openapi",
        "curl -s http://h/": "curl",
        "#!/bin/sh\n" + "# long\n" * 10_000 + "f() { curl -s http://h/ | jq; }": "curl",
        '#!/bin/sh\n### a banner\ncurl "$A/b"\n': "curl",
        "### a title\nhttp://h/items\n": "http",
        "DELETE /items/1": "http",
        "delete http://h/items/1": "http",
        "# the items\n\nhttps://h/items\n": "http",
        "@host = x\n": "http",
    }
    for text, kind in beginnings.items():
        file = tmp_path / "x"
        file.write_text(text)
        assert kind_of(open_source(str(file)), None).name == kind


@pytest.mark.parametrize(
    ("argument", "remedy"),
    [
        ("absent.har", "give a file"),
        ("x" * 5000, "give a file"),
        ("https://h/openapi.json", "save it to a file"),
        ("\x1b[31mred", "give a file"),
        (".", "give a file"),
    ],
)
def test_what_is_no_source(argument: str, remedy: str, snapshot: object) -> None:
    with pytest.raises(Problem) as caught:
        open_source(argument)
    assert caught.value.reason == snapshot and remedy in caught.value.remedy and "\x1b" not in caught.value.reason


@pytest.mark.parametrize("content", [b"", b"a blog post on curl\n", bytes(range(256)), b"[" * 100_000, b"{}"])
def test_what_is_of_no_kind(tmp_path: Path, content: bytes, snapshot: object) -> None:
    file = tmp_path / "other.bin"
    file.write_bytes(content)
    with pytest.raises(Problem) as caught:
        import_to(tmp_path, file)
    assert str(caught.value) == snapshot
    assert caught.value.remedy == snapshot


def test_a_kind_that_is_none(snapshot: object) -> None:
    with pytest.raises(Problem) as error:
        kind_of(open_source(str(DATA / "shop.har")), "hra")
    assert str(error.value) == snapshot


@pytest.mark.parametrize("kind", [*source_kinds()])
@pytest.mark.parametrize(
    "content",
    [b"", b"\x00" * 1000, b"{" * 50_000, b'"' * 50_001, b"- " * 5000, b"\n" * 5000, "\u202e".encode() * 99],
)
def test_hostile_content_ends_in_a_problem(tmp_path: Path, kind: str, content: bytes) -> None:
    file = tmp_path / "hostile"
    file.write_bytes(content)
    with pytest.raises(Problem) as caught:
        import_to(tmp_path, file, kind=kind)
    assert caught.value.remedy


def test_too_large_a_workload_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "LARGEST_FILE_BYTES", 100)
    with pytest.raises(Problem, match="more than 100 bytes") as caught:
        import_to(tmp_path, DATA / "shop.har")
    assert "--most" in caught.value.remedy
