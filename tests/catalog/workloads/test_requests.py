"""What each workload asks of servers: requests and their expectations, and the rows that are changed meanwhile."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import implied_work, options_of, pick_workload, workloads
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.catalog.workloads.openapi import document
from fairtrial.engine.plan import BodyRange, ExactBody, Request, RowBody
from fairtrial.experiment.model import DatasetOptions
from tests.catalog.workloads.honest import data_of

SERVERS = {name: workload for name, workload in workloads().items() if isinstance(workload, ServerWorkload)}


@pytest.fixture(scope="module")
def data(engine: Path) -> dict[str, Data]:
    assert engine
    return {name: data_of(name) for name in SERVERS}


def requests_of(name: str, data: Data, options: Mapping[str, Any] = {}) -> list[Request]:
    workload = SERVERS[name]
    return workload.requests(data, options_of(workload, dict(options)))


def documented(path: str, method: str) -> list[str]:
    """The document's paths that this path, or template of one, is an instance of."""
    concrete = re.sub(r"\{\{.*?\}\}", "7", path)
    paths = document()["paths"]
    patterns = {name: re.sub(r"\{[^}]+\}", "[^/]+", name) for name in paths if method.lower() in paths[name]}
    return [name for name, pattern in patterns.items() if re.fullmatch(pattern, concrete)]


@pytest.mark.parametrize("name", SERVERS)
def test_every_request_is_in_the_document_and_has_an_expectation(name: str, data: dict[str, Data]) -> None:
    requests = requests_of(name, data[name])
    assert len({(request.name, request.path) for request in requests}) == len(requests) > 0
    for request in requests:
        assert documented(request.path, request.method), request.path
        assert request.expect.status
        assert request.expect.body_bytes is not None or isinstance(request.expect.body, ExactBody)


@pytest.mark.parametrize("name", SERVERS)
def test_an_expected_status_is_one_that_the_document_allows(name: str, data: dict[str, Data]) -> None:
    for request in requests_of(name, data[name]):
        for path in documented(request.path, request.method):
            responses = document()["paths"][path][request.method.lower()]["responses"]
            assert {str(status) for status in request.expect.status or []} <= set(responses)


@pytest.mark.parametrize("name", [name for name, workload in SERVERS.items() if workload.freshness])
def test_a_changed_row_is_one_of_the_tables_and_can_be_asked_for(name: str, data: dict[str, Data]) -> None:
    probe = SERVERS[name].freshness
    assert probe is not None
    (table,) = [table for table in data[name].tables if table.name == probe.table]
    assert table.columns[probe.column] == "text"
    key = table.rows.sample()[-1][table.given_columns[0]]
    assert documented(probe.path(data[name], key), "GET")


@pytest.mark.parametrize("name", [name for name, workload in SERVERS.items() if workload.freshness])
def test_rows_have_places_in_exact_bodies_and_a_spot_check_where_the_load_names_none(
    name: str, data: dict[str, Data]
) -> None:
    probe = SERVERS[name].freshness
    assert probe is not None
    requests = requests_of(name, data[name])
    exact = any(isinstance(request.expect.body, ExactBody) for request in requests)
    assert (probe.in_bodies is not None) is exact
    names_rows = exact or any(request.template for request in requests)
    assert (probe.spot_check is None) is names_rows


@pytest.mark.parametrize("name", sorted(workloads()))
def test_every_service_of_a_workload_exists_and_its_defaults_are_valid(name: str) -> None:
    workload = pick_workload(name)
    caches = workload.cache if isinstance(workload, ServerWorkload) else ()
    for service in (*workload.services, *caches):
        assert pick_service(service).name == service
    assert workload.name == name
    assert all(count >= 0 for count in implied_work(workload, options_of(workload, {})).per_answer.values())


def test_random_item_allows_for_white_space_and_no_more(data: dict[str, Data]) -> None:
    (request,) = requests_of("random-item", data["random-item"])
    lengths = request.expect.body_bytes
    assert isinstance(request.expect.body, RowBody)
    assert lengths is not None
    ids = range(1, data["random-item"].generated.described["last_id"] + 1)
    fields = request.expect.body.fields
    rows = [{name: row[name] for name in fields} for row in data["random-item"].generated.rows_at(ids)]
    compact = [len(json.dumps(row, separators=(",", ":"))) for row in rows]
    indented = [len(json.dumps(row, indent=2)) for row in rows]
    assert lengths.min <= min(compact)
    assert max(indented) <= lengths.max < max(compact) + 100


@pytest.mark.parametrize(
    ("mode", "method", "path"),
    [("single", "POST", "/survey/"), ("batched", "POST", "/surveybatched/"), ("upsert", "PUT", "/survey/")],
)
def test_surveys_take_turns_with_numbered_users(mode: str, method: str, path: str, data: dict[str, Data]) -> None:
    requests = requests_of("survey-insert", data["survey-insert"], {"mode": mode})
    assert [(request.name, len(json.loads(request.body or ""))) for request in requests] == [
        ("s14", 14),
        ("s8", 8),
        ("s10", 10),
    ]
    for request in requests:
        assert (request.method, request.path) == (method, f"{path}{request.name}/{{{{sequence 1}}}}")
        told = json.loads(request.body or "")
        assert told["Q1"] == "answer 1 of user {{sequence 1}}"
        assert told["Q2"] == f"answer 2 of user {{{{sequence 1}}}} is {{{{nonce {request.name} 1}}}}"
        assert (request.template, request.acknowledge) == (True, True)
        assert (request.expect.status, request.expect.body_bytes) == ([201], BodyRange(min=0, max=0))


