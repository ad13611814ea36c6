"""Variables of Insomnia's environments: their values, or variables of the environment, never the braces."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fairtrial_import.imported import Imported, import_to
from tests.lines import passage

PATHS = ("{{ _.base }}/a", "{{- _.base -}}/b/{{ _.ids[1] }}", "{{ _.shops[0].host }}/c/{{ _['item'] }}")


def of_5(folder: Path, paths: Any, environments: Any) -> Imported:
    """An export of format 5 with a request for each path."""
    document = {
        "type": "collection.insomnia.rest/5.0",
        "collection": [{"name": f"r{number}", "url": path, "method": "GET"} for number, path in enumerate(paths)],
        "environments": environments,
    }
    file = folder / "shop.yaml"
    file.write_text(json.dumps(document))
    return import_to(folder, file, kind="insomnia")


def found(imported: Imported) -> list[str]:
    return [entry.path for entry in imported.model.entries().values()]


def environment(name: str, **data: Any) -> dict[str, Any]:
    return {"name": name, "data": data}


BASE = {"base": "{{ _.scheme }}://h", "scheme": "http", "ids": [3, 4], "shops": [{"host": "http://h"}], "item": 7}


def test_values_of_the_base_environment(tmp_path: Path) -> None:
    assert found(of_5(tmp_path, PATHS, environment("Base", **BASE))) == ["/a", "/b/4", "/c/7"]


@pytest.mark.parametrize(
    ("names", "path", "remark"),
    [
        (["production", "local"], "/local", "Variables are those of the environment local; others: production."),
        (["production"], "/production", "Variables are those of the environment production."),
        (["one", "two"], "/base", "Variables are those of no environment, as none is local or dev by its name"),
    ],
)
def test_one_environment_is_taken(tmp_path: Path, names: list[str], path: str, remark: str) -> None:
    below = [environment(name, where=name) for name in names]
    base = environment("Base", where="base") | {"subEnvironments": below}
    imported = of_5(tmp_path, ["http://h/{{ _.where }}"], base)
    assert found(imported) == [path] and remark in imported.comments


def test_what_has_no_value_becomes_a_variable_of_the_environment(tmp_path: Path, snapshot: object) -> None:
    first, second = "{% response 'body', 'req_1', 'b64::a%' %}", "{% response 'header', 'req_2' %}"
    paths = [f"http://h/{part}" for part in ("{{ _.none }}", first, second, "{{ _.item | upper }}")]
    imported = of_5(tmp_path, paths, environment("Base", item="a"))
    assert found(imported) == [
        "/{{env API_NONE}}",
        "/{{env API_RESPONSE_BODY_REQ_1_B_64_A}}",
        "/{{env API_RESPONSE_HEADER_REQ_2}}",
        "/{{env API_ITEM_UPPER}}",
    ]
    assert passage(imported.comments, "API_NONE: what the", "not define") == snapshot


def test_workspaces_have_environments_of_their_own(tmp_path: Path) -> None:
    resources: list[dict[str, Any]] = []
    for name in ("w1", "w2"):
        resources += [
            {"_id": name, "_type": "workspace", "name": name},
            {"_id": f"r{name}", "_type": "request", "parentId": name, "url": "http://h/{{ _.item }}", "method": "GET"},
            {"_id": f"e{name}", "_type": "environment", "parentId": name, **environment("Base", item=name)},
        ]
    local = environment("local", item="local")
    resources.append({"_id": "sub", "_type": "environment", "parentId": "ew2", **local})
    file = tmp_path / "shop.json"
    file.write_text(json.dumps({"_type": "export", "__export_format": 4, "resources": resources}))
    imported = import_to(tmp_path, file)
    assert found(imported) == ["/w1", "/local"]
