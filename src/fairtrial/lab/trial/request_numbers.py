"""Numbered requests over the runs of one trial: each run goes on where the one before it ended.

So a search, which is many runs, stores nothing twice, and what is stored can be held against all of them together.
"""

import re
from collections import Counter
from collections.abc import Sequence

from fairtrial.catalog.workloads.model import Acknowledged
from fairtrial.engine.plan import Request
from fairtrial.record.model import EngineSummary

PLACEHOLDER = re.compile(r"\{\{\{\{|\{\{sequence (\d+)\}\}")
"""The escape `{{{{` first, so that what follows one is left alone: docs/engine-protocol.md, "Templates"."""


def going_on(requests: Sequence[Request], runs: Sequence[EngineSummary]) -> list[Request]:
    """The requests of the next run: the numbers of those that are acknowledged begin behind those given out so far."""
    begun = _begun(runs)
    return [_shifted(request, begun[request.name]) if request.acknowledge else request for request in requests]


def acknowledged(runs: Sequence[EngineSummary]) -> Acknowledged:
    """Which numbers were acknowledged in all runs together."""
    missed: dict[str, set[int]] = {name: set() for name in _begun(runs)}
    for run in runs:
        for one in run.acknowledgements:
            missed[one.request].update(
                number for first, last in one.not_acknowledged for number in range(first, last + 1)
            )
    return Acknowledged(
        begun=dict(_begun(runs)), not_acknowledged={name: frozenset(some) for name, some in missed.items()}
    )


def _begun(runs: Sequence[EngineSummary]) -> Counter[str]:
    """How many numbers were given out so far, by request."""
    begun: Counter[str] = Counter()
    for run in runs:
        for one in run.acknowledgements:
            begun[one.request] += one.begun
    return begun


def _shifted(request: Request, by: int) -> Request:
    def moved(found: re.Match[str]) -> str:
        return found[0] if found[1] is None else f"{{{{sequence {int(found[1]) + by}}}}}"

    def moved_in(text: str) -> str:
        return PLACEHOLDER.sub(moved, text)

    return request.model_copy(
        update={
            "path": moved_in(request.path),
            "headers": [(name, moved_in(value)) for name, value in request.headers],
            "body": None if request.body is None else moved_in(request.body),
        }
    )