def test_requests_of_one_kind_have_the_name_of_the_workload(data: dict[str, Data]) -> None:
    assert {request.name for request in requests_of("several-items", data["several-items"])} == {"several-items"}


def test_an_index_on_surveys_is_an_option() -> None:
    workload = pick_workload("survey-insert")
    indexes = {
        index: workload.data(None, options_of(workload, {"index": index})).tables[0].indexes  # type: ignore[arg-type]
        for index in (False, True)
    }
    assert indexes[False] == ()
    assert [list(index.columns) for index in indexes[True]] == [["survey", "user_number"]]


@pytest.mark.parametrize(("mode", "writes"), [("single", 1.0), ("upsert", 1.0), ("batched", 0.0)])
def test_batches_share_their_statements(mode: str, writes: float) -> None:
    workload = pick_workload("survey-insert")
    work = workload.work(options_of(workload, {"mode": mode}))
    assert (work.rows_written, work.writes, work.commits) == (1.0, writes, writes)


@pytest.mark.parametrize(
    ("options", "weights"),
    [({}, [100, 1]), ({"short_per_long": 3}, [3, 1]), ({"short_per_long": 0}, [1])],
)
def test_short_and_long_queries_in_their_ratio(
    options: dict[str, int], weights: list[int], data: dict[str, Data]
) -> None:
    requests = requests_of("query-mix", data["query-mix"], options)
    assert [request.weight for request in requests] == weights


def test_a_long_query_is_as_long_as_the_options_say(data: dict[str, Data]) -> None:
    _, long = requests_of("query-mix", data["query-mix"], {"long_milliseconds": 250})
    assert long.path == "/queries/long/250"
    assert long.expect.body == ExactBody(text='{"slept":250}')


@pytest.mark.parametrize(
    ("options", "names", "share"),
    [
        ({}, {"short", "similar", "user"}, 0.02),
        ({"matches_per_1000": 250, "matches": ["user"]}, {"short", "user"}, 0.25),
        ({"matches_per_1000": 0}, {"short"}, 0),
        ({"matches_per_1000": 1000, "matches": ["similar"]}, {"similar"}, 1),
    ],
)
def test_matches_are_the_share_that_the_options_say(
    options: dict[str, Any], names: set[str], share: float, data: dict[str, Data]
) -> None:
    requests = requests_of("matching-mix", data["matching-mix"], options)
    assert {request.name for request in requests} == names
    matches = sum(request.weight for request in requests if request.name != "short")
    assert matches / sum(request.weight for request in requests) == pytest.approx(share)


def test_the_kinds_of_matches_take_turns(data: dict[str, Data]) -> None:
    short, *matches = requests_of("matching-mix", data["matching-mix"])
    assert short.name == "short"
    assert [request.name for request in matches] == ["similar", "user"] * 16


@pytest.mark.parametrize("rows", [99, 100_001])
def test_too_few_or_too_many_articles_are_refused(rows: int, snapshot: object) -> None:
    workload = pick_workload("matching-mix")
    with pytest.raises(Problem) as error:
        workload.data(DatasetOptions(rows=rows), options_of(workload, {}))
    assert str(error.value) == snapshot


def test_weights_take_turns_and_their_work_is_the_mean(data: dict[str, Data]) -> None:
    options = {"weights": ["very-heavy", "very-light"]}
    requests = requests_of("transaction-mix", data["transaction-mix"], options)
    assert [request.path for request in requests] == ["/units/very-heavy", "/units/very-light"]
    workload = pick_workload("transaction-mix")
    work = workload.work(options_of(workload, options))
    assert (work.reads, work.writes) == (2.5, 1.5)


def test_a_redirect_asks_for_keys_that_exist(data: dict[str, Data]) -> None:
    (request,) = requests_of("redirect", data["redirect"])
    assert (request.path, request.template) == ("/links/{{field id}}", True)
    assert (request.expect.status, request.expect.location_field) == ([301], "url")


@pytest.mark.parametrize(
    ("workload", "options", "arguments"),
    [
        ("fan-out", {}, ["--body-bytes", "512", "--delay", "constant:50ms"]),
        ("fan-out", {"delay_milliseconds": 0}, ["--body-bytes", "512"]),
        ("call-batch", {"delay_milliseconds": 2.5}, ["--body-bytes", "512", "--delay", "constant:2.5ms"]),
    ],
)
def test_the_arguments_of_an_upstream(workload: str, options: dict[str, float], arguments: list[str]) -> None:
    chosen = pick_workload(workload)
    assert chosen.upstream is not None
    assert list(chosen.upstream(options_of(chosen, options))) == arguments
