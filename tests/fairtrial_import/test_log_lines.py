"""Lines of access logs of many servers, each with the request that it holds (data/log_lines.txt)."""

import json
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_import.kinds import kind_of
from fairtrial_import.log_lines import LinePart, LogEntry, LogReader
from fairtrial_import.source import open_source
from tests.fairtrial_import.imported import DATA, SECRET, import_to
from tests.lines import passage

RESULT = "    -> "
CLF = '192.0.2.1 - - [28/Nov/2026:10:00:00 +0000] "GET {target} HTTP/1.1" 200 9'


def sections() -> dict[str, list[str]]:
    """By server, its lines, each followed by what it holds."""
    found: dict[str, list[str]] = {}
    for line in (DATA / "log_lines.txt").read_text().splitlines():
        if line.startswith("== "):
            lines = found[line.removeprefix("== ")] = []
        else:
            lines.append(line.replace("\\t", "\t").replace("\\e", "\x1b"))
    return found


def in_words(found: LogEntry | LinePart | None) -> str:
    if isinstance(found, LogEntry):
        return f"{found.method} {found.target} {found.status}"
    return "part" if isinstance(found, LinePart) else "none"


@pytest.mark.parametrize("server", sections())
def test_the_lines_of_a_server(server: str) -> None:
    reader = LogReader()
    lines = iter(sections()[server])
    for line in lines:
        assert f"{RESULT}{in_words(reader.read(line))}" == next(lines), line


@pytest.mark.parametrize("server", sections())
def test_its_log_is_told_from_its_content(tmp_path: Path, server: str) -> None:
    file = tmp_path / "unnamed"
    file.write_text("\n".join(line for line in sections()[server] if not line.startswith(RESULT)))
    assert kind_of(open_source(str(file)), None).name == "access-log"


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-11-28T10:00:00.123456789Z stdout F ",
        "shop-web-1  | ",
        "[pod/shop-6d4cf56db6-abcde/web] ",
        "Nov 28 10:00:00 host nginx[12]: ",
        "<134>1 2026-11-28T10:00:00Z host nginx 12 - - ",
        "2026-11-28T10:00:00.123456+00:00 app[web.1]: ",
        "\x1b[36mweb-1  |\x1b[0m ",
    ],
)
@pytest.mark.parametrize(
    "line",
    [
        CLF.format(target="/items/5?q=1"),
        'INFO:     [2001:db8::1]:5000 - "GET /items/5?q=1 HTTP/1.1" 200 OK',
        "GET /items/5?q=1 200 1.234 ms - 12",
        '{"method": "GET", "url": "/items/5?q=1", "status": 200}',
        'level=INFO msg=REQUEST method=GET uri="/items/5?q=1" status=200',
    ],
)
def test_a_prefix_changes_nothing(prefix: str, line: str) -> None:
    assert LogReader().read(prefix + line) == LogEntry("GET", "/items/5?q=1", 200)


@pytest.mark.parametrize(
    "document",
    [
        [{"httpRequest": {"requestMethod": "GET", "requestUrl": "https://h/a/5?q=1", "status": 200}}],
        {"records": [{"properties": {"httpMethod": "GET", "requestUri": "/a/5", "requestQuery": "q=1",
                                     "httpStatus": 200}}]},
        {"events": [{"timestamp": 1, "message": CLF.format(target="/a/5?q=1")}]},
        {"data": {"result": [{"stream": {}, "values": [["17", CLF.format(target="/a/5?q=1")]]}]}},
        {"hits": {"hits": [{"_source": {"url": {"original": "/a/5?q=1"}, "http": {"request": {"method": "GET"},
                                                                             "response": {"status_code": 200}}}}]}},
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 2])
def test_a_log_that_is_one_document(tmp_path: Path, document: object, indent: int | None) -> None:
    file = tmp_path / "export.json"
    file.write_text(json.dumps(document, indent=indent))
    imported = import_to(tmp_path, file)
    (request,) = imported.model.entries().values()
    assert request.path == "/a/5?q=1" and "Taken: 1 of 1" in imported.comments


def test_objects_over_several_lines(tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    lines = [{"method": "GET", "path": f"/{name}", "status": 200} for name in "ab"]
    file.write_text("\n".join(json.dumps(line, indent=2) for line in lines))
    assert set(import_to(tmp_path, file).model.requests) == {"a", "b"}


def test_what_could_not_be_read_is_shown_without_secrets(tmp_path: Path, snapshot: object) -> None:
    file = tmp_path / "access.log"
    file.write_text(f"listening, password={SECRET}1 on 3000\n{CLF.format(target='/a')}\nmore\n")
    imported = import_to(tmp_path, file)
    assert passage(imported.comments, "2 (66.7%) that", "on 3000") == snapshot
    assert SECRET not in imported.text + imported.said


def test_requests_of_two_lines_that_overlap(tmp_path: Path, snapshot: object) -> None:
    start = 'Started GET "/{}" for 127.0.0.1 at 2026-11-28 10:00:00 +0000'
    file = tmp_path / "production.log"
    file.write_text(
        "\n".join([start.format("a"), start.format("b"), "Completed 200 OK in 1ms", "Completed 200 OK in 1ms"])
    )
    imported = import_to(tmp_path, file)
    assert passage(imported.comments, "a status may", "to another") == snapshot
    assert "Taken: 1 of 3 entries." in imported.comments


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("2026/11/28 10:00:00 [error] 12#12: *1 open() failed, request: \"GET /a HTTP/1.1\"\n", "nginx's error log"),
        ("2026-11-28T10:00:00.000Z  INFO 1 --- [main] c.e.ShopApplication : Started\n", "a log of Spring Boot"),
        ("PK\x03\x04", "a packed archive"),
        ("import http from 'k6/http'\n", "a script of k6"),
        ("$s = 1\nInvoke-WebRequest -Uri \"https://h/a\" `\n-Method \"POST\"\n", "a command of PowerShell"),
        ("fetch(\"https://h/a\", {\n  \"method\": \"GET\"\n});\n", "a call of fetch"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [None, "access-log"])
def test_what_is_known_and_not_read_is_named(tmp_path: Path, text: str, name: str, kind: str | None) -> None:
    file = tmp_path / "other"
    file.write_text(text)
    with pytest.raises(Problem, match=f"is {name}, which is not read") as caught:
        import_to(tmp_path, file, kind=kind)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text",
    [
        "GET http://127.0.0.1:8080/items/5\n\n### 200 GET /x 200 ok\nGET http://127.0.0.1:8080/b\n",
        '# GET /items 200 is what it answers\nGET http://127.0.0.1:8080/items HTTP/1.1\nAccept: application/json\n',
    ],
)  # fmt: skip
def test_a_file_of_requests_is_no_log(tmp_path: Path, text: str) -> None:
    file = tmp_path / "unnamed"
    file.write_text(text)
    assert kind_of(open_source(str(file)), None).name == "http"


@pytest.mark.parametrize("text", ["GET ", '"GET ', "| 200 |", "1/", 'a="', "{", "[", "a, ", "- ", "[x] "])
def test_a_hostile_line_is_soon_read(text: str) -> None:
    assert LogReader().read((text * (64 << 10))[: 64 << 10]) is None
