"""Findings, and reasons why trials have no figures: each one once, with the numbers of its trials."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fairtrial.judge.checks import all_checks
from fairtrial.judge.checks.check import Check
from fairtrial.judge.checks.model import Finding, Severity
from fairtrial.judge.model import Outcome, Result
from fairtrial.report.columns import in_order

ORDER: Mapping[Severity, int] = {"refusal": 0, "warning": 1, "note": 2}
"""The gravest first."""


@dataclass(frozen=True)
class FindingGroup:
    """Findings of one check with the same severity and remedy, about one contender or one claim (neither: about the
    experiment). Checks that say the same, word for word, are named together in `check`."""

    severity: Severity
    check: str
    contender: str | None
    evidence: str
    remedy: str
    trials: Sequence[int]
    claim: str | None = None

    @property
    def where(self) -> str:
        """`node-http, trials 3 and 8`, `claim twice-as-fast`, or `the experiment`."""
        if self.claim is not None:
            return f"claim {self.claim}"
        if self.contender is None:
            return "the experiment"
        return f"{self.contender}, {numbered(self.trials)}"


@dataclass(frozen=True)
class Obstacle:
    """A reason why trials of one contender have no figures, where no finding gives it."""

    outcome: Outcome
    contender: str
    reason: str
    remedy: str
    trials: Sequence[int]


def grouped_findings(result: Result) -> list[FindingGroup]:
    """All findings in groups, the most severe first. A group's evidence is that of its first trial.

    Several checks may have no means to examine the same contender, for one reason: it is given once.
    """
    groups: dict[tuple[str, str, str | None, str], tuple[Finding, list[int]]] = {}
    for finding in [*result.findings, *(finding for claim in result.claims for finding in claim.findings)]:
        groups[finding.severity, finding.check, None, f"{finding.remedy}{finding.evidence}{finding.claim}"] = (
            finding,
            [],
        )
    for condition in in_order(result.conditions):
        for trial in condition.trials:
            for finding in trial.findings:
                key = finding.severity, finding.check, condition.contender, finding.remedy
                indices = groups.setdefault(key, (finding, []))[1]
                if trial.index not in indices:
                    indices.append(trial.index)
    checks: dict[FindingGroup, list[str]] = {}
    for (_, check, contender, _), (finding, trials) in groups.items():
        same = FindingGroup(
            finding.severity, "", contender, finding.evidence, finding.remedy, tuple(trials), finding.claim
        )
        checks.setdefault(same, []).append(check)
    return sorted(
        (replace(same, check=", ".join(names)) for same, names in checks.items()),
        key=lambda group: ORDER[group.severity],
    )


def checks_of(groups: Iterable[FindingGroup]) -> dict[str, Check]:
    """The checks that found these, by name."""
    names = {name for group in groups for name in group.check.split(", ")}
    return {name: check for name, check in all_checks().items() if name in names}


def obstacles(result: Result) -> list[Obstacle]:
    """Reasons of trials that were not run, or that were refused by something other than a check."""
    trials_by_reason: dict[tuple[Outcome, str, str, str], list[int]] = {}
    for condition in in_order(result.conditions):
        if not condition.trials:
            key: tuple[Outcome, str, str, str] = "not run", condition.contender, condition.reason or "", ""
            trials_by_reason.setdefault(key, [])
        for trial in condition.trials:
            refused_by_check = any(finding.refuses_trial for finding in trial.findings)
            if trial.outcome == "not run" or (trial.outcome == "refused" and not refused_by_check):
                key = trial.outcome, condition.contender, trial.reason or "", trial.remedy or ""
                trials_by_reason.setdefault(key, []).append(trial.index)
    return [Obstacle(*key, trials) for key, trials in trials_by_reason.items()]


def numbered(indices: Iterable[int]) -> str:
    """`trial 3`, `trials 3 and 8`, `trials 1, 2, 3, 4, 5 and 9 more`."""
    numbers = [str(index) for index in indices]
    if len(numbers) == 1:
        return f"trial {numbers[0]}"
    if len(numbers) > 6:
        return f"trials {', '.join(numbers[:5])} and {len(numbers) - 5} more"
    return f"trials {', '.join(numbers[:-1])} and {numbers[-1]}" if numbers else "no trial"
