from collections.abc import Iterator
from math import expm1, log1p, sqrt

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.record.proof import KeysRead, Ledger

CHANGED_KEYS = 13
"""What the lab changes and sets back of a small table, during the load and after it."""
SMALL_TABLES_SHARE = 0.1
"""Room for them in a table of any size."""


@check(
    "keys-unread",
    looks_at="keys that were drawn and marked as unread before the load: how many the store says were read since, "
    "compared with how many keys that many answers are about",
    remedy="read the key that is asked for, in the store, for each request",
    share=Threshold(
        0.02,
        "share of the keys that are expected",
        "keys that the lab changes and sets back count as unread in memcached: a hundredth of the rows",
    ),
    deviations=Threshold(
        5.0,
        "standard deviations",
        "which keys are asked for is drawn: of a binomial count, one in 3.5 million is lower",
    ),
)
def keys_unread(keys_read: KeysRead, ledger: Ledger, *, share: float, deviations: float) -> Iterator[Finding]:
    """Keys that the load asked for and the store was never asked for: hits paid with other keys.

    A refusal.
    """
    rows, marked = keys_read.rows, keys_read.marked
    if ledger.verified == 0 or rows < 1:
        return
    # Of n answers, each about one of so many rows, none is about a given row with probability (1 - 1/rows)^n.
    probability = 1.0 if rows == 1 else -expm1(ledger.verified * log1p(-1 / rows))
    expected = marked * probability
    scatter = sqrt(marked * probability * (1 - probability))
    room = max(share, min(CHANGED_KEYS / rows, SMALL_TABLES_SHARE))
    if keys_read.read < expected * (1 - room) - deviations * scatter:
        yield finding(
            "refusal",
            f"{keys_read.read:,} of {marked:,} drawn keys of {keys_read.table} were read, and {ledger.verified:,} "
            f"verified answers about keys drawn from {rows:,} imply {expected:,.0f}",
        )
