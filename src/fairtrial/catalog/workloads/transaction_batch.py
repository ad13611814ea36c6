"""Workload `transaction-batch`: a job for programs, units of work of one weight over a pool of connections.

The units are those of `transaction-mix`, without HTTP.
"""

from collections import defaultdict
from collections.abc import Mapping

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import Acknowledged, ProgramWorkload, StoredRows, Work, write_faults
from fairtrial.catalog.workloads.transaction_mix import (
    INITIAL_ROWS,
    INSERTED,
    LEAVES_ROW,
    UPDATES,
    Weight,
    mean_work,
    mean_work_in_tables,
    tables,
)
from fairtrial.experiment.model import DatasetOptions
from fairtrial.record.proof import WriteFault


class Options(Strict):
    """`[options]` of transaction-batch."""

    weight: Weight = "light"
    units: int = Field(1000, ge=1, le=1_000_000)
    pool: int = Field(16, ge=1, le=256, description="connections")


def data(_dataset: DatasetOptions, _options: Options) -> Data:
    """The same thousand rows as in `transaction-mix`."""
    return tables()


def work(options: Options) -> Work:
    """The work of one unit."""
    return mean_work([options.weight])


def environment(options: Options) -> Mapping[str, str]:
    """The job, as the variables of docs/stack-contract.md."""
    return {"WEIGHT": options.weight, "UNITS": str(options.units), "DB_POOL": str(options.pool)}


def audit(data: Data, options: Options, acknowledged: Acknowledged, stored: StoredRows) -> tuple[int, list[WriteFault]]:
    """Compare the initial rows with what they were, and count and compare the rows that the units leave.

    Returns:
        The number of rows beyond the initial ones, and what is wrong with any of the rows.
    """
    (table,) = data.tables
    initial = {str(row[0]): dict(zip(INITIAL_ROWS.columns, row, strict=True)) for row in INITIAL_ROWS.rows}
    expected_row = {**INSERTED, "value": UPDATES[options.weight]}
    expected_count = acknowledged.count if LEAVES_ROW[options.weight] else 0
    added, faults = 0, defaultdict[str, list[str]](list)
    for stored_row in stored.rows(table.name):
        row = {name: stored_row[name] for name in INITIAL_ROWS.columns}
        if row["name"] in initial:
            if initial.pop(row["name"]) != row:
                faults["altered"].append(f"{row}")
            continue
        added += 1
        if row != expected_row:
            faults["altered"].append(f"{row}, not {expected_row}")
    faults["missing"] += [f"an initial row: {row}" for row in initial.values()]
    faults["missing"] += ["a unit's row"] * (expected_count - added)
    faults["unasked"] += [f"a row beyond the {expected_count:,} that the units leave"] * (added - expected_count)
    return added, write_faults(faults)


WORKLOAD = ProgramWorkload(
    name="transaction-batch",
    title="a batch of units of work of one weight, by a program",
    services=("postgresql", "mariadb"),
    options=Options,
    data=data,
    operations=lambda options: options.units,
    check_options=[{"weight": weight, "units": 32} for weight in LEAVES_ROW],
    work=work,
    work_in_tables=lambda options: mean_work_in_tables([options.weight]),
    writes=True,
    audit=audit,
    environment=environment,
)
