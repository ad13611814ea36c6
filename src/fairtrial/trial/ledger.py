"""What the database did between two looks at its counters."""

from fairtrial.record.model import Ledger
from fairtrial.services.model import Counters


def ledger(before: Counters, after: Counters, *, verified: int, answers: int) -> Ledger | None:
    """The counters' differences beside what was answered meanwhile; None where the service counts nothing."""
    if not after:
        return None
    done = {name: count - before.get(name, 0) for name, count in after.items()}
    return Ledger(done=done, verified=verified, answers=answers)
