"""InnoDB's history of transactions: each that changed a row and was committed is in it until it is purged."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.mariadb.client import MariaClient

HISTORY = "SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'"
"""Transactions that were committed and whose older rows are not purged (MariaDB: InnoDB Status Variables). One that is
rolled back, to a savepoint at its start as well, never gets there."""

PURGE_NOTHING = "START TRANSACTION WITH CONSISTENT SNAPSHOT"
"""InnoDB purges nothing that such a transaction could still read (MariaDB: InnoDB Purge)."""

PURGED_WITHIN_SECONDS = 10.0
"""What was committed before; 3,000 transactions took less than a second."""

LOOK_EVERY_SECONDS = 0.05


@contextmanager
def retention(client: MariaClient) -> Iterator[None]:
    """Keep all of the history from now on, and none from before.

    Without purge the history grows by some hundred bytes a transaction, and no session waits for it:
    `innodb_max_purge_lag` is 0 unless somebody sets it.

    Raises:
        Problem: the database cannot be asked, or did not purge what is from before.
    """
    with client.connection() as connection:
        with connection.cursor() as cursor:
            cursor.execute(PURGE_NOTHING)
        until = time.monotonic() + PURGED_WITHIN_SECONDS
        while int(end(client)):
            if time.monotonic() > until:
                raise Problem(f"MariaDB did not purge its history within {PURGED_WITHIN_SECONDS:g} s")
            time.sleep(LOOK_EVERY_SECONDS)
        yield


def end(client: MariaClient) -> str:
    """The number of transactions in the history now.

    Raises:
        Problem: the database cannot be asked.
    """
    return str(client.query(HISTORY)[0][1])


def commits_between(since: str, until: str) -> int | None:
    """How many transactions that changed a row were committed between two ends of a history that was kept."""
    return int(until) - int(since)
