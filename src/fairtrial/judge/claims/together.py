"""The verdicts on all claims of a file: each at the level by itself, or together at the level, by Holm's procedure.

Judged by itself, each is decided wrongly in up to 5% of runs if its truth lies at its bound. Claims about properties
rest on no interval, and take no part in the procedure.
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
        lambda result: result.verdict != "undecided",
    )
    by_id = {result.id: result for result in results}
    return [by_id.get(claim.id) or judge_claim(claim, evidence) for claim in claims]
