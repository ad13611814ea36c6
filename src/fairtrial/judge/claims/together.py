"""The verdicts on all claims of a file: each at the level by itself, or together at the level, by Holm's procedure.

Of n claims that are judged at 95% each, at least one is decided wrongly in up to 1 - 0.95^n of runs if the truth lies
at every bound. Together: all n are judged at 1 - α/n. Once m of them are decided, no more than n - m of the others can
have their truth at the bound, and these are judged at 1 - α/(n - m); and so on until no further one is decided.

Claims about properties rest on no interval, and take no part.

Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979),
65-70.
"""

from collections.abc import Sequence
from dataclasses import replace

from fairtrial.experiment.claims import Claim, ClaimsJudged
from fairtrial.judge.claims import judge_claim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.model import ClaimResult


def judge_claims(claims: Sequence[Claim], evidence: Evidence, judged: ClaimsJudged) -> list[ClaimResult]:
    """The verdicts on `claims`, in their order; `evidence.level` is that of each, or of all together."""
    if judged == "each":
        return [judge_claim(claim, evidence) for claim in claims]
    results: dict[str, ClaimResult] = {}
    open_claims = [claim for claim in claims if claim.kind != "property"]
    while open_claims:
        sharing = len(open_claims)
        level = 1 - (1 - evidence.level) / sharing
        now = [judge_claim(claim, replace(evidence, level=level, sharing=sharing)) for claim in open_claims]
        results |= {result.id: result for result in now}
        open_claims = [claim for claim, result in zip(open_claims, now, strict=True) if result.verdict == "undecided"]
        if len(open_claims) == sharing:
            break
    return [results.get(claim.id) or judge_claim(claim, evidence) for claim in claims]
