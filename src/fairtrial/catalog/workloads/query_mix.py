"""Workload `query-mix`: short queries, and now and then one during which the database sleeps or works.

It shows whether requests that wait for a long query delay the others: the case for and against blocking I/O.
"""

from pydantic import Field

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import long_query
from fairtrial.catalog.workloads.exact_json import exact_difference, exact_request, exact_violation
from fairtrial.catalog.workloads.long_query import LongQueryOptions
from fairtrial.catalog.workloads.model import ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import Request

SHORT, LONG = "/queries/short", "/queries/long/{milliseconds}"
CHECK_MILLISECONDS = 200
SHORT_ANSWER = '{"value":1}'


class Options(LongQueryOptions):
    """`[options]` of query-mix."""

    short_per_long: int = Field(
        100, ge=0, le=100_000, description="short queries for each long one; 0: only short ones"
    )
    long_milliseconds: int = Field(1000, ge=1, le=10_000)


def requests(_data: Data, options: Options) -> list[Request]:
    """Short and long queries in their ratio, spread evenly."""
    milliseconds = options.long_milliseconds
    short = exact_request("short", SHORT, SHORT_ANSWER, weight=max(1, options.short_per_long))
    long = exact_request("long", LONG.format(milliseconds=milliseconds), _long_answer(milliseconds))
    return [short, long] if options.short_per_long else [short]


def _long_answer(milliseconds: int) -> str:
    return f'{{"slept":{milliseconds}}}'


def _short(stack: StackUnderTest) -> str | None:
    answer = ask(stack.client, "GET", SHORT)
    return mismatch(SHORT, answer) or exact_difference(answer, SHORT_ANSWER)


def _long(stack: StackUnderTest) -> str | None:
    path, expected = LONG.format(milliseconds=CHECK_MILLISECONDS), _long_answer(CHECK_MILLISECONDS)
    least_seconds = stack.options.least_share * CHECK_MILLISECONDS / 1e3
    return exact_violation(stack, LONG, path, expected, least_seconds=least_seconds)


def _out_of_range(stack: StackUnderTest) -> str | None:
    statuses = [ask(stack.client, "GET", f"/queries/long/{wrong}").status for wrong in ("0", "10001", "x")]
    return None if statuses == [400, 400, 400] else f"statuses {statuses}"


WORKLOAD = ServerWorkload(
    name="query-mix",
    title="short queries and long ones",
    services=("postgresql", "mariadb"),
    options=Options,
    data=long_query.data,
    requests=requests,
    work=lambda _options: Work(reads=1.0),
    least_answer_seconds=lambda options: {"long": options.sleeping_seconds},
    sleeping_seconds=lambda options: {"long": options.least_seconds},
    work_by_request=lambda options: {"long": options.rate_reads},
    environment=long_query.environment,
    clauses=(
        ClauseTest("short-query", "GET /queries/short answers the result of SELECT 1", _short),
        ClauseTest(
            "long-query",
            f"GET /queries/long/{CHECK_MILLISECONDS} has the database sleep, or work, for that many milliseconds",
            _long,
        ),
        ClauseTest("sleep-in-range", "0, 10001 and x milliseconds answer 400", _out_of_range),
    ),
)
