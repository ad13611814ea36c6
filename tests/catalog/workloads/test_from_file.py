"""A workload file as requests of the engine, and as a workload."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.every_stack import ANY_SERVER
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.from_file import CHECK_EVERY, workload_from_file
from fairtrial.catalog.workloads.model import NoOptions, ServerWorkload
from fairtrial.catalog.workloads.sent_requests import sent_requests
from fairtrial.engine.plan import BodyRange, ExactBody, GivenRows, JsonBody, Pick, Request
from fairtrial.experiment.ready import ANSWERED, SPEAKS_HTTP2
from fairtrial.experiment.workload_file.read import read_workload_file
from tests.experiment.workload_file.files import SHOP, shop
from tests.tools.load.grpc_servers import PROTO

ENVIRONMENT = {"SHOP_TOKEN": "secret"}

ONCE = """
[rows.users]
file = "items.csv"
pick = "once"
[requests.sign-up]
post = "/users"
json = { user = "{{row users id}}", number = "{{sequence 5}}" }
[requests.log-in]
post = "/sessions/{{row users name}}"
body = "{{sequence 1}} {{env SHOP_TOKEN}}"
expect.text = "{{env SHOP_TOKEN}} {{{{"
"""


def requests_of(workload: ServerWorkload) -> dict[str, Request]:
    return {request.name: request for request in workload.requests(Data(), NoOptions())}


def test_requests_are_what_the_file_says(tmp_path: Path) -> None:
    sent = sent_requests(read_workload_file(shop(tmp_path)), check_every=3, environment=ENVIRONMENT)
    browse, look, order = sent.requests
    assert (browse.method, browse.path, browse.weight) == ("GET", "/items?page={{uniform 1 20}}", 6)
    assert browse.headers == [("authorization", "Bearer secret"), ("accept", "application/json")]
    assert browse.expect.status == [200] and browse.expect.content_type == "application/json"
    assert browse.expect.body_bytes == BodyRange(min=10, max=4096) and browse.expect.check_every == 3
    assert look.path == "/items/{{row items id}}"
    assert look.expect.body == JsonBody(values={"/id": "{{row items id json}}", "/kind": '"book"'})
    assert order.body == '{"item":{{row items id json}},"quantity":{{uniform 1 3}}}'
    assert ("content-type", "application/json") in order.headers and order.expect.status == [201, 202]
    assert all(request.template for request in sent.requests)
    assert sent.rows == {"items": GivenRows(pick=Pick(kind="random"), lines=['{"id": 7}', '{"id": 8}'])}
    assert sent.secrets == ENVIRONMENT


def test_a_variable_that_is_not_set_is_an_error(tmp_path: Path) -> None:
    source = read_workload_file(shop(tmp_path))
    with pytest.raises(Problem, match=r"shop\.workload\.toml: requests\.browse\.headers\.authorization: .*SHOP_TOKEN"):
        sent_requests(source, check_every=1, environment={})


def test_a_workload_has_a_clause_for_each_request_and_says_what_it_is(tmp_path: Path) -> None:
    source = read_workload_file(shop(tmp_path))
    workload = workload_from_file(source, ENVIRONMENT)
    assert workload.name == "shop.workload.toml" and workload.title == "a shop"
    assert [clause.name for clause in workload.clauses] == ["browse", "look", "order"]
    assert workload.clauses[1].requirement.startswith("GET /items/{{row items id}} is answered as")
    assert workload.ready.path == "/healthz" and workload.writes
    assert requests_of(workload)["browse"].expect.check_every == CHECK_EVERY
    assert workload.identity is not None
    assert workload.identity.sha256 == source.sha256
    assert workload.identity.requests["order"] == "POST /orders"
    assert "secret" not in workload.identity.model_dump_json()


JOURNEY = """
[rows.users]
file = "items.csv"
pick = "once"
[requests.make]
journey = "buy"
post = "/carts"
json = { user = "{{row users id}}", number = "{{sequence 1}}" }
take.id = "/id"
think = "uniform 1 s to 3 s"
[requests.pay]
journey = "buy"
post = "/carts/{{var id}}/{{row users id}}"
[requests.other]
get = "/{{row users id}}"
think = "2 s"
"""


def test_the_steps_of_a_journey_are_one_clause_and_what_they_take_is_not_given_again(
    tmp_path: Path, snapshot: object
) -> None:
    workload = workload_from_file(
        read_workload_file(shop(tmp_path, JOURNEY, "id\n" + "1\n" * 9)), {**ENVIRONMENT, "x": ""}
    )
    buy, other = workload.clauses
    assert (buy.name, other.name, workload.journeys) == ("buy", "other", ["buy"])
    assert workload.identity is not None and workload.identity.journeys == ["buy"]
    assert buy.requirement == snapshot
    assert buy.expected == snapshot
    assert workload.given_rows["users"].skip == 3
    make, _, _ = requests_of(workload).values()
    assert make.body is not None and "{{sequence 2}}" in make.body and make.acknowledge
    assert make.think_seconds == "uniform:1.000000000s:3.000000000s"
    assert workload.thinking == ["other"], "nobody sends anything behind its answer"
    comparable = workload.comparable
    assert comparable is not None and [request.name for request in comparable.requests] == ["other"]


CALL = """
[requests.look]
grpc = { proto = "shop.proto", method = "shop.Shop/Look", message = { id = 7 } }
[requests.look-in-vain]
grpc = { proto = "shop.proto", method = "shop.Shop/Look", message = { id = 0 } }
expect.grpc.status = "NOT_FOUND"
"""


def test_of_a_server_of_calls_nothing_is_asked_over_http1(tmp_path: Path) -> None:
    (tmp_path / "shop.proto").write_text(PROTO)
    calls, plain, says_when_ready = (
        workload_from_file(read_workload_file(shop(tmp_path, text)))
        for text in (CALL, '[requests.home]\nget = "/"', f'ready = {{ path = "/up" }}\n{CALL}')
    )
    assert calls.calls_grpc and calls.ready == SPEAKS_HTTP2
    assert [clause.name for clause in calls.stack_clauses] == ["listens-on-host"]
    assert not plain.calls_grpc and plain.ready == ANSWERED and plain.stack_clauses == ANY_SERVER
    assert says_when_ready.ready.path == "/up"
    assert calls.identity is not None and calls.identity.expects_nothing == ["look"]


def test_what_clauses_take_is_not_given_again(tmp_path: Path) -> None:
    workload = workload_from_file(read_workload_file(shop(tmp_path, ONCE, "id,name\n1,a\n2,b\n3,c\n")), ENVIRONMENT)
    assert workload.given_rows["users"].skip == 2
    sign_up, log_in = requests_of(workload).values()
    assert sign_up.body == '{"user":{{row users id json}},"number":{{sequence 6}}}'
    assert log_in.body == "{{sequence 2}} secret"
    assert sign_up.acknowledge and log_in.acknowledge
    assert log_in.expect.body == ExactBody(text="secret {{")


def test_rows_of_a_jsonl_are_read_by_the_engine(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text('{"id": 7}\n')
    text = SHOP.replace("items.csv", "items.jsonl").replace("[requests.browse]", 'pick = "zipf 1.1"\n[requests.browse]')
    file = shop(tmp_path, text)
    sent = sent_requests(read_workload_file(file), check_every=1, environment=ENVIRONMENT)
    expected = GivenRows(pick=Pick(kind="zipf", exponent=1.1), file=str(tmp_path / "items.jsonl"))
    assert sent.rows == {"items": expected}
