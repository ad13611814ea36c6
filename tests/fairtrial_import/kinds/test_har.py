"""Recordings of browsers."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from tests.fairtrial_import.imported import DATA, SECRET, import_to


def test_a_recording(tmp_path: Path) -> None:
    imported = import_to(tmp_path, DATA / "shop.har")
    assert set(imported.model.requests) == {"get-root", "get-api-items", "post-api-orders", "post-login"}
    assert imported.model.defaults.headers == {"accept-language": "en", "cookie": "{{env API_COOKIE}}"}
    items = imported.request("get-api-items")
    assert (items.weight, items.path) == (2, "/api/items?page=1&access_token={{env API_ACCESS_TOKEN}}")
    assert (items.expect.statuses, items.expect.type) == ([200], "application/json")  # and not the 304 of the cache
    assert "if-none-match" not in items.headers
    order = imported.request("post-api-orders")
    assert order.json_body == {
        "item": 7,
        "note": 'a "fine" one\nwith {{{{braces}}',
        "card": {"cvv": "{{env API_CVV}}", "client_secret": "{{env API_CLIENT_SECRET}}"},
    }
    assert order.expect.statuses == [201]
    login = imported.request("post-login")
    assert (login.body, login.expect.statuses) == ("user=ann&password={{env API_PASSWORD}}", [302])
    assert login.expect.type is None


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    imported = import_to(tmp_path, DATA / "shop.har")
    for part in (
        "2 assets",
        "1 that had no answer",
        "1 with a body of several parts",
        "1 to api.tracker.example. Take them with --host api.tracker.example.",
        "header accept-encoding. Compressed",
        "header if-none-match. With it, the answer could be 304",
    ):
        assert part in imported.comments and part in " ".join(imported.said.split()), part
    assert SECRET not in imported.text + imported.said


def test_another_host(tmp_path: Path) -> None:
    imported = import_to(tmp_path, DATA / "shop.har", hosts=["api.tracker.example"])
    assert set(imported.model.requests) == {"get-collect"}
    assert "API_COOKIE" not in imported.text
    with pytest.raises(Problem, match="no request is left") as caught:
        import_to(tmp_path, DATA / "shop.har", hosts=["nowhere.example"])
    assert "--host" in caught.value.remedy


def recording(*urls: str) -> dict[str, Any]:
    answer = {"status": 200, "content": {"mimeType": "application/json"}}
    return {"log": {"entries": [{"request": {"method": "GET", "url": url}, "response": answer} for url in urls]}}


def test_the_rarest_go_first_and_their_share_is_said(tmp_path: Path, snapshot: object) -> None:
    file = tmp_path / "many.har"
    urls = [f"http://h/{place}" for place in range(5)] + ["http://h/3", "http://h/4"]
    file.write_text(json.dumps(recording(*urls)))
    imported = import_to(tmp_path, file, most=2)
    assert set(imported.model.requests) == {"get-3", "get-4"}
    assert imported.comments == snapshot


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"log": {"entries": [}}', "line 1: not valid JSON"),
        ('{"log": {"entries": 5}}', "log.entries: is no list"),
        ('{"log": {"entries": []}}', "no request is left"),
        ('{"log": {"entries": [5, {"request": 5}, {"request": {"url": "data:x"}}]}}', "no request is left"),
        ('{"log": {"entries": ' + "[" * 200_000, "nests too deeply"),
        (json.dumps(recording("http://exa mple/")), "log.entries[0].request.url: has no host"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "broken.har"
    file.write_text(text)
    with pytest.raises(Problem) as caught:
        import_to(tmp_path, file)
    assert "broken.har" in caught.value.reason and reason in caught.value.reason and caught.value.remedy
