"""A property of every trial of a condition, read from the trials themselves, refused ones included.

A trial that a check refused may be exactly what such a claim is about: a server that loses writes, say. So a refusal by
one of the checks on the property means that the property failed; a refusal by any other check means that the trial does
not count. A note by one of the property's own checks means that the trial was too short to tell. That is no failure; if
all were too short, or one of those that should have failed, the claim is undecided.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import count
from fairtrial.experiment.claims import PropertyClaim
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ruling import ALL_VALID, Basis, Ruling, result
from fairtrial.judge.model import ClaimResult
from fairtrial.load.kinds import Load
from fairtrial.record.model import Condition, TrialRecord


@dataclass(frozen=True)
class Property:
    """A property that a claim may be about."""

    words: str
    checks: frozenset[str]
    """names of the checks whose refusal means that the property failed"""
    failure: Callable[[TrialRecord, Load], str | None]
    """how a trial failed it; None if it did not"""


def _unanswered(trial: TrialRecord, load: Load) -> str | None:
    engine = trial.engine
    if engine is None:
        return "nothing was measured"
    # A load that ends at a time cuts young requests off, which is no failure; the check `unanswered` finds old ones.
    requests = max(engine.ended, load.fixed_requests or 0)  # a user of a journey sends more than one
    return None if engine.verified >= requests else f"{engine.verified:,} right answers to {requests:,} requests"


def _write_faults(trial: TrialRecord, _load: Load) -> str | None:
    if trial.audit is None:
        return "nothing was audited"
    faults = [f"{fault.count:,} {fault.kind}" for fault in trial.audit.faults if fault.kind != "unasked"]
    return ", ".join(faults) or None


PROPERTIES: Mapping[str, Property] = {
    "all-answered": Property(
        "every request had a right answer within the client's patience",
        frozenset({"errors", "unanswered", "too-few-answers", "unequal-answers"}),
        _unanswered,
    ),
    "no-write-lost": Property(
        "every acknowledged write is stored once, as it was sent", frozenset({"writes-stored"}), _write_faults
    ),
    "picks-uniform": Property(
        "rows are picked uniformly from all", frozenset({"picks-uniform"}), lambda _trial, _load: None
    ),
}


def judge(claim: PropertyClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a property claim: it has to hold in every trial, or to fail in every one."""
    kind = PROPERTIES[claim.property]
    votes = _votes(kind, evidence.condition(claim.of), evidence)
    ruling = _ruling(claim, votes)
    counted = len(votes.successes) + len(votes.failures) + len(votes.too_short)
    observed = f"Of {claim.of} it held in {len(votes.successes)} of {count(counted, 'trial')}"
    observed += f", and {len(votes.too_short)} cannot tell" if votes.too_short else ""
    observed += f" ({votes.failures[0]})" if votes.failures else ""
    observed += f"; load: {evidence.loads(claim.of)}."
    endings = {
        "upheld": "One trial in which it is otherwise would overturn it.",
        "refuted": "A repetition in which it is otherwise in every trial would overturn it.",
        "undecided": _to_decide(votes),
    }
    return result(
        claim,
        ruling,
        Basis(counted),
        subject=f"{claim.property} of {claim.of}",
        requirement=kind.words if claim.holds else f"not: {kind.words}",
        observed=observed,
        ending=endings[ruling.verdict],
    )


@dataclass(frozen=True)
class _Votes:
    """Trials in which a property held and in which it failed, those too short to tell, and why others do not count."""

    successes: Sequence[str]
    failures: Sequence[str]
    too_short: Sequence[str]
    obstacles: Sequence[str]


def _votes(kind: Property, condition: Condition, evidence: Evidence) -> _Votes:
    successes, failures, too_short, obstacles = [], [], [], []
    for trial in evidence.of(condition).values():
        outcome = evidence.outcomes[trial.index]
        hits = outcome.refusing & kind.checks
        if outcome.outcome == "not run" or outcome.refusing - kind.checks or (outcome.outcome != "valid" and not hits):
            obstacles.append(f"trial {trial.index} was {outcome.outcome} ({outcome.cause})")
        elif (how := kind.failure(trial, condition.load)) is not None or hits:
            failures.append(f"trial {trial.index}: {how or ', '.join(sorted(hits))}")
        elif outcome.noting & kind.checks:
            too_short.append(f"trial {trial.index}")
        else:
            successes.append(f"trial {trial.index}")
    total = len(successes) + len(failures) + len(too_short) + len(obstacles)
    if total < evidence.blocks and not obstacles:
        obstacles.append(f"{total} of {count(evidence.blocks, 'block')} were begun")
    return _Votes(successes, failures, too_short, obstacles)


def _ruling(claim: PropertyClaim, votes: _Votes) -> Ruling:
    confirmations, contradictions = (
        (votes.successes, votes.failures) if claim.holds else (votes.failures, votes.successes)
    )
    if contradictions and (claim.holds or not confirmations):
        return Ruling("refuted")
    if votes.obstacles:
        return Ruling("undecided", votes.obstacles[0])
    if votes.too_short and not confirmations:
        return Ruling("undecided", "no trial was long enough to tell")
    if votes.too_short and not claim.holds:
        return Ruling("undecided", f"{votes.too_short[0]} was too short to tell")
    if not confirmations:
        return Ruling("undecided", "nothing was tried")
    return Ruling("undecided", "it held in some trials and not in others") if contradictions else Ruling("upheld")


def _to_decide(votes: _Votes) -> str:
    if votes.obstacles:
        return ALL_VALID
    return "Longer trials can tell." if votes.too_short else "It is not the same in all trials."
