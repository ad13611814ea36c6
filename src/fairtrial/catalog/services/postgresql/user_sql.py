"""PostgreSQL takes a user's SQL: a dump by psql, statements by the driver."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.sql_external import redactor
from fairtrial.catalog.services.common.user_files import load_by_client
from fairtrial.catalog.services.postgresql import TITLE
from fairtrial.catalog.services.postgresql.client import CONNECT_WITHIN_SECONDS


def load(psql: str | None, target: str, role: str, files: Sequence[Path]) -> None:
    """Have psql read the files, as a role that then owns what they make.

    Args:
        psql: the program; None: it is not installed.
        target: a libpq connection string without a password.

    Raises:
        Problem: there is no psql, or the server refused.
    """
    if psql is None:
        raise Problem("there is no `psql`, which loads files into PostgreSQL", "Debian: apt install postgresql-client")
    command = [psql, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", target, "-f", "-"]
    options = {"PGOPTIONS": f"-c role={role}"}
    for file in files:
        load_by_client(TITLE, command, file, {**options, "PATH": os.environ.get("PATH", os.defpath)})


def rows(url: str, statements: str, within_seconds: float) -> Sequence[Sequence[Any]]:
    """Carry out any number of statements, and return two rows at most of what the last one answers with."""
    redact = redactor(url)
    try:
        with psycopg.connect(
            url, autocommit=True, connect_timeout=CONNECT_WITHIN_SECONDS, client_encoding="utf8"
        ) as connection:
            limit = str(max(1, round(within_seconds * 1e3)))
            connection.execute("SELECT set_config('statement_timeout', %s, false)", [limit])
            cursor = connection.execute(statements.encode())
            while cursor.nextset():
                pass
            return cursor.fetchmany(2) if cursor.description else []
    except (psycopg.Error, OSError) as error:
        raise Problem(f"{TITLE} refused: {redact(str(error))}", "try the SQL in psql") from None
