"""`fairtrial load -f`: the requests of a workload file, with all options of a load."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.engine.plan import EnginePlan, JsonBody
from fairtrial.tools.load.request.options import OWN_SERVER, LoadOptions
from fairtrial.tools.load.request.translate import to_engine_plan
from fairtrial.tools.load.request.values import Header
from tests.command_line import Finished
from tests.experiment.workload_file.files import shop
from tests.tools.load.conftest import Listener, Target

TWO = """
rows.items = { file = "items.csv", pick = "sequential" }
[requests.look]
weight = 3
get = "/items/{{row items id}}"
headers = { x-key = "{{env KEY}}", x-name = "{{row items name}}" }
[requests.order]
post = "/orders"
json = { item = "{{row items id}}", say = "<{{row items name}}>" }
"""
KEY = "k3y-of-the-shop"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KEY", KEY)
    return shop(tmp_path, TWO, 'id,name\n7,"a ""b"""\n8,c\n')


def plan_of(target: Target, file: Path, **options: Any) -> EnginePlan:
    return to_engine_plan(LoadOptions(url=f"http://{target.address}/", file=file, **options))


def test_a_file_takes_the_place_of_the_request(target: Target, file: Path) -> None:
    plan = plan_of(target, file, connections=3, headers=[Header("X-Key", "mine {{x}}"), Header("host", "shop")])
    assert [request.name for request in plan.requests] == ["look", "order"]
    assert plan.requests[0].headers == [("x-name", "{{row items name}}"), ("X-Key", "mine {{{{x}}")]
    assert plan.requests[0].expect.check_every == 1 and plan.requests[0].acknowledge is None
    assert (plan.load.connections, plan.host, plan.secrets) == (3, "shop", {"KEY": KEY})
    assert list(plan.rows) == ["items"]
    assert KEY not in plan.to_json(), "the only place that names it is a header that -H has replaced"


def test_a_value_that_is_expected_is_expected_of_each_answer(target: Target, file: Path) -> None:
    file.write_text(TWO + 'expect.json = { "/item" = "{{row items id}}" }\n')
    assert plan_of(target, file).requests[1].expect.body == JsonBody(values={"/item": "{{row items id json}}"})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"method": "PUT"}, "-m and -f exclude each other"),
        ({"body": "x"}, "-b and -f exclude each other"),
        ({"template": True}, "--template and -f"),
        ({"expect_status": (200,)}, "--expect-status and -f"),
        ({"expect_body": "x"}, "--expect-body and -f"),
        ({"expect_length": 0}, "--expect-length and -f"),
        ({"url": "http://127.0.0.1:1/api"}, "with -f, the URL is that of the server alone"),
        ({"file": Path("none.toml")}, "none.toml: cannot be read"),
    ],
)
def test_what_does_not_go_with_a_file(file: Path, options: dict[str, Any], reason: str) -> None:
    with pytest.raises(Problem) as refused:
        to_engine_plan(LoadOptions(**{"url": "http://127.0.0.1:1/", "file": file} | options))
    assert reason in refused.value.reason and refused.value.remedy


def test_without_a_url_a_file_is_for_the_server_that_stacks_are_by_default(file: Path) -> None:
    assert LoadOptions(file=file).url == OWN_SERVER
    with pytest.raises(Problem, match="there is no URL"):
        LoadOptions()


def test_a_mix_is_sent_and_reported_by_request(listener: Listener, file: Path, call: Callable[..., Finished]) -> None:
    finished = call("load", "-f", file, "-n", "40", "-c", "2", "--json", "load.json", listener.url)
    assert finished.status == 0, finished.err
    by_path = {request.path for request in listener.received}
    assert by_path == {"/items/7", "/items/8", "/orders"}
    looks = [request for request in listener.received if request.method == "GET"]
    orders = [json.loads(request.body) for request in listener.received if request.method == "POST"]
    assert (len(looks), len(orders)) == (30, 10)
    assert {request.headers["x-key"] for request in looks} == {KEY}
    assert {request.headers["x-name"] for request in looks} == {'a "b"', "c"}
    assert {(order["item"], order["say"]) for order in orders} <= {(7, '<a "b">'), (8, "<c>")}
    lines = finished.out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("look", "order"))] == ["look", "order"]
    assert KEY not in finished.out + finished.err + Path("load.json").read_text()


def test_rows_that_run_out_end_the_load(
    target: Target, file: Path, call: Callable[..., Finished], monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(TWO.replace("sequential", "once"))
    finished = call("load", "-f", file, "-n", "40", f"http://{target.address}/")
    assert finished.status == 2
    assert "rows.items: each of its 2 rows was taken once" in finished.err and 'pick = "sequential"' in finished.err


def test_an_answer_that_quotes_a_secret_is_shown_without_it(
    call: Callable[..., Finished], serve: Callable[..., Target], file: Path
) -> None:
    file.write_text(TWO.replace("[requests.order]", 'expect.text = "x"\n[requests.order]'))
    quoting = serve("--body", f"you are {KEY}")
    finished = call("load", "-f", file, "-n", "4", "--json", "load.json", f"http://{quoting.address}/")
    assert finished.status == 3
    assert "you are {{env KEY}}" in finished.out
    assert KEY not in finished.out + finished.err + Path("load.json").read_text()


def test_setup_requests_are_sent_first_and_their_variables_are_not_shown(
    call: Callable[..., Finished], serve: Callable[..., Target], file: Path
) -> None:
    token = "t0ken-of-a-login"
    file.write_text(
        '[setup.login]\npost = "/login"\ntake.token = "/token"\n'
        '[requests.look]\nget = "/"\nheaders.x-token = "{{var token}}"\nexpect.json = { "/token" = "another" }\n'
    )
    login = serve("--body", f'{{"token": "{token}"}}')
    finished = call("load", "-f", file, "-n", "4", "--json", "load.json", f"http://{login.address}/")
    assert finished.status == 4, "no answer is right"
    assert "{{var token}}" in finished.out
    assert token not in finished.out + finished.err + Path("load.json").read_text()
    assert login.stop()["requests"] >= 5

    refusing = serve("--status", "401")
    finished = call("load", "-f", file, "-n", "4", f"http://{refusing.address}/")
    assert finished.status != 0 and "setup.login: status 401, not a 2xx" in finished.err
    assert refusing.stop()["requests"] == 1, "no load is offered"
