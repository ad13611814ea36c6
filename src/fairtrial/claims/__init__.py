"""Claims and their verdicts: one file per kind, and a line for it in `KINDS`."""

from collections.abc import Callable, Mapping

from fairtrial.claims import ratio
from fairtrial.claims.evidence import Evidence
from fairtrial.experiment.model import Claim
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.model import ClaimResult

__all__ = ["judge_claim", "validate_claim"]

KINDS: Mapping[str, Callable[[Claim, Evidence], ClaimResult]] = {"ratio": ratio.judge}


def judge_claim(claim: Claim, evidence: Evidence) -> ClaimResult:
    """The verdict on `claim`, with the sentence that can be quoted."""
    return KINDS[claim.kind](claim, evidence)


def validate_claim(claim: Claim) -> None:
    """Say what the model cannot know is wrong with a claim.

    Raises:
        ValueError: an unknown metric, with the allowed ones.
    """
    if claim.metric not in METRICS:
        raise ValueError(f"claims: {claim.id!r} speaks of the metric {claim.metric!r}; there are {', '.join(METRICS)}")
