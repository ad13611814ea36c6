"""Workload `query-mix`: short queries, and now and then one that keeps the database waiting.

What it shows is whether those who wait for a long query hold up the others: the case for and against blocking I/O.
"""

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import ExactBody, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

SHORT, LONG = "/queries/short", "/queries/long/{milliseconds}"
TRIED_MILLISECONDS = 200


class Options(Strict):
    """`[options]` of query-mix."""

    short_per_long: int = Field(100, ge=0, le=100_000, description="0: only short ones")
    long_milliseconds: int = Field(1000, ge=1, le=10_000)


def data(_dataset: DatasetOptions, _options: Options) -> Data:
    """No table: the queries touch none."""
    return Data()


def requests(_data: Data, options: Options) -> list[Request]:
    """Short ones and long ones at their ratio, spread evenly."""

    def request(name: str, path: str, text: str, weight: int) -> Request:
        expect = Expectation(status=[200], content_type="application/json", body=ExactBody(text=text))
        return Request(name=name, path=path, weight=weight, expect=expect)

    milliseconds = options.long_milliseconds
    short = request("short", SHORT, '{"value":1}', max(1, options.short_per_long))
    long = request("long", f"/queries/long/{milliseconds}", f'{{"slept":{milliseconds}}}', 1)
    return [short, long] if options.short_per_long else [short]


def _short(attempt: Attempt) -> str | None:
    answer = ask(attempt.client, "GET", SHORT)
    return mismatch(SHORT, answer) or (None if answer.body == b'{"value":1}' else f"not compact: {answer.excerpt()}")


def _long(attempt: Attempt) -> str | None:
    answer = ask(attempt.client, "GET", f"/queries/long/{TRIED_MILLISECONDS}")
    fault = mismatch(LONG, answer)
    if fault or answer.status != 200:
        return fault or f"status {answer.status}"
    if answer.seconds < TRIED_MILLISECONDS / 1e3:
        return f"answered after {answer.seconds * 1e3:.0f} ms: the database did not sleep"
    return None if answer.body == b'{"slept":%d}' % TRIED_MILLISECONDS else f"not compact: {answer.excerpt()}"


def _out_of_range(attempt: Attempt) -> str | None:
    statuses = [ask(attempt.client, "GET", f"/queries/long/{wrong}").status for wrong in ("0", "10001", "x")]
    return None if statuses == [400, 400, 400] else f"statuses {statuses}"


WORKLOAD = ServerWorkload(
    name="query-mix",
    title="short queries and long ones",
    services=("postgresql", "mariadb"),
    options=Options,
    data=data,
    requests=requests,
    work=lambda _options: Work(reads=1.0),
    clauses=(
        ClauseTest("short-query", "GET /queries/short answers what SELECT 1 gives", _short),
        ClauseTest("long-query", f"GET /queries/long/{TRIED_MILLISECONDS} has the database sleep for so long", _long),
        ClauseTest("sleep-in-range", "0, 10001 and x milliseconds answer 400", _out_of_range),
    ),
)
