"""The workload transaction-mix: units of work of five weights, each on one connection, one statement after another."""

from flask import Blueprint, abort

from app.databases.database import Connection, Database

COUNT = "SELECT count(*) AS count FROM units"
COUNT_RED = "SELECT count(*) AS count FROM units WHERE label = 'red'"
INSERT = "INSERT INTO units (name, value, label) VALUES ('unit', 0, 'blue') RETURNING id"
INCREMENT = "UPDATE units SET value = value + 1 WHERE id = %s"


def routes(database: Database) -> Blueprint:
    blueprint = Blueprint("units", __name__)

    @blueprint.post("/units/<weight>")
    def unit(weight: str) -> dict[str, int]:
        if weight not in UNITS:
            abort(404)
        with database.connection() as connection:
            return {"units": UNITS[weight](connection)}

    return blueprint


def count(connection: Connection) -> int:
    return connection.row(COUNT)["count"]


def insert(connection: Connection) -> int:
    """The row's id."""
    return connection.row(INSERT)["id"]


def light(connection: Connection) -> int:
    units = count(connection)
    insert(connection)
    return units


def moderate(connection: Connection) -> int:
    connection.begin()
    units = count(connection)
    count(connection)
    insert(connection)
    connection.rollback()
    return units


def heavy(connection: Connection) -> int:
    connection.begin()
    units = count(connection)
    count(connection)
    count(connection)
    connection.run(INCREMENT, insert(connection))
    connection.commit()
    return units


def very_heavy(connection: Connection) -> int:
    connection.begin()
    units = count(connection)
    count(connection)
    count(connection)
    connection.row(COUNT_RED)
    unit_id = insert(connection)
    connection.run(INCREMENT, unit_id)
    connection.run(INCREMENT, unit_id)
    connection.commit()
    return units


UNITS = {"very-light": count, "light": light, "moderate": moderate, "heavy": heavy, "very-heavy": very_heavy}
"""By weight: what is done on a connection; it returns the first count."""
