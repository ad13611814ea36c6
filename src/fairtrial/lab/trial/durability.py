"""Commits of a trial, as the database tells of them before its stack starts and when that has ended."""

import time

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import DurabilityReading, RunningService, TellsDurability
from fairtrial.lab.trial.context import TrialContext
from fairtrial.record.database import Durability

ENDED_WITHIN_SECONDS = 2.0
ASK_EVERY_SECONDS = 0.02


def durability_before(context: TrialContext) -> DurabilityReading | None:
    """The database's account of its commits before the stack starts; None if the workload writes nothing, or nobody can
    tell."""
    return _reading(context.service) if context.plan.workload.writes else None


def durability_since(context: TrialContext, before: DurabilityReading | None) -> Durability | None:
    """The database's account once the stack has ended, beside its accounts at the server's start and before the
    trial."""
    service = context.service
    if before is None or not isinstance(service, TellsDurability):
        return None
    _await_end_of_sessions(service)
    at_start, after = service.durability_at_start, _reading(service)
    if at_start is None or after is None:
        return None
    is_known = len(after.writing) > 0 and len(after.writing) == len(before.writing)
    return Durability(
        promised=at_start.promised,
        changed={
            name: f"{was}, now {after.settings[name]}"
            for name, was in at_start.settings.items()
            if after.settings.get(name, was) != was
        },
        relaxed=sorted(after.relaxed - at_start.relaxed),
        commits=min(now - then for now, then in zip(after.writing, before.writing, strict=True)) if is_known else None,
        flushes=None if after.flushes is None or before.flushes is None else after.flushes - before.flushes,
    )


def _reading(service: RunningService) -> DurabilityReading | None:
    if not isinstance(service, TellsDurability) or service.durability_at_start is None:
        return None
    try:
        return service.durability()
    except Problem:  # a database that has died is told by others
        return None


def _await_end_of_sessions(service: TellsDurability) -> None:
    """Databases hand in what a session counted when it has ended, which is a moment after its client."""
    deadline = time.monotonic() + ENDED_WITHIN_SECONDS
    try:
        while service.sessions() and time.monotonic() < deadline:
            time.sleep(ASK_EVERY_SECONDS)
    except Problem:
        return
