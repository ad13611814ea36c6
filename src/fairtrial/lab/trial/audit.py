"""Compares the database's counters and rows with what was answered."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from fairtrial.base.printable import printable
from fairtrial.catalog.services.model import Counters
from fairtrial.catalog.workloads.model import Acknowledged
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.request_numbers import acknowledged
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.proof import Audit, Ledger, WriteFault

EXAMPLE_CHARACTERS = 200
COUNTED_LATE = ("commits", "rows_read.", "rows_written.")
"""How names begin of what PostgreSQL counts for a session ten seconds late, or when the session has ended
(PostgreSQL, "The Cumulative Statistics System"): it is read when the stack has ended, and once when the load has."""


def ledger_between(
    before: Counters,
    after: Counters,
    *,
    at_bell: Counters = MappingProxyType({}),
    verified: int,
    answers: int,
    verified_by_request: Mapping[str, int] = MappingProxyType({}),
) -> Ledger | None:
    """The service's counts between two readings, beside what was answered meanwhile.

    Args:
        at_bell: what it had counted when the load had ended. By then the work was done that the answers imply; what
            came later is told apart.

    Returns None where the service counts nothing.
    """
    if not after:
        return None
    closed = {name: count for name, count in at_bell.items() if name in after and not name.startswith(COUNTED_LATE)}
    handed_in = sorted(name for name in at_bell.keys() & after.keys() if name.startswith(COUNTED_LATE))
    return Ledger(
        done={name: count - before.get(name, 0) for name, count in {**after, **closed}.items()},
        after_load={name: late for name, count in closed.items() if (late := after[name] - count) > 0},
        handed_in={name: at_bell[name] - before.get(name, 0) for name in handed_in},
        verified=verified,
        answers=answers,
        verified_by_request=dict(verified_by_request),
        lab_left_out=True,
    )


def ledger_of_runs(
    before: Counters, after: Counters, runs: Sequence[EngineSummary], at_bell: Counters = MappingProxyType({})
) -> Ledger | None:
    """The same beside all that was answered in these runs of the engine, their warm-up included."""
    verified = answers = 0
    for run in runs:
        if run.run_verified is None or run.run_errors is None:
            return None
        verified += run.run_verified
        answers += run.run_verified + run.run_errors
    if not runs:
        return None
    by_request = _verified_by_request(runs)
    return ledger_between(
        before, after, at_bell=at_bell, verified=verified, answers=answers, verified_by_request=by_request
    )


def _verified_by_request(runs: Sequence[EngineSummary]) -> dict[str, int]:
    """Over all runs, their warm-up included; empty if the engine did not count it."""
    shares = [share for run in runs for share in run.mix]
    verified: Counter[str] = Counter()
    for share in shares:
        if share.run_verified is None:
            return {}
        verified[share.name] += share.run_verified
    return dict(verified)


def audit_answers(context: TrialContext) -> Audit | None:
    """The workload's own audit of what is stored, over all runs of the engine; None if the workload stores nothing.

    Raises:
        Problem: the service cannot be read.
    """
    return _audit(context, acknowledged(context.engine_runs, context.nonce_key))


def audit_operations(context: TrialContext, operations: int) -> Audit | None:
    """The same for a program that ended well: that is its acknowledgement of all operations it was to do.

    Raises:
        Problem: the service cannot be read.
    """
    name = context.plan.workload.name
    return _audit(context, Acknowledged(last_numbers={name: operations}, not_acknowledged={name: frozenset()}))


def _audit(context: TrialContext, writes: Acknowledged) -> Audit | None:
    workload, point, service = context.plan.workload, context.point, context.service
    if workload.audit is None or service.identity.name == "none":
        return None
    stored, faults = workload.audit(point.data, point.options, writes, service)
    return Audit(
        acknowledged=writes.count,
        stored=stored,
        faults=[
            WriteFault(kind=fault.kind, count=fault.count, example=printable(fault.example, EXAMPLE_CHARACTERS))
            for fault in faults
        ],
    )
