"""Workload `transaction-mix`: units of work of five weights, as an application's data layer does them."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data, LiteralRows, Table
from fairtrial.catalog.workloads.model import ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import BodyRange, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

Weight = Literal["very-light", "light", "moderate", "heavy", "very-heavy"]

READS: dict[Weight, int] = {"very-light": 1, "light": 1, "moderate": 2, "heavy": 3, "very-heavy": 4}
"""Statements that count."""
WRITES: dict[Weight, int] = {"very-light": 0, "light": 1, "moderate": 1, "heavy": 2, "very-heavy": 3}
"""Statements that insert or update; those of `moderate` are rolled back."""

INSERTED = {"name": "unit", "value": 0, "label": "blue"}
"""The row of an insert."""

UPDATES: dict[Weight, int] = {"very-light": 0, "light": 0, "moderate": 0, "heavy": 1, "very-heavy": 2}
"""Statements among the above that update: each adds one to the inserted row's value."""

KEEPS: dict[Weight, bool] = {"very-light": False, "light": True, "moderate": False, "heavy": True, "very-heavy": True}
"""Whether a row more is stored after it."""

ROWS = 1000
LABELS = ("red", "green", "blue", "white")
BEFORE = LiteralRows(
    ("name", "value", "label"),
    [(f"unit {number}", number, LABELS[number % len(LABELS)]) for number in range(1, ROWS + 1)],
)
"""The rows at the start of each trial."""

PATH = "/units/{weight}"
LONGEST_ANSWER_BYTES = 40


class Options(Strict):
    """`[options]` of transaction-mix."""

    weights: list[Weight] = Field(default_factory=lambda: list(READS), min_length=1, description="they take turns")


def tables() -> Data:
    """A thousand units."""
    table = Table(
        name="units",
        columns={"id": "serial", "name": "text", "value": "integer", "label": "text"},
        rows=BEFORE,
    )
    return Data([table])


def data(_dataset: DatasetOptions, _options: Options) -> Data:
    """Whatever the options."""
    return tables()


def requests(_data: Data, options: Options) -> list[Request]:
    """POST /units/WEIGHT, the weights in turn."""
    expect = Expectation(
        status=[200], content_type="application/json", body_bytes=BodyRange(min=1, max=LONGEST_ANSWER_BYTES)
    )
    return [Request(name=weight, method="POST", path=f"/units/{weight}", expect=expect) for weight in options.weights]


def work(options: Options) -> Work:
    """The mean over the weights."""
    return mean_work(options.weights)


def mean_work(weights: Sequence[Weight]) -> Work:
    """Of one unit, where the weights take turns."""
    return Work(
        reads=sum(READS[weight] for weight in weights) / len(weights),
        writes=sum(WRITES[weight] for weight in weights) / len(weights),
    )


def _unit(weight: Weight, more: int) -> ClauseTest:
    def attempt(attempt: Attempt) -> str | None:
        first = ask(attempt.client, "POST", f"/units/{weight}")
        fault = mismatch(PATH, first, "POST")
        if fault or first.status != 200:
            return fault or f"status {first.status}"
        second = ask(attempt.client, "POST", f"/units/{weight}")
        grown = second.json()["units"] - first.json()["units"]
        return None if grown == more else f"{grown} units more after it, not {more}"

    kept = "adds one unit" if more else "leaves their number as it is"
    return ClauseTest(weight, f"POST /units/{weight} answers the number of units and {kept}", attempt)


def _unknown(attempt: Attempt) -> str | None:
    status = ask(attempt.client, "POST", "/units/unbearable").status
    return None if status == 404 else f"status {status}"


WORKLOAD = ServerWorkload(
    name="transaction-mix",
    title="units of work of five weights",
    services=("postgresql", "mariadb"),
    options=Options,
    data=data,
    requests=requests,
    work=work,
    writes=True,
    clauses=(
        *(_unit(weight, int(kept)) for weight, kept in KEEPS.items()),
        ClauseTest("unknown-weight", "POST /units/unbearable answers 404", _unknown),
    ),
)
