"""Collections of Postman, Insomnia and Bruno: the same requests, as each of them keeps them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.multipart import FilePart
from fairtrial_import.bru_text import bru_blocks
from fairtrial_import.kinds import kind_of
from fairtrial_import.source import open_source
from tests.fairtrial_import.imported import DATA, SECRET, Imported, import_to
from tests.lines import line_with

COLLECTIONS = DATA / "collections"
QUERY = "query ($id: ID!) {\n  item(id: $id) { name }\n}"


def insomnia_4() -> dict[str, Any]:
    """The same as a list whose members name their parents."""
    resources: list[dict[str, Any]] = [{"_id": "wrk_1", "_type": "workspace", "name": "Shop"}]

    def add(item: dict[str, Any], parent: str) -> None:
        kind = "request_group" if "children" in item else "websocket_request" if "meta" in item else "request"
        name = f"id_{len(resources)}"
        plain = {key: value for key, value in item.items() if key not in ("children", "meta")}
        resources.append({"_id": name, "_type": kind, "parentId": parent, **plain})
        for each in item.get("children", []):
            add(each, name)

    document = yaml.safe_load((COLLECTIONS / "insomnia.yaml").read_text())
    for item in document["collection"]:
        add(item, "wrk_1")
    base = document["environments"]
    resources.append({"_id": "env_2", "_type": "environment", "parentId": "env_1", **base["subEnvironments"][0]})
    resources.append(
        {"_id": "env_1", "_type": "environment", "parentId": "wrk_1", "name": "Base", "data": base["data"]}
    )
    return {"_type": "export", "__export_format": 4, "resources": resources}


def insomnia_json(folder: Path) -> Path:
    (folder / "cat.jpg").touch()
    return written(folder, json.dumps(insomnia_4()))


def open_folder(folder: Path) -> Path:
    """The same as a folder of files."""
    whole = yaml.safe_load((COLLECTIONS / "opencollection.yaml").read_text())
    group, *items = whole["items"]
    files = {
        "opencollection.yml": {**whole, "items": [], "config": {}},
        "environments/local.yml": whole["config"]["environments"][0],
        "items/folder.yml": {**group, "items": []},
        "items/list.yml": group["items"][0],
        **{f"{number}.yml": item for number, item in enumerate(items)},
    }
    for name, content in files.items():
        file = folder / "open" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(content))
    (folder / "open" / "cat.jpg").touch()
    return folder / "open"


def written(folder: Path, text: str) -> Path:
    file = folder / "exported"
    file.write_text(text)
    return file


SOURCES: dict[str, tuple[str, Callable[[Path], Path]]] = {
    "postman": ("postman", lambda _: COLLECTIONS / "postman.json"),
    "insomnia-4": ("insomnia", insomnia_json),
    "insomnia-5": ("insomnia", lambda _: COLLECTIONS / "insomnia.yaml"),
    "bruno-export": ("bruno", lambda _: COLLECTIONS / "bruno.json"),
    "bruno-folder": ("bruno", lambda _: COLLECTIONS / "bru"),
    "open-collection": ("bruno", lambda _: COLLECTIONS / "opencollection.yaml"),
    "open-collection-folder": ("bruno", open_folder),
}


@pytest.fixture(params=SOURCES)
def imported(request: pytest.FixtureRequest, tmp_path: Path) -> Imported:
    kind, make = SOURCES[request.param]
    source = make(tmp_path)
    assert kind_of(open_source(str(source)), None).name == kind
    return import_to(tmp_path, source)


def test_requests(imported: Imported) -> None:
    listed = imported.request("list-items")
    assert (listed.method, listed.path) == ("GET", "/v2/items/7?page=1&q=a%20b")
    assert listed.headers == {"accept": "application/json", "authorization": "Bearer {{env API_TOKEN}}"}
    order = imported.request("order")
    assert (order.method, order.path) == ("POST", "/orders")
    assert order.json_body == {"item": 7, "note": "a // b"}
    assert order.headers == {"x-shop": "{{env API_SHOP}}"}
    form = imported.request("form")
    assert form.body == "a=1%20%26%20%C3%A9"
    assert form.headers == {"x-one": "1", "content-type": "application/x-www-form-urlencoded"}
    graph = imported.request("graph")
    assert graph.method == "POST" and graph.json_body == {"query": QUERY, "variables": {"id": 7}}
    parts = imported.request("parts").multipart
    assert parts is not None and list(parts) == ["a", "photo"] and parts["a"] == "7"
    photo = parts["photo"]
    assert isinstance(photo, FilePart) and (Path(photo.file).name, photo.type) == ("cat.jpg", "image/jpeg")
    assert imported.request("short").path == "/short"
    assert imported.text.splitlines()[1].endswith("http://127.0.0.1:8080")


def test_remarks(imported: Imported) -> None:
    assert set(imported.model.requests) == {"list-items", "order", "form", "graph", "parts", "short"}
    assert "authentication of the kind digest" in imported.comments
    assert SECRET not in imported.text + imported.said


@pytest.mark.parametrize(
    ("name", "remark"),
    [
        ("postman", "Left out: scripts"),
        ("bruno-folder", "Left out: scripts"),
        ("bruno-export", "Variables are those of the environment local; others: production."),
        ("insomnia-5", "Variables are those of the environment local."),
        ("insomnia-4", "1 of gRPC or WebSocket"),
    ],
)
def test_scripts_and_environments_are_named(tmp_path: Path, name: str, remark: str) -> None:
    assert remark in import_to(tmp_path, SOURCES[name][1](tmp_path)).comments


def test_one_file_of_bruno(tmp_path: Path) -> None:
    order = import_to(tmp_path, COLLECTIONS / "bru" / "order.bru").request("order")
    assert order.json_body == {"item": "{{env API_ITEM}}", "note": "a // b"}


def test_forms_of_bruno_and_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "bruno.json").write_text('{"version": "1", "name": "shop", "type": "collection"}')
    post = "meta {{\n  name: {0}\n}}\npost {{\n  url: http://h/{0}\n  body: {1}\n}}\n{2} {{\n  a: b c\n}}\n"
    (tmp_path / "form.bru").write_text(post.format("form", "formUrlEncoded", "body:form-urlencoded"))
    (tmp_path / "parts.bru").write_text(post.format("parts", "multipartForm", "body:multipart-form"))
    (tmp_path / "broken.bru").write_text("meta {\n  name: x\n")
    (tmp_path / "bytes.bru").write_bytes(b"\xff\x00" * 8)
    imported = import_to(tmp_path, tmp_path)
    assert imported.request("form").body == "a=b%20c"
    assert imported.request("parts").multipart == {"a": "b c"}
    assert "Left out: broken.bru: " in imported.comments and "bytes.bru: " in imported.comments


def test_a_file_that_nobody_chose_leaves_its_request_out(tmp_path: Path) -> None:
    form = {"mode": "formdata", "formdata": [{"key": "f", "type": "file", "src": None}]}
    items = [
        {"name": "one", "request": {"method": "POST", "url": "http://h/a", "body": form}},
        {"name": "two", "request": {"method": "GET", "url": "http://h/b"}},
    ]
    imported = import_to(tmp_path, written(tmp_path, json.dumps({"info": {"name": "x"}, "item": items})))
    assert list(imported.model.entries()) == ["two"]
    assert "Left out: one: a file of its form has no path" in imported.comments


def test_blocks_of_bru() -> None:
    fenced = "g: '''\n    h\n    i\n  '''"
    text = f'headers {{\n  "a:b": c: d\n  ~e: f\n  {fenced}\n}}\n'
    text += "body:text {\n  {\n    x\n  }\n}\nvars:secret [a, b]\n"
    blocks = bru_blocks(text)
    assert blocks["headers"] == [
        {"name": "a:b", "value": "c: d", "enabled": True},
        {"name": "e", "value": "f", "enabled": False},
        {"name": "g", "value": "h\ni", "enabled": True},
    ]
    assert blocks["body:text"] == "{\n  x\n}"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("postman", '{"info": {}, "item": ' + '[{"item": ' * 400 + "[]" + "}]" * 400 + "}"),
        ("bruno", '{"items": ' + '[{"items": ' * 400 + "[]" + "}]" * 400 + "}"),
        ("insomnia", '{"type": "x", "collection": ' + '[{"children": ' * 400 + "[]" + "}]" * 400 + "}"),
        ("postman", '{"info": 5, "item": [5, {"request": 5}, {"request": {"url": 5, "body": 5, "header": 5}}]}'),
        ("insomnia", '{"_type": "export", "resources": [5, {"_type": "request", "url": 5, "body": 5, "parentId": 5}]}'),
        ("insomnia", '{"_type": "export", "resources": [{"_id": "a", "_type": "request_group", "parentId": "a"}]}'),
        ("bruno", '{"opencollection": "1", "items": [5, {"http": {"url": 5}}, {"http": 5, "info": 5, "runtime": 5}]}'),
        ("bruno", "get {\n  url: \n"),
    ],
)  # fmt: skip
def test_what_holds_no_request(tmp_path: Path, kind: str, text: str) -> None:
    with pytest.raises(Problem) as caught:
        import_to(tmp_path, written(tmp_path, text), kind=kind)
    assert caught.value.remedy


def environment(folder: Path, name: str, **values: str) -> None:
    pairs = [{"key": key, "value": value, "enabled": True} for key, value in values.items()]
    off = {"key": "base", "value": "http://off.test", "enabled": False}
    content = json.dumps({"name": name, "values": [*pairs, off], "_postman_variable_scope": "environment"})
    (folder / f"{name}.postman_environment.json").write_text(content)


def test_the_environment_beside_a_collection_of_postman(tmp_path: Path, snapshot: object) -> None:
    collection = {
        "info": {"name": "x", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
        "variable": [{"key": "base", "value": "http://own.test"}, {"key": "kind", "value": "own"}],
        "item": [{"name": "one", "request": {"method": "GET", "url": "{{base}}/items/{{kind}}?t={{token}}"}}],
    }
    written(tmp_path, json.dumps(collection))
    environment(tmp_path, "local", base="http://local.test", token=SECRET)
    imported = import_to(tmp_path, tmp_path / "exported")
    assert "/items/own" in imported.text and SECRET not in imported.text
    assert "http://local.test" in imported.text
    assert line_with(imported.said, "Variables are those") == snapshot
    environment(tmp_path, "other", base="http://other.test")
    imported = import_to(tmp_path, tmp_path / "exported")
    assert "http://local.test" in imported.text and "environment local; others: other." in imported.said


def collection_with(folder: Path, url: str, *variables: dict[str, str]) -> Path:
    items = [{"name": "one", "request": {"method": "GET", "url": url}}]
    return written(folder, json.dumps({"info": {"name": "x"}, "variable": variables, "item": items}))


def test_what_postman_marks_as_a_secret_stays_out_whatever_its_name(tmp_path: Path) -> None:
    own = {"key": "plate", "value": SECRET, "type": "secret"}
    number = {"key": "number", "value": "of-the-collection"}
    source = collection_with(tmp_path, "http://own.test/{{place}}/{{number}}/{{plate}}", own, number)
    values = [
        {"key": "place", "value": "here", "type": "default", "enabled": True},
        {"key": "number", "value": SECRET, "type": "secret", "enabled": True},
    ]
    (tmp_path / "local.postman_environment.json").write_text(json.dumps({"name": "local", "values": values}))
    imported = import_to(tmp_path, source)
    assert SECRET not in imported.text + imported.said
    assert imported.request("one").path == "/here/{{env API_NUMBER}}/{{env API_PLATE}}"


def test_a_local_environment_of_postman_is_found_among_many(tmp_path: Path) -> None:
    for number in range(25):
        environment(tmp_path, f"customer-{number:02}", base=f"http://customer{number}.test")
    source = collection_with(tmp_path, "{{base}}/items")
    imported = import_to(tmp_path, source)
    assert "customer0.test" not in imported.text, "none of them is chosen by the alphabet"
    assert "those of no environment" in imported.said and "customer-00, customer-01" in imported.said
    environment(tmp_path, "local", base="http://local.test")
    imported = import_to(tmp_path, source)
    assert "http://local.test" in imported.text and "environment local; others: customer-00" in imported.said
