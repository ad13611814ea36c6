"""Recordings of browsers."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from tests.fairtrial_import.imported import DATA, SECRET, import_to
from tests.lines import passage


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
        "1 with a form that cannot be read",
        "1 to api.tracker.example. Take them with --host api.tracker.example.",
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


def entry(url: str, **keys: Any) -> dict[str, Any]:
    """An entry; `request`, `response` and `headers` add to it."""
    headers = [{"name": name, "value": value} for name, value in keys.pop("headers", {}).items()]
    return {
        "request": {"method": "GET", "url": url, "headers": headers, **keys.pop("request", {})},
        "response": {"status": 200, "content": {"mimeType": "application/json"}, **keys.pop("response", {})},
        **keys,
    }


def recorded(folder: Path, *entries: dict[str, Any]) -> Path:
    file = folder / "site.har"
    file.write_text(json.dumps({"comment": "made by hand", "log": {"creator": {"name": "x"}, "entries": entries}}))
    return file


HTML = {"content": {"mimeType": "text/html; charset=utf-8"}}


@pytest.mark.parametrize(
    ("entries", "host"),
    [
        ([("http://www.shop.example/", HTML), *[("http://api.shop.example/a", {})] * 2], "api.shop.example"),
        ([("https://login.id.example/", HTML), ("https://shop.example/", HTML), ("https://shop.example/a", {})],
         "shop.example"),
        ([("https://login.id.example/", HTML), ("https://login.id.example/token", {}), ("https://shop.example/", HTML),
          ("https://shop.example/a", {})], "shop.example"),
        ([("https://shop.example/", HTML), ("https://shop.example/a", {}), *[("https://count.example/c", {})] * 5],
         "shop.example"),
        ([("https://shop.example/", HTML), *[("https://f00.cloud.example/a", {})] * 3], "f00.cloud.example"),
        ([*[("https://shop.example/", HTML)] * 6, *[("https://count.example/c", {})] * 3], "shop.example"),
        ([("http://127.0.0.1:3000/", HTML), *[("http://127.0.0.1:8080/a", {})] * 2], "127.0.0.1:8080"),
    ],
)  # fmt: skip
def test_the_host_with_the_data_is_taken(tmp_path: Path, entries: list[tuple[str, Any]], host: str) -> None:
    imported = import_to(tmp_path, recorded(tmp_path, *(entry(url, response=answer) for url, answer in entries)))
    assert imported.said.rstrip().endswith(
        "--host " + imported.said.rstrip().rpartition(" ")[2]
    )  # the others are named
    assert f"to {host}." in imported.comments and f"--host {host}." not in imported.comments
    assert imported.text.splitlines()[1].endswith(f"://{host}")


def test_bodies_as_tools_record_them(tmp_path: Path, snapshot: object) -> None:
    def post(path: str, data: dict[str, Any], **keys: Any) -> dict[str, Any]:
        return entry(f"http://h/{path}", request={"method": "POST", "postData": data, **keys})

    encoded = {"encoding": "base64", "mimeType": "application/json"}
    form = "application/x-www-form-urlencoded"
    file = recorded(
        tmp_path,
        post("json", {"text": "eyJhIjogIsOpIn0=", **encoded}),
        post("form", {"text": "YT0xJmI9Mg==", "encoding": "base64", "mimeType": form}),
        post("params", {"mimeType": form, "params": [{"name": "a", "value": "1 &"}, {"name": "b", "value": "é"}]}),
        post("bytes", {"text": "/wD/", **encoded}),
        post("no-base64", {"text": "*", **encoded}),
        post("lossy", {"text": "\u0000\ufffd", "mimeType": "application/octet-stream"}),
        post("absent", {"mimeType": "application/json", "text": ""}, bodySize=17),
    )
    imported = import_to(tmp_path, file)
    assert set(imported.model.requests) == {"post-json", "post-form", "post-params"}
    assert imported.request("post-json").json_body == {"a": "é"}
    assert imported.request("post-form").body == "a=1&b=2"
    assert imported.request("post-params").body == "a=1+%26&b=%C3%A9"
    assert "3 with a binary body" in imported.comments
    assert passage(imported.comments, "1 whose body", "not hold") == snapshot


def test_fields_of_other_tools(tmp_path: Path) -> None:
    pairs = [{"name": "q", "value": "a b"}]
    file = recorded(
        tmp_path,
        entry("http://h/a", headers={":authority": "h", ":method": "GET", "Accept": "*/*"}, _fetchType="Network Load"),
        entry("http://h/b", request={"queryString": pairs, "cookies": [{"name": "s", "value": "SECRET-1"}]}),
        entry("http://h/blocked", response={"status": 0}),
        entry("http://h/null", response={"status": None}),
        entry("http://h/cached", response={"status": 304}),
        entry("http://h/socket", response={"status": 101}),
        entry("http://h/pre", request={"method": "OPTIONS"}, headers={"Access-Control-Request-Method": "PUT"}),
        entry("http://h/font.woff2", response={"content": {"mimeType": "application/octet-stream"}}),
        entry("http://exa mple/"),
    )
    imported = import_to(tmp_path, file)
    assert {each.path for each in imported.model.entries().values()} == {"/a", "/b?q=a+b", "/cached"}
    assert imported.request("get-a").headers == {"accept": "*/*"}
    assert imported.request("get-b").headers == {"cookie": "{{env API_COOKIE}}"}
    for part in ("2 that had no answer", "1 that are no HTTP", "2 assets", "log.entries[8].request.url: has no host"):
        assert part in imported.comments, part


def test_a_recording_without_answers(tmp_path: Path) -> None:
    file = recorded(tmp_path, {"request": {"method": "GET", "url": "http://h/a"}})
    imported = import_to(tmp_path, file)
    assert imported.request("get-a").expect.statuses == [] or imported.request("get-a").expect.statuses is None
    assert "It holds no answers" in imported.comments
