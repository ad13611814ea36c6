"""Stacks made of a function each, which do what a workload asks, and a way to make one of their answers wrong."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from fairtrial.catalog.contract.clause import StackUnderTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import (
    categories,
    matching_mix,
    options_of,
    page,
    pick_workload,
    redirect,
    several_items,
    similar_items,
)
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.catalog.workloads.random_item import ANSWER_FIELDS
from fairtrial.catalog.workloads.transaction_mix import LEAVES_ROW
from fairtrial.experiment.model import DatasetOptions

ROWS = 2_000
JSON, TEXT, HTML = "application/json", "text/plain; charset=utf-8", "text/html; charset=utf-8"


@dataclass(frozen=True)
class Reply:
    """What a stack answers."""

    status: int
    body: bytes = b""
    content_type: str = JSON
    location: str | None = None


Handler = Callable[[httpx.Request], Reply]


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def plaintext_stack(_data: Data) -> Handler:
    return lambda _request: Reply(200, b"Hello, World!", TEXT)


def categories_stack(_data: Data) -> Handler:
    return lambda _request: Reply(200, categories.body().encode())


def random_item_stack(data: Data) -> Handler:
    """Not at random, but never the same row twice."""
    rows = data.generated.rows_at(range(1, data.generated.described["last_id"] + 1))
    answers = [{name: row[name] for name in ANSWER_FIELDS} for row in rows]
    by_uuid = {answer["uuid"]: answer for answer in answers}

    def handle(request: httpx.Request) -> Reply:
        name = request.url.path.rpartition("/")[2]
        if name == "random":
            answers.append(answers.pop(0))
            return Reply(200, compact(answers[0]))
        return Reply(200, compact(by_uuid[name])) if name in by_uuid else Reply(404)

    return handle


def several_items_stack(data: Data) -> Handler:
    def handle(request: httpx.Request) -> Reply:
        ids = request.url.path.rpartition("/")[2].split(",")
        if len(ids) > several_items.MOST_SELECTS or not all(text.isdigit() for text in ids):
            return Reply(400)
        rows = {row["id"]: row for row in data.generated.rows_at({int(text) for text in ids if len(text) < 9})}
        if any(int(text) not in rows for text in ids):
            return Reply(404)
        return Reply(200, compact([{"id": int(text), "name": rows[int(text)]["name"]} for text in ids]))

    return handle


def page_stack(data: Data) -> Handler:
    pages = {f"/pages/{number}": text.encode() for number, text in page.pages(data).items()}
    return lambda request: Reply(200, pages[request.url.path], HTML) if request.url.path in pages else Reply(404)


def similar_items_stack(data: Data) -> Handler:
    bodies = {f"/articles/{number}/similar": text for number, text in similar_items.expected_answers(data).items()}
    return lambda request: Reply(200, bodies[request.url.path].encode()) if request.url.path in bodies else Reply(404)


def matching_mix_stack(data: Data) -> Handler:
    similar = similar_items_stack(data)
    bodies = dict([matching_mix.short_answer(data)])
    bodies |= {f"/users/{number}/articles": text for number, text in matching_mix.expected_of_users(data).items()}

    def handle(request: httpx.Request) -> Reply:
        body = bodies.get(request.url.path)
        return Reply(200, body.encode()) if body else similar(request)

    return handle


def redirect_stack(data: Data) -> Handler:
    def handle(request: httpx.Request) -> Reply:
        key = request.url.path.rpartition("/")[2]
        rows = data.generated.rows_at([int(key)]) if key.isdigit() and len(key) < 10 else []
        return Reply(301, location=rows[0]["url"]) if rows else Reply(302, location=redirect.DEFAULT_ADDRESS)

    return handle


def query_mix_stack(_data: Data) -> Handler:
    def handle(request: httpx.Request) -> Reply:
        if request.url.path == "/queries/short":
            return Reply(200, b'{"value":1}')
        milliseconds = request.url.path.rpartition("/")[2]
        if not milliseconds.isdigit() or not 1 <= int(milliseconds) <= 10_000:
            return Reply(400)
        time.sleep(int(milliseconds) / 1e3)
        return Reply(200, compact({"slept": int(milliseconds)}))

    return handle


def query_chain_stack(_data: Data) -> Handler:
    def handle(request: httpx.Request) -> Reply:
        *_, milliseconds, short = request.url.path.split("/")
        in_range = (
            milliseconds.isdigit() and short.isdigit() and 1 <= int(milliseconds) <= 10_000 and int(short) <= 1000
        )
        if not in_range:
            return Reply(400)
        time.sleep(int(milliseconds) / 1e3)
        return Reply(200, compact({"slept": int(milliseconds), "sum": int(short)}))

    return handle


def fan_out_stack(_data: Data) -> Handler:
    def handle(_request: httpx.Request) -> Reply:
        time.sleep(0.05)
        return Reply(200, b'{"status":200,"bytes":512}')

    return handle


def transaction_mix_stack(_data: Data) -> Handler:
    rows = [1000]

    def handle(request: httpx.Request) -> Reply:
        weight: Any = request.url.path.rpartition("/")[2]
        if weight not in LEAVES_ROW:
            return Reply(404)
        count = rows[0]
        rows[0] += LEAVES_ROW[weight]
        return Reply(200, compact({"units": count}))

    return handle


def survey_insert_stack(_data: Data) -> Handler:
    def handle(request: httpx.Request) -> Reply:
        if len(request.content) > 65_536:
            return Reply(413)
        try:
            stored = isinstance(json.loads(request.content), dict)
        except ValueError:
            stored = False
        return Reply(201 if stored else 400)

    return handle


HONEST: dict[str, Callable[[Data], Handler]] = {
    "categories": categories_stack,
    "fan-out": fan_out_stack,
    "matching-mix": matching_mix_stack,
    "page": page_stack,
    "plaintext": plaintext_stack,
    "query-chain": query_chain_stack,
    "query-mix": query_mix_stack,
    "random-item": random_item_stack,
    "redirect": redirect_stack,
    "several-items": several_items_stack,
    "similar-items": similar_items_stack,
    "survey-insert": survey_insert_stack,
    "transaction-mix": transaction_mix_stack,
}

DATASET = DatasetOptions(rows=ROWS, seed=3, gaps=0.1)


def data_of(name: str) -> Data:
    """The workload's data under its default options."""
    workload = pick_workload(name)
    return workload.data(DATASET, options_of(workload, {}))


def violations(name: str, handler: Handler, data: Data) -> dict[str, str]:
    """The clauses of a workload that a stack breaks, and the evidence of each."""
    workload = pick_workload(name)
    assert isinstance(workload, ServerWorkload)

    def respond(request: httpx.Request) -> httpx.Response:
        request.read()
        reply = handler(request)
        headers = {"content-type": reply.content_type}
        if reply.location is not None:
            headers["location"] = reply.location
        return httpx.Response(reply.status, headers=headers, content=iter([reply.body]))

    with httpx.Client(transport=httpx.MockTransport(respond), base_url="http://stack") as client:
        stack = StackUnderTest(client, data, options_of(workload, {}), set())
        evidence = {clause.name: clause.violation(stack) for clause in workload.clauses}
    return {clause: violation for clause, violation in evidence.items() if violation is not None}


def instead(handler: Handler, request: str, change: Callable[[Reply], Reply]) -> Handler:
    """`handler`, with its answers changed to requests whose `METHOD PATH` match a pattern."""

    def handle(received: httpx.Request) -> Reply:
        reply = handler(received)
        return change(reply) if re.fullmatch(request, f"{received.method} {received.url.path}") else reply

    return handle
