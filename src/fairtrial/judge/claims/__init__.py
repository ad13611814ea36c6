"""Claims and their verdicts: one file for each kind, and a line for it in `KINDS`."""

from collections.abc import Callable, Mapping
from typing import Any

from fairtrial.experiment.claims import Claim
from fairtrial.judge.claims import budget, difference, equal, order, property, ratio, shape
from fairtrial.judge.claims.contender_limit import withheld_by_limits
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.remarks import with_remarks
from fairtrial.judge.claims.validate import NamesAt, SentNames, recorded_names, validate_claim
from fairtrial.judge.model import ClaimResult

__all__ = ["NamesAt", "SentNames", "judge_claim", "recorded_names", "validate_claim"]

KINDS: Mapping[str, Callable[[Any, Evidence], ClaimResult]] = {
    "ratio": ratio.judge,
    "difference": difference.judge,
    "order": order.judge,
    "equal": equal.judge,
    "shape": shape.judge,
    "budget": budget.judge,
    "property": property.judge,
}


def judge_claim(claim: Claim, evidence: Evidence) -> ClaimResult:
    """The verdict on `claim`, with the sentence that can be quoted."""
    judge = KINDS[claim.kind]
    result = judge(claim, evidence)
    withheld = withheld_by_limits(claim, result, evidence)
    if withheld is not None:
        evidence = evidence.with_finding(claim.id, withheld)
        result = judge(claim, evidence)
    return with_remarks(claim, result, evidence)
