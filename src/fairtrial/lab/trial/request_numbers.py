"""Numbered requests, and rows that are taken once, over the runs of one trial: each continues where the last ended.

A search is many runs. Continued numbers make sure that it stores nothing twice, and that one audit covers all of them.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from fairtrial.catalog.workloads.model import Acknowledged
from fairtrial.engine.plan import GivenRows, Request
from fairtrial.record.engine_summary import EngineSummary

PLACEHOLDER = re.compile(r"\{\{\{\{|\{\{(sequence|nonce \S+) (\d+)\}\}")
"""The escape `{{{{` first, so that what follows one is left alone: docs/engine-protocol.md, "Templates"."""


def continued(requests: Sequence[Request], runs: Sequence[EngineSummary]) -> list[Request]:
    """The requests of the next run: the numbers of acknowledged requests continue after those of earlier runs."""
    used_numbers = _used_numbers(runs)
    return [_shifted(request, used_numbers[request.name]) if request.acknowledge else request for request in requests]


def rows_left(rows: Mapping[str, GivenRows], runs: Sequence[EngineSummary]) -> dict[str, GivenRows]:
    """The rows of the next run: of those that are taken once, the ones that no earlier run took."""
    used: Counter[str] = Counter()
    for run in runs:
        used.update(run.rows_used)
    return {
        name: given_rows.model_copy(update={"skip": given_rows.skip + used[name]}) for name, given_rows in rows.items()
    }


def acknowledged(runs: Sequence[EngineSummary], nonce_key: str = "") -> Acknowledged:
    """The numbers that were acknowledged in all runs together."""
    missed: dict[str, set[int]] = {name: set() for name in _used_numbers(runs)}
    for acknowledgements in (each for run in runs for each in run.acknowledgements):
        missed[acknowledgements.request].update(
            number for first, last in acknowledgements.not_acknowledged for number in range(first, last + 1)
        )
    return Acknowledged(
        last_numbers=dict(_used_numbers(runs)),
        not_acknowledged={name: frozenset(numbers) for name, numbers in missed.items()},
        nonce_key=nonce_key,
    )


def _used_numbers(runs: Sequence[EngineSummary]) -> Counter[str]:
    """How many numbers were used so far, by request."""
    numbers: Counter[str] = Counter()
    for run in runs:
        for acknowledgements in run.acknowledgements:
            numbers[acknowledgements.request] += acknowledgements.begun
    return numbers


def _shifted(request: Request, by: int) -> Request:
    def shift(match: re.Match[str]) -> str:
        return match[0] if match[1] is None else f"{{{{{match[1]} {int(match[2]) + by}}}}}"

    def shift_in(text: str) -> str:
        return PLACEHOLDER.sub(shift, text)

    return request.model_copy(
        update={
            "path": shift_in(request.path),
            "headers": [(name, shift_in(value)) for name, value in request.headers],
            "body": None if request.body is None else shift_in(request.body),
        }
    )
