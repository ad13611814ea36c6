"""The verdicts on all claims of a file: each at the level by itself, or together at the level, by Holm's procedure.

Judged by itself, each is decided wrongly in up to 5% of runs if its truth lies at its bound. Claims about properties
rest on no interval, and take no part in the procedure.

In the procedure, what is decided leaves its share of the error to the others, as it can no longer be wrong. But a claim
that is rightly upheld where the truth lies at the margin might as well have been called equal, and wrongly. So a claim
that may be equal leaves its share only where a difference beyond the margin is proven.
"""

from collections.abc import Sequence
from dataclasses import replace

from fairtrial.experiment.claims import Claim, ClaimsJudged
from fairtrial.judge.claims import judge_claim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.model import ClaimResult
from fairtrial.judge.statistics.holm import step_down


def judge_claims(claims: Sequence[Claim], evidence: Evidence, judged: ClaimsJudged) -> list[ClaimResult]:
    """The verdicts on `claims`, in their order; `evidence.level` is that of each, or of all together."""
    if judged == "each":
        return [judge_claim(claim, evidence) for claim in claims]
    results = step_down(
        [claim for claim in claims if claim.kind != "property"],
        evidence.level,
        lambda claim, level, sharing: judge_claim(claim, replace(evidence, level=level, sharing=sharing)),
        leaves_its_share,
    )
    by_id = {result.id: result for result in results}
    return [by_id.get(claim.id) or judge_claim(claim, evidence) for claim in claims]


def leaves_its_share(result: ClaimResult) -> bool:
    """Whether a claim is decided for good, so that its share of the error is left to the others."""
    if result.verdict not in ("upheld", "refuted") or result.margin is None:
        return result.verdict in ("upheld", "refuted")
    if result.unit is not None or result.interval is None:
        return False  # of a difference, the ratio is not known here
    low, high = result.interval
    return low > 1 + result.margin or high < 1 / (1 + result.margin)
