"""The job `transaction-batch`: units of work of one weight, shared out over as many threads as connections."""

import os
from queue import SimpleQueue
from typing import Any, NamedTuple

from database import IS_POSTGRESQL, POOL, connect
from shared import in_threads, remaining

COUNT = "SELECT count(*) FROM units"
COUNT_LABEL = "SELECT count(*) FROM units WHERE label = %s"
INSERT = "INSERT INTO units (name, value, label) VALUES (%s, %s, %s)" + (" RETURNING id" if IS_POSTGRESQL else "")
UPDATE = "UPDATE units SET value = value + 1 WHERE id = %s"


class Unit(NamedTuple):
    """How many statements of each kind a unit has, and how its transaction ends, if it has one."""

    counts: int
    label_counts: int = 0
    inserts: int = 0
    updates: int = 0
    ends_with: str = ""


UNITS = {
    "very-light": Unit(counts=1),
    "light": Unit(counts=1, inserts=1),
    "moderate": Unit(counts=2, inserts=1, ends_with="ROLLBACK"),
    "heavy": Unit(counts=3, inserts=1, updates=1, ends_with="COMMIT"),
    "very-heavy": Unit(counts=3, label_counts=1, inserts=1, updates=2, ends_with="COMMIT"),
}


def run(unit: Unit, cursor: Any) -> None:
    """One unit, one statement after the other."""
    if unit.ends_with:
        cursor.execute("BEGIN")
    for _ in range(unit.counts):
        cursor.execute(COUNT)
        cursor.fetchone()
    for _ in range(unit.label_counts):
        cursor.execute(COUNT_LABEL, ["red"])
        cursor.fetchone()
    inserted = None
    for _ in range(unit.inserts):
        cursor.execute(INSERT, ["unit", 0, "blue"])
        inserted = cursor.fetchone()[0] if IS_POSTGRESQL else cursor.lastrowid
    for _ in range(unit.updates):
        cursor.execute(UPDATE, [inserted])
    if unit.ends_with:
        cursor.execute(unit.ends_with)


def main() -> None:
    """Share the units out, and wait for the last one."""
    units: SimpleQueue[Unit] = SimpleQueue()
    for _ in range(int(os.environ["UNITS"])):
        units.put(UNITS[os.environ["WEIGHT"]])

    def work() -> None:
        with connect() as connection, connection.cursor() as cursor:
            for unit in remaining(units):
                run(unit, cursor)

    in_threads(POOL, work)
