"""The keys of a store from which the load's answers came, by the store's own account of single keys.

Counts of hits and bytes can be paid with one key, over and over. Before the load the lab has keys count as unread that
it draws from the system's randomness, and asks for each of them when the stack has stopped.
"""

from collections.abc import Sequence
from contextlib import suppress

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import TellsKeysRead
from fairtrial.catalog.tables import Table
from fairtrial.lab.trial.context import TrialContext
from fairtrial.record.proof import KeysRead

MARKED_KEYS = 2_000
"""If the load reads one key of thirty, 67 of these, give or take 8: far from none. They take the lab some 30 ms."""


def mark_keys(context: TrialContext) -> Sequence[int]:
    """Mark keys as unread, right before the load.

    Returns them; none where the workload draws no keys or the store does not tell.
    """
    table, service = _table(context), context.service
    if table is None or not isinstance(service, TellsKeysRead):
        return []
    keys = [int(row[table.given_columns[0]]) for row in table.rows.random_rows(min(MARKED_KEYS, table.rows.count))]
    with suppress(Problem):  # what is not examined is missing in the record
        return keys if service.mark_unread(table.name, keys) else []
    return []


def keys_read(context: TrialContext, keys: Sequence[int]) -> KeysRead | None:
    """The store's account of these keys after the load; None if there are none, or the store cannot be asked."""
    table, service = _table(context), context.service
    if table is None or not keys or not isinstance(service, TellsKeysRead):
        return None
    with suppress(Problem):
        read = service.keys_read(table.name, keys)
        return KeysRead(table=table.name, rows=table.rows.count, marked=len(keys), read=read)
    return None


def _table(context: TrialContext) -> Table | None:
    drawn_from = context.server_workload.keys_drawn_from
    return next((table for table in context.point.data.tables if table.name == drawn_from), None)
