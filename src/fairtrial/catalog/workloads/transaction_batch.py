"""Workload `transaction-batch`: a job for programs, units of work of one weight over a pool of connections.

The units are those of `transaction-mix`, without HTTP.
"""

from collections import defaultdict
from collections.abc import Mapping

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import Acknowledged, ProgramWorkload, StoredRows, Work, write_faults
from fairtrial.catalog.workloads.transaction_mix import BEFORE, INSERTED, KEEPS, UPDATES, Weight, mean_work, tables
from fairtrial.experiment.model import DatasetOptions
from fairtrial.record.model import WriteFault


class Options(Strict):
    """`[options]` of transaction-batch."""

    weight: Weight = "light"
    units: int = Field(1000, ge=1, le=1_000_000)
    pool: int = Field(16, ge=1, le=256, description="connections")


def data(_dataset: DatasetOptions, _options: Options) -> Data:
    """The same thousand rows."""
    return tables()


def work(options: Options) -> Work:
    """Of one unit."""
    return mean_work([options.weight])


def environment(options: Options) -> Mapping[str, str]:
    """The job, in the words of docs/stack-contract.md."""
    return {"WEIGHT": options.weight, "UNITS": str(options.units), "DB_POOL": str(options.pool)}


def audit(data: Data, options: Options, acknowledged: Acknowledged, stored: StoredRows) -> tuple[int, list[WriteFault]]:
    """The rows of before as they were, and one more for each unit that keeps its row, updated as often as told."""
    (table,) = data.tables
    there = {str(row[0]): dict(zip(BEFORE.columns, row, strict=True)) for row in BEFORE.rows}
    expected = {**INSERTED, "value": UPDATES[options.weight]}
    wanted = acknowledged.count if KEEPS[options.weight] else 0
    new, found = 0, defaultdict[str, list[str]](list)
    for row in stored.rows(table.name):
        shown = {name: row[name] for name in BEFORE.columns}
        if row["name"] in there:
            if there.pop(row["name"]) != shown:
                found["altered"].append(f"{shown}")
            continue
        new += 1
        if shown != expected:
            found["altered"].append(f"{shown}, and not {expected}")
    found["missing"] += [f"a row that was there before: {row}" for row in there.values()]
    if new < wanted:
        found["missing"] += ["a unit's row"] * (wanted - new)
    if new > wanted:
        found["unasked"] += [f"a row beyond the {wanted:,} that the units leave"] * (new - wanted)
    return new, write_faults(found)


WORKLOAD = ProgramWorkload(
    name="transaction-batch",
    title="a batch of units of work of one weight, by a program",
    services=("postgresql", "mariadb"),
    options=Options,
    data=data,
    operations=lambda options: options.units,
    check_options=[{"weight": weight, "units": 100} for weight in KEEPS],
    work=work,
    writes=True,
    audit=audit,
    environment=environment,
)
