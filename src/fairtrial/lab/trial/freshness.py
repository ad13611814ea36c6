"""The freshness test: after the load the lab changes rows while the stack still serves, to find answers from memory.

The lab reads a row through the stack, changes it in the database, and reads it again as soon as that is committed; then
the next one. At the end it changes them back. Which rows is drawn. Under the load itself the engine looks, see
`row_changes`.
"""

import time
from collections.abc import Sequence
from contextlib import suppress

import httpx

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.answer import Answer, ask
from fairtrial.catalog.services.model import RunningService
from fairtrial.catalog.tables import Data, Table
from fairtrial.catalog.workloads.model import FreshnessProbe
from fairtrial.record.proof import Freshness

ROWS = 3
"""One row is enough to find a cache; three find it whichever rows the cache happens to hold."""

ELSEWHERE_GRACE_SECONDS = 1.0
"""On a server of somebody else's, time for replicas. On the lab's own there are none: what was asked after a commit has
to show it."""


def freshness_after_load(
    probe: FreshnessProbe, data: Data, headers: Sequence[tuple[str, str]], client: httpx.Client, service: RunningService
) -> Freshness | None:
    """Change rows that are drawn from all, and say how many the stack answers as they were.

    Args:
        headers: of each request, as the engine sends them.
        client: of the stack; it is closed.

    Returns:
        None if nothing could be read through the stack.

    Raises:
        Problem: the database refused a change.
    """
    table = changed_table(probe, data)
    key_column = table.given_columns[0]
    before = {int(row[key_column]): str(row[probe.column]) for row in table.rows.random_rows(ROWS)}
    grace = grace_seconds(service)
    stale: list[Answer] = []
    changed: list[int] = []
    with client, suppress(httpx.HTTPError):
        client.headers.update(headers)

        def if_stale(key: int) -> list[Answer]:
            answer = ask(client, "GET", probe.path(data, key))
            return [] if _shows(answer, new_text(before[key])) else [answer]

        try:
            for key, text in before.items():
                ask(client, "GET", probe.path(data, key))  # so that a cache that there may be is filled
                service.change(probe.table, key, probe.column, new_text(text))
                changed.append(key)
                if not grace:
                    stale += if_stale(key)
            if grace:
                time.sleep(grace)
                for key in before:
                    stale += if_stale(key)
        finally:
            for key in changed:
                with suppress(Problem):
                    service.change(probe.table, key, probe.column, before[key])
        return Freshness(
            changed=len(before),
            stale=len(stale),
            grace_seconds=grace,
            example=stale[0].excerpt() if stale else "",
            keys=sorted(before),
        )
    return None


def grace_seconds(service: RunningService) -> float:
    """How long after a commit an old text may still be answered."""
    return ELSEWHERE_GRACE_SECONDS if service.identity.where == "external" else 0.0


def new_text(text: str) -> str:
    """A different text of the same length: each lower-case letter becomes the next one of the alphabet."""
    return "".join(chr((ord(letter) - 97 + 1) % 26 + 97) if letter.islower() else letter for letter in text)


def _shows(answer: Answer, text: str) -> bool:
    return text in answer.body.decode(errors="replace") or text in printable(answer.headers.get("location", ""))


def changed_table(probe: FreshnessProbe, data: Data) -> Table:
    """In which rows are changed."""
    return next(table for table in data.tables if table.name == probe.table)
