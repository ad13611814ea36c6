"""Keys that the load asked for and the store was never asked for: hits paid with other keys."""

from collections.abc import Iterator
from math import expm1, log1p, sqrt

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A refusal where fewer of the marked keys were read than the answers imply."""
    for trial in case.trials:
        keys, ledger = trial.keys_read, trial.ledger
        if keys is None or ledger is None or ledger.verified == 0 or keys.rows < 1:
            continue
        # Of n answers, each about one of so many rows, none is about a given row with probability (1 - 1/rows)^n.
        probability = 1.0 if keys.rows == 1 else -expm1(ledger.verified * log1p(-1 / keys.rows))
        expected = keys.marked * probability
        scatter = sqrt(keys.marked * probability * (1 - probability))
        least = expected * (1 - case.thresholds["share"]) - case.thresholds["deviations"] * scatter
        if keys.read < least:
            yield case.finding(
                trial.index,
                "refusal",
                f"{keys.read:,} of {keys.marked:,} drawn keys of {keys.table} were read, and {ledger.verified:,} "
                f"verified answers about keys drawn from {keys.rows:,} imply {expected:,.0f}",
            )


CHECK = Check(
    name="keys-unread",
    looks_at="keys that were drawn and marked as unread before the load: how many the store says were read since, "
    "compared with how many keys that many answers are about",
    thresholds={
        "share": Threshold(
            0.1,
            "share of the keys that are expected",
            "keys that the lab changes and sets back count as unread in memcached: a hundredth of the rows, ten at "
            "least, so of tables of a hundred rows or more at most a tenth",
        ),
        "deviations": Threshold(
            5.0,
            "standard deviations",
            "which keys are asked for is drawn: of a binomial count (an upper bound of the scatter, because keys that "
            "are drawn share the answers), one in 3.5 million is lower",
        ),
    },
    remedy="read the key that is asked for, in the store, for each request",
    examine=examine,
)
