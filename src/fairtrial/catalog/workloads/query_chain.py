"""Workload `query-chain`: in every request a query during which the database sleeps or works, and then many short ones.

Beside `query-mix`, where long and short queries are requests of their own, it shows what a stack's way of waiting costs
in a request that waits often.
"""

from pydantic import Field

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads import long_query
from fairtrial.catalog.workloads.exact_json import exact_difference, exact_request, exact_violation
from fairtrial.catalog.workloads.long_query import LongQueryOptions
from fairtrial.catalog.workloads.model import ServerWorkload, Work
from fairtrial.engine.plan import Request

CHAIN = "/queries/chain/{milliseconds}/{short}"
CHECK_MILLISECONDS, CHECK_SHORT = 100, 3
OUT_OF_RANGE = ("0/1", "10001/1", "x/1", "1/1001", "1/-1", "1/x")


class Options(LongQueryOptions):
    """`[options]` of query-chain."""

    short_per_long: int = Field(20, ge=0, le=1000, description="short queries after the long one")


def _path(milliseconds: int, short: int) -> str:
    return CHAIN.format(milliseconds=milliseconds, short=short)


def _body(milliseconds: int, short: int) -> str:
    return f'{{"slept":{milliseconds},"sum":{short}}}'


def requests(_data: Data, options: Options) -> list[Request]:
    """The same chain in every request."""
    chain = options.long_milliseconds, options.short_per_long
    return [exact_request("chain", _path(*chain), _body(*chain))]


def _chain(stack: StackUnderTest) -> str | None:
    chain = CHECK_MILLISECONDS, CHECK_SHORT
    least_seconds = stack.options.least_share * CHECK_MILLISECONDS / 1e3
    return exact_violation(stack, CHAIN, _path(*chain), _body(*chain), least_seconds=least_seconds)


def _long_alone(stack: StackUnderTest) -> str | None:
    answer = ask(stack.client, "GET", _path(1, 0))
    if answer.status != 200:
        return f"status {answer.status}"
    return exact_difference(answer, _body(1, 0))


def _out_of_range(stack: StackUnderTest) -> str | None:
    statuses = {wrong: ask(stack.client, "GET", f"/queries/chain/{wrong}").status for wrong in OUT_OF_RANGE}
    return None if set(statuses.values()) == {400} else f"statuses {statuses}"


WORKLOAD = ServerWorkload(
    name="query-chain",
    title="a long query and then many short ones in one request",
    services=("postgresql", "mariadb"),
    options=Options,
    data=long_query.data,
    requests=requests,
    work=lambda options: Work(reads=1.0 + options.short_per_long),
    only_waits=lambda options: options.work_share == 0 and options.short_per_long == 0,
    least_answer_seconds=lambda options: {"chain": options.sleeping_seconds},
    sleeping_seconds=lambda options: {"chain": options.least_seconds},
    work_by_request=lambda options: {"chain": options.rate_reads},
    environment=long_query.environment,
    clauses=(
        ClauseTest(
            "query-chain",
            f"GET {_path(CHECK_MILLISECONDS, CHECK_SHORT)} has the database sleep, or work, and adds up {CHECK_SHORT} "
            "queries",
            _chain,
        ),
        ClauseTest("query-chain-alone", "the number of short queries may be 0", _long_alone),
        ClauseTest("query-chain-in-range", f"{', '.join(OUT_OF_RANGE)} answer 400", _out_of_range),
    ),
)
