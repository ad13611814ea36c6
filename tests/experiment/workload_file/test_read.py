"""Reading workload files: what they mean, and errors that name file, key and remedy."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.read import names_file, read_workload_file
from tests.experiment.workload_file.files import SHOP, shop

LOOK = '[requests.look]\nget = "/{{row items id}}"\n'
ROWS = '[rows.items]\nfile = "items.csv"\n'


def reason_of(file: Path) -> str:
    """Why the file is refused: with its name in front, which is left out."""
    with pytest.raises(Problem) as refused:
        read_workload_file(file)
    assert refused.value.remedy
    reason = refused.value.reason
    assert reason.startswith(str(file.parent))
    return reason.removeprefix(f"{file}: ")


def test_requests_have_what_they_say_and_otherwise_the_defaults(tmp_path: Path) -> None:
    source = read_workload_file(shop(tmp_path))
    assert source.name == "shop.workload.toml"
    assert (source.model.ready.path, source.model.ready.status) == ("/healthz", 200)
    entries = source.model.entries()
    browse, look, order = (entries[name] for name in ("browse", "look", "order"))
    assert [(each.method, each.path, each.weight) for each in entries.values()] == [
        ("GET", "/items?page={{uniform 1 20}}", 6),
        ("GET", "/items/{{row items id}}", 1),
        ("POST", "/orders", 1),
    ]
    assert browse.headers == {"authorization": "Bearer {{env SHOP_TOKEN}}", "accept": "application/json"}
    assert look.headers == {"authorization": "Bearer {{env SHOP_TOKEN}}"}
    assert (browse.expect.statuses, browse.expect.type) == ([200], "application/json")
    assert browse.expect.byte_range == (10, 4096)
    assert look.expect.json_values == {"/id": "{{row items id}}", "/kind": "book"}
    assert (order.expect.statuses, order.expect.type) == ([201, 202], "application/json")
    assert order.json_body == {"item": "{{row items id}}", "quantity": "{{uniform 1 3}}"}
    assert source.model.columns() == {"items": {"id": "requests.look.get"}}
    assert (source.rows["items"].count, source.rows["items"].lines) == (2, ['{"id": 7}', '{"id": 8}'])


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    source = read_workload_file(shop(tmp_path, '[requests.home]\nget = "/"\n'))
    assert (source.model.ready.path, source.model.ready.status, source.model.ready.tcp) == ("/", None, False)
    expect = source.model.entries()["home"].expect
    assert (expect.statuses, expect.type, expect.byte_range, expect.looks_at_body) == ([], None, None, False)


def test_an_exact_body_takes_the_place_of_a_default_json(tmp_path: Path) -> None:
    text = '[defaults.expect]\njson = { "/ok" = true }\nbytes = 9\ntype = "a/b"\n[requests.a]\nget = "/"\n'
    more = '[requests.b]\nget = "/b"\nexpect.text = "55"\n[requests.c]\nhead = "/"\n'
    entries = read_workload_file(shop(tmp_path, text + more)).model.entries()
    of_head = entries["c"].expect
    assert (of_head.type, of_head.byte_range, of_head.looks_at_body) == ("a/b", None, False), "it has no body"
    assert entries["a"].expect.json_values == {"/ok": True}
    assert (entries["b"].expect.json_values, entries["b"].expect.text) == (None, "55")


def test_a_default_trailer_is_of_those_whose_trailer_is_looked_at(tmp_path: Path) -> None:
    text = '[defaults.expect]\ntype = "a/b"\ntrailer = { grpc-status = "0" }\n[requests.a]\npost = "/"\n'
    more = '[requests.b]\nhead = "/"\n[setup.c]\npost = "/"\n[setup.d]\npost = "/"\nper = "connection"\n'
    trailers = {
        name: entry.expect.trailer
        for name, entry in read_workload_file(shop(tmp_path, text + more)).model.all_entries()
    }
    looked_at = {"grpc-status": "0"}
    assert trailers == {"setup.c": None, "setup.d": looked_at, "requests.a": looked_at, "requests.b": None}


@pytest.mark.parametrize(
    "text",
    [
        '[requests.a]\nget = "/"\nwieght = 2\n',
        '[request.a]\nget = "/"\n',
        '[requests.a]\nget = "/"\nexpect.jsn = {}\n',
        "[requests.a]\nweight = 2\n",
        '[requests.a]\nget = "/"\npost = "/"\n',
        '[requests.a]\nget = "items"\n',
        '[requests.a]\nget = "/a b"\n',
        '[requests.a]\nget = "/{{row itms id}}"\n',
        ROWS + '[requests.a]\nget = "/"\n',
        ROWS + LOOK.replace(" id", " idd"),
        '[requests.a]\npost = "/"\njson = {}\nbody = "x"\n',
        '[requests.a]\npost = "/"\njson = { day = 2020-01-01 }\n',
        '[requests.a]\npost = "/"\njson = { a = ["{{x}}"] }\n',
        '[requests.a]\nget = "/"\nheaders = { Host = "x" }\n',
        '[requests.a]\nget = "/"\nheaders = { x = "a\\r\\nb: c" }\n',
        '[requests.a]\nget = "/"\nheaders = { x = "{{env }}" }\n',
        '[requests.a]\nhead = "/"\nexpect.text = "x"\n',
        '[requests.a]\nget = "/"\nexpect.status = 99\n',
        '[requests.a]\nget = "/"\nexpect.bytes = [9, 1]\n',
        '[requests.a]\nget = "/"\nexpect = { text = "", json = {} }\n',
        '[requests.a]\nget = "/"\nexpect.text = "{{uniform 1 2}}"\n',
        '[requests.a]\nget = "/"\nexpect.json = { id = 1 }\n',
        '[requests.a]\nget = "/"\nexpect.json = { "/a" = {}, "/a/b" = 1 }\n',
        '[requests.a]\nget = "/"\nexpect.json = { "/n" = "{{sequence 1}}" }\n',
        ROWS + LOOK + '[requests.b]\nget = "/"\nexpect.json = { "/n" = "{{row items id}}" }\n',
        ROWS + LOOK + 'expect.json = { "/all" = ["{{row items id}}"] }\n',
        ROWS + 'pick = "zipf"\n' + LOOK,
        ROWS.replace("items.csv", "items.txt") + LOOK,
        ROWS.replace("items.csv", "none.csv") + LOOK,
        '[requests.a]\npost = "/"\nbody_file = "none.bin"\n',
        'ready = { tcp = true, path = "/" }\n[requests.a]\nget = "/"\n',
        "title = 3\n[requests.a]\nget = '/'\n",
        '["requests"]\n',
        '[requests.a]\nmethod = "GET"\npath = "/"\n',
        '[[requests]]\nget = "/"\n',
        '[requests."a b"]\nget = "/"\n',
    ],
)
def test_what_does_not_fit_is_refused_by_file_and_key(tmp_path: Path, text: str, snapshot: object) -> None:
    assert reason_of(shop(tmp_path, text)) == snapshot


def test_the_digest_is_that_of_all_files(tmp_path: Path) -> None:
    before = read_workload_file(shop(tmp_path)).sha256
    assert read_workload_file(shop(tmp_path)).sha256 == before
    assert read_workload_file(shop(tmp_path, items="id\n9\n")).sha256 != before
    assert read_workload_file(shop(tmp_path, SHOP + "# more\n")).sha256 != before


def test_a_file_is_told_from_a_workload_of_the_lab_s() -> None:
    assert names_file("shop.workload.toml") and names_file("../shop.toml")
    assert not names_file("random-item")
