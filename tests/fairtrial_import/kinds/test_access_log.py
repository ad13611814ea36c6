"""Logs of web servers."""

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial_import import routes
from fairtrial_import.kinds import access_log
from tests.fairtrial_import.imported import DATA, SECRET, Imported, import_to

LINE = '203.0.113.9 - - [22/Nov/2026:15:00:00 +0000] "{request}" {status} 9 "-" "-"'


def rows_of(imported: Imported, name: str) -> list[list[str]]:
    """The lines of the CSV that a workload file names, its head first."""
    file = imported.file.parent / imported.model.rows[name].file
    return list(csv.reader(file.read_text().splitlines()))


def log(folder: Path, *requests: str, status: int = 200) -> Path:
    file = folder / "access.log"
    file.write_text("\n".join(LINE.format(request=request, status=status) for request in requests) + "\n")
    return file


def test_routes_with_weights(tmp_path: Path) -> None:
    imported = import_to(tmp_path, DATA / "access.log")
    found = {name: (entry.weight, entry.method, entry.path) for name, entry in imported.model.entries().items()}
    uuid, order = "{{row users-uuid-orders-id-by-token users_uuid}}", "{{row users-uuid-orders-id-by-token orders_id}}"
    assert found == {
        "items-id": (40, "GET", "/items/{{row items-id items_id}}"),
        "items-by-lang-page": (20, "GET", "/items?lang=en&page={{row items-by-lang-page page}}"),
        "users-uuid-orders-id-by-token": (10, "GET", f"/users/{uuid}/orders/{order}?token={{{{env API_TOKEN}}}}"),
        "search-by-q": (2, "GET", "/search?q={{row search-by-q q}}"),
        "head-health": (1, "HEAD", "/health"),
    }
    assert imported.model.defaults.expect.statuses == [200]  # a 304 answered a condition that is not sent


def test_rows_are_as_often_as_in_the_log(tmp_path: Path) -> None:
    imported = import_to(tmp_path, DATA / "access.log")
    head, *rows = rows_of(imported, "items-id")
    expected = Counter(str(1 + (number * 7) % 13) for number in range(1, 41))
    assert head == ["items_id"] and Counter(row[0] for row in rows) == expected
    assert rows_of(imported, "search-by-q") == [["q"], ['café "x"'], ["a,b"]]


def test_what_is_left_out_is_said_with_its_share(tmp_path: Path) -> None:
    imported = import_to(tmp_path, DATA / "access.log")
    for part in (
        "Taken: 73 of 93 lines.",
        "POST 12 (12.9%). Write them yourself.",
        "answer was no success: 404 5 (5.4%).",
        "3 (3.2%) that could not be read as requests, such as: ",
        "40 in the log; 40 of them as rows",
    ):
        assert part in imported.comments, part
    assert SECRET not in imported.text + imported.said
    assert not any(SECRET in file.read_text() for file in tmp_path.iterdir())


def test_a_packed_log(tmp_path: Path) -> None:
    packed = tmp_path / "access.log.1.gz"
    packed.write_bytes(gzip.compress((DATA / "access.log").read_bytes()))
    assert (
        import_to(tmp_path, packed).model.requests.keys()
        == import_to(tmp_path, DATA / "access.log").model.requests.keys()
    )
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(Problem, match="broken or cut off"):
        import_to(tmp_path, packed)


@pytest.mark.parametrize(
    "line",
    [
        {"method": "GET", "uri": "/items/7?a=1", "status": 200},
        {"request_method": "GET", "request_uri": "/items/7?a=1", "status": "200"},
        {"request": "GET /items/7?a=1 HTTP/1.1", "status": "200"},
        {"request": {"method": "GET", "uri": "/items/7?a=1"}, "status": 200},
        {"RequestMethod": "GET", "RequestPath": "/items/7?a=1", "DownstreamStatus": 200},
        {"method": "GET", "path": "/items/7", "query": "a=1", "response_code": 200},
    ],
)
def test_json_lines(tmp_path: Path, line: dict[str, object]) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(f"{json.dumps(line)}\n" * 2)
    (request,) = import_to(tmp_path, file).model.entries().values()
    assert (request.method, request.path) == ("GET", "/items/7?a=1")


def test_ids(tmp_path: Path) -> None:
    requests = [
        "GET /a/1/b/2 HTTP/1.1",
        "GET /a/3/b/4 HTTP/1.1",
        "GET /blob/0123456789abcdef HTTP/1.1",
        "GET /blob/fedcba9876543210 HTTP/1.1",
        "GET /cafe HTTP/1.1",
        "GET http://proxied.example/x/{odd}?y=%7B%7Brow%7D%7D HTTP/1.1",
    ]
    imported = import_to(tmp_path, log(tmp_path, *requests))
    assert {entry.path for entry in imported.model.entries().values()} == {
        "/a/{{row a-id-b-id a_id}}/b/{{row a-id-b-id b_id}}",
        "/blob/{{row blob-hex blob_hex}}",
        "/cafe",
        "/x/%7Bodd%7D?y=%7B%7Brow%7D%7D",
    }
    assert rows_of(imported, "a-id-b-id") == [["a_id", "b_id"], ["1", "2"], ["3", "4"]]


def test_a_large_log_is_sampled_and_weighted_in_thousandths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "MOST_ROWS", 50)
    requests = [f"GET /items/{number} HTTP/1.1" for number in range(1500)] + ["GET /rare HTTP/1.1"]
    imported = import_to(tmp_path, log(tmp_path, *requests))
    rows = [int(row[0]) for row in rows_of(imported, "items-id")[1:]]
    assert len(rows) == 50 and max(rows) > 750 > min(rows)
    assert (imported.request("items-id").weight, imported.request("rare").weight) == (999, 1)
    assert "thousandths" in imported.comments


def test_too_many_routes_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "MOST_ROUTES", 2)
    imported = import_to(tmp_path, log(tmp_path, *(f"GET /{name} HTTP/1.1" for name in "abcd")))
    assert len(imported.model.requests) == 2 and "2 (50.0%) of rarer routes" in imported.comments


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    with pytest.raises(Problem, match=r"no request is left.*POST 1"):
        import_to(tmp_path, log(tmp_path, "POST / HTTP/1.1"))
    with pytest.raises(Problem) as error:
        import_to(tmp_path, log(tmp_path, "garbage"), kind="access-log")
    assert str(error.value) == snapshot
    monkeypatch.setattr(access_log, "LARGEST_BYTES", 100)
    with pytest.raises(Problem, match="more than 100 bytes") as caught:
        import_to(tmp_path, log(tmp_path, "GET /a HTTP/1.1", "GET /b HTTP/1.1"))
    assert "tail -n" in caught.value.remedy


def test_a_line_without_an_end_is_one_unread_line(tmp_path: Path) -> None:
    file = log(tmp_path, "GET /a HTTP/1.1", f"GET /{'x' * 200_000} HTTP/1.1", "GET /b HTTP/1.1")
    imported = import_to(tmp_path, file)
    assert "Taken: 2 of 3 lines." in imported.comments


def test_a_status_that_is_none(tmp_path: Path) -> None:
    file = log(tmp_path, "GET /a HTTP/1.1")
    with file.open("a") as more:
        more.write(LINE.format(request="GET /b HTTP/1.1", status="033") + "\n")
        more.write('{"method": "GET", "uri": "/c", "status": 99}\n')
    imported = import_to(tmp_path, file)
    assert set(imported.model.requests) == {"a"} and "Taken: 1 of 3 lines." in imported.comments
