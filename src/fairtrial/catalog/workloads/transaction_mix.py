"""Workload `transaction-mix`: units of work of five weights, as in an application's data layer."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status
from fairtrial.catalog.tables import Data, LiteralRows, Table
from fairtrial.catalog.workloads.model import ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import BodyRange, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

Weight = Literal["very-light", "light", "moderate", "heavy", "very-heavy"]

READS: dict[Weight, int] = {"very-light": 1, "light": 1, "moderate": 2, "heavy": 3, "very-heavy": 4}
"""Number of statements that count rows."""
WRITES: dict[Weight, int] = {"very-light": 0, "light": 1, "moderate": 1, "heavy": 2, "very-heavy": 3}
"""Number of statements that insert or update, each one row; the one of `moderate` is rolled back."""
COMMITS: dict[Weight, int] = {"very-light": 1, "light": 1, "moderate": 0, "heavy": 1, "very-heavy": 1}
"""The least number of commits; statements without a transaction are one each, unless they are sent together."""

INSERTED = {"name": "unit", "value": 0, "label": "blue"}
"""The row that a unit inserts."""

UPDATES: dict[Weight, int] = {"very-light": 0, "light": 0, "moderate": 0, "heavy": 1, "very-heavy": 2}
"""How many of `WRITES` are updates: each adds one to the inserted row's value."""

LEAVES_ROW: dict[Weight, bool] = {
    "very-light": False,
    "light": True,
    "moderate": False,
    "heavy": True,
    "very-heavy": True,
}
"""Whether the inserted row is still stored after the unit."""

TABLE = "units"
ROWS = 1000
LABELS = ("red", "green", "blue", "white")
INITIAL_ROWS = LiteralRows(
    ("name", "value", "label"),
    [(f"unit {number}", number, LABELS[number % len(LABELS)]) for number in range(1, ROWS + 1)],
)
"""The rows at the start of each trial."""

PATH = "/units/{weight}"
LONGEST_ANSWER_BYTES = 40


class Options(Strict):
    """`[options]` of transaction-mix."""

    weights: list[Weight] = Field(
        default_factory=lambda: list(READS), min_length=1, description="the weights, which take turns"
    )


def tables() -> Data:
    """The table of units, with a thousand rows."""
    table = Table(
        name=TABLE,
        columns={"id": "serial", "name": "text", "value": "integer", "label": "text"},
        rows=INITIAL_ROWS,
    )
    return Data([table])


def data(_dataset: DatasetOptions, _options: Options) -> Data:
    """The same table for all options."""
    return tables()


def requests(_data: Data, options: Options) -> list[Request]:
    """POST /units/WEIGHT, the weights in turn."""
    expect = Expectation(
        status=[200], content_type="application/json", body_bytes=BodyRange(min=1, max=LONGEST_ANSWER_BYTES)
    )
    return [Request(name=weight, method="POST", path=f"/units/{weight}", expect=expect) for weight in options.weights]


def work(options: Options) -> Work:
    """The mean over the weights, which take turns."""
    return mean_work(options.weights)


def mean_work(weights: Sequence[Weight]) -> Work:
    """The mean work of one unit, where these weights take turns."""
    return Work(
        reads=sum(READS[weight] for weight in weights) / len(weights),
        writes=sum(WRITES[weight] for weight in weights) / len(weights),
        rows_written=sum(WRITES[weight] for weight in weights) / len(weights),
        commits=sum(COMMITS[weight] for weight in weights) / len(weights),
        writing_commits=sum(COMMITS[weight] for weight in weights if WRITES[weight]) / len(weights),
    )


def mean_work_in_tables(weights: Sequence[Weight]) -> dict[str, float]:
    """The same in the table: a count looks at every row, and no row of the start is ever deleted."""
    work = mean_work(weights)
    return {
        "table_reads": work.reads,
        "table_transactions": 1.0,
        f"rows_read.{TABLE}": ROWS * work.reads,
        f"rows_written.{TABLE}": work.rows_written,
    }


def _unit(weight: Weight, expected_growth: int) -> ClauseTest:
    def violation(stack: StackUnderTest) -> str | None:
        counts = []
        for _ in range(2):
            answer = ask(stack.client, "POST", f"/units/{weight}")
            difference = mismatch(PATH, answer, "POST")
            if difference or answer.status != 200:
                return difference or f"status {answer.status}"
            counts.append(answer.json()["units"])
        growth = counts[1] - counts[0]
        return None if growth == expected_growth else f"it adds {growth} units, not {expected_growth}"

    effect = "adds one unit" if expected_growth else "leaves their number unchanged"
    return ClauseTest(weight, f"POST /units/{weight} answers the number of units and {effect}", violation)


WORKLOAD = ServerWorkload(
    name="transaction-mix",
    title="units of work of five weights",
    services=("postgresql", "mariadb"),
    options=Options,
    data=data,
    requests=requests,
    work=work,
    work_in_tables=lambda options: mean_work_in_tables(options.weights),
    writes=True,
    clauses=(
        *(_unit(weight, int(leaves_row)) for weight, leaves_row in LEAVES_ROW.items()),
        answers_status("unknown-weight", "POST", "/units/unbearable", 404),
    ),
)
