"""The design of an experiment, examined by arithmetic. A kind of flaw is a function with `@flaw_kind` in `kinds/`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from fairtrial.base.printable import printable
from fairtrial.base.registry import instances_in
from fairtrial.judge.checks.model import Finding, Severity
from fairtrial.judge.design import kinds
from fairtrial.judge.design.model import Design, DesignSeverity, Flaw, FlawKind, design_of_record
from fairtrial.record.model import ExperimentRecord

__all__ = ["design_findings", "design_kinds", "flaws_of", "is_in_sentence"]

GRAVITY: Mapping[DesignSeverity, int] = {"stop": 0, "refusal": 1, "warning": 2, "note": 3}

JUDGED_AS: Mapping[DesignSeverity, Severity] = {
    "stop": "warning",
    "refusal": "refusal",
    "warning": "warning",
    "note": "note",
}
"""A flaw's severity in a result. Who went on in spite of a stop has the verdict, with what is known of it."""


@cache
def design_kinds() -> Mapping[str, FlawKind]:
    """Every kind by name, in the order of their names."""
    return instances_in(kinds.__name__, kinds.__path__, FlawKind)


def flaws_of(design: Design) -> list[Flaw]:
    """Every flaw of every kind, the gravest first."""
    flaws = [replace(flaw, kind=kind.name) for kind in design_kinds().values() for flaw in kind.examine(design)]
    return sorted(flaws, key=lambda flaw: GRAVITY[flaw.severity])


def design_findings(record: ExperimentRecord) -> Iterator[Finding]:
    """The flaws of what was tried, as findings about the experiment and about claims.

    What is only a note and what the trials show better is left to the checks of these.
    """
    for flaw in flaws_of(design_of_record(record)):
        if flaw.severity == "note" and not design_kinds()[flaw.kind].in_sentence:
            continue
        yield Finding(
            check=flaw.kind,
            severity=JUDGED_AS[flaw.severity],
            evidence=printable(flaw.evidence),
            remedy=printable(flaw.remedy),
            claim=flaw.claim,
            contenders=list(flaw.contenders),
            key=flaw.key,
        )


def is_in_sentence(finding: Finding) -> bool:
    """Whether the sentence of a claim says a finding about it, because a verdict by itself would mislead.

    What withholds a verdict is its reason already.
    """
    kind = design_kinds().get(finding.check)
    return kind is not None and kind.in_sentence and finding.severity != "refusal"
