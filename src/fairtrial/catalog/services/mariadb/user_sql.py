"""MariaDB takes a user's SQL: a dump by MariaDB's client, statements by the driver."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymysql
from pymysql.constants import CLIENT

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.sql_external import redactor
from fairtrial.catalog.services.common.user_files import load_by_client
from fairtrial.catalog.services.mariadb import TITLE
from fairtrial.catalog.services.mariadb.client import CONNECT_WITHIN_SECONDS, target_at


def load(client: str | None, socket: Path, user: str, database: str, files: Sequence[Path]) -> None:
    """Have the client `mariadb` read the files.

    Args:
        client: the program; None: it is not installed.

    Raises:
        Problem: there is no such program, or the server refused.
    """
    if client is None:
        raise Problem("there is no `mariadb`, which loads files into MariaDB", "Debian: apt install mariadb-client")
    for file in files:
        command = [client, "--no-defaults", "--default-character-set=utf8mb4", f"--socket={socket}", f"--user={user}"]
        load_by_client(TITLE, [*command, database], file, {})


def rows(url: str, statements: str, within_seconds: float) -> Sequence[Sequence[Any]]:
    """Carry out any number of statements, and return two rows at most of what the last one answers with."""
    redact = redactor(url)
    try:
        connection = pymysql.connect(
            **target_at(url),
            autocommit=True,
            charset="utf8mb4",
            connect_timeout=CONNECT_WITHIN_SECONDS,
            client_flag=CLIENT.MULTI_STATEMENTS,
        )
        with connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION max_statement_time = %s", [within_seconds])
            cursor.execute(statements)
            fetched = cursor.fetchmany(2)
            while cursor.nextset():
                fetched = cursor.fetchmany(2)
            return list(fetched)
    except (pymysql.Error, OSError, ValueError) as error:
        message = error.args[-1] if error.args else type(error).__name__
        raise Problem(f"{TITLE} refused: {redact(str(message))}", "try the SQL in the client of MariaDB") from None
