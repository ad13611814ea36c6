"""What the database did between two looks at its counters."""

from collections.abc import Sequence

from fairtrial.catalog.services.model import Counters
from fairtrial.record.model import EngineSummary, Ledger


def ledger(before: Counters, after: Counters, *, verified: int, answers: int) -> Ledger | None:
    """The counters' differences beside what was answered meanwhile; None where the service counts nothing."""
    if not after:
        return None
    done = {name: count - before.get(name, 0) for name, count in after.items()}
    return Ledger(done=done, verified=verified, answers=answers)


def ledger_of_runs(before: Counters, after: Counters, runs: Sequence[EngineSummary]) -> Ledger | None:
    """The same beside all that was answered in these runs of the engine, their warm-up included."""
    verified = answers = 0
    for run in runs:
        if run.run_verified is None or run.run_errors is None:
            return None
        verified += run.run_verified
        answers += run.run_verified + run.run_errors
    return ledger(before, after, verified=verified, answers=answers) if runs else None
