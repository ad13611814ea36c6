"""Something that is true of every trial of a condition: read off the trials themselves, refused ones included.

A trial that a check refused is just what such a claim may be about: a server that loses writes, say. So a refusal by
the checks that look at the property is a failure of it; a refusal by any other leaves the trial without a say. A note
by one of its own checks is that the trial cannot tell; if none can, nothing is known.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fairtrial.base.formatting import count
from fairtrial.experiment.claims import PropertyClaim
from fairtrial.experiment.loads import FixedLoad, Load
from fairtrial.judge.claims.evidence import Evidence
from fairtrial.judge.claims.ratio import loads
from fairtrial.judge.claims.ruling import ALL_VALID, Ruling, result, sentence
from fairtrial.judge.model import ClaimResult
from fairtrial.record.model import TrialRecord


@dataclass(frozen=True)
class Property:
    """`fails(trial, load)` says how, or None; `checks` are those whose refusal means no more than that it failed."""

    words: str
    checks: frozenset[str]
    fails: Callable[[TrialRecord, Load], str | None]


def _unanswered(trial: TrialRecord, load: Load) -> str | None:
    engine = trial.engine
    if engine is None:
        return "nothing was measured"
    # Under a load that ends at a time, requests that are young then are nobody's fault: the check `unanswered` knows.
    asked = load.requests if isinstance(load, FixedLoad) else engine.ended
    return None if engine.verified >= asked else f"{engine.verified:,} right answers to {asked:,} requests"


def _lost(trial: TrialRecord, _load: Load) -> str | None:
    if trial.audit is None:
        return "nothing was audited"
    faults = [f"{one.count:,} {one.kind}" for one in trial.audit.faults if one.kind != "unasked"]
    return ", ".join(faults) or None


PROPERTIES: Mapping[str, Property] = {
    "all-answered": Property(
        "every request had a right answer within the client's patience",
        frozenset({"errors", "unanswered", "too-few-answers", "unequal-answers"}),
        _unanswered,
    ),
    "no-write-lost": Property(
        "every acknowledged write is stored once, as it was sent", frozenset({"writes-stored"}), _lost
    ),
    "picks-uniform": Property(
        "rows are picked uniformly from all", frozenset({"picks-uniform"}), lambda _trial, _load: None
    ),
}


def judge(claim: PropertyClaim, evidence: Evidence) -> ClaimResult:
    """The verdict on a property claim: it has to hold in every trial, or to fail in every one."""
    kind = PROPERTIES[claim.property]
    condition = evidence.condition(claim.of)
    held, failed, silent = [], [], []
    telling = 0
    for trial in evidence.of(condition).values():
        outcome = evidence.outcomes[trial.index]
        own = outcome.refusing & kind.checks
        if outcome.outcome == "not run" or outcome.refusing - kind.checks or (outcome.outcome != "valid" and not own):
            silent.append(f"trial {trial.index} was {outcome.outcome} ({outcome.cause})")
        elif (how := kind.fails(trial, condition.load)) is not None or own:
            failed.append(f"trial {trial.index}: {how or ', '.join(sorted(own))}")
        else:
            held.append(f"trial {trial.index}")
            telling += not outcome.noting & kind.checks
    tried = len(held) + len(failed) + len(silent)
    if tried < evidence.blocks and not silent:
        silent.append(f"{tried} of {count(evidence.blocks, 'block')} were begun")
    if held and not telling:
        silent.append("no trial was long enough to tell")
    ruling = _ruling(claim, held, failed, silent)
    seen = f"Of {claim.of} it held in {len(held)} of {count(len(held) + len(failed), 'trial')}"
    seen += f" ({failed[0]})" if failed else ""
    seen += f"; load: {loads(evidence, claim.of)}."
    ends = {
        "upheld": "One trial in which it is otherwise would overturn it.",
        "refuted": "A repetition in which it is otherwise in every trial would overturn it.",
        "undecided": ALL_VALID if silent else "It is not the same in all trials.",
    }
    return result(
        claim,
        ruling,
        metric=None,
        subject=f"{claim.property} of {claim.of}",
        asked=kind.words if claim.holds else f"not: {kind.words}",
        words=sentence(claim, ruling, seen, ends[ruling.verdict]),
        blocks=len(held) + len(failed),
    )


def _ruling(claim: PropertyClaim, held: list[str], failed: list[str], silent: list[str]) -> Ruling:
    wanted, unwanted = (held, failed) if claim.holds else (failed, held)
    if unwanted and (claim.holds or not wanted):
        return Ruling("refuted")
    if silent:
        return Ruling("undecided", silent[0])
    if not wanted:
        return Ruling("undecided", "nothing was tried")
    return Ruling("undecided", "it held in some trials and not in others") if unwanted else Ruling("upheld")
