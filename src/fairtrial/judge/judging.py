"""The judge: a record goes in, a result comes out, and nothing else is read or written."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from fairtrial.checks import run_checks, unusual_thresholds
from fairtrial.claims import judge_claim
from fairtrial.claims.evidence import Evidence
from fairtrial.judge.metrics import METRICS, Metric
from fairtrial.judge.model import ConditionResult, Estimate, Finding, Outcome, Result
from fairtrial.judge.outcome import condition_outcome, refusing_checks
from fairtrial.judge.trials import judge_trial
from fairtrial.printable import printable
from fairtrial.record.model import Condition, ExperimentRecord, TrialRecord
from fairtrial.statistics.estimate import over_blocks
from fairtrial.statistics.seeding import generator

CANNOT_RUN = {"service", "requirements", "build"}
"""Stages that fail in every block alike: a condition that failed there need not be tried again."""


def judge(record: ExperimentRecord, trials: Sequence[TrialRecord], interrupted: bool) -> Result:
    """Findings, outcomes, figures and verdicts of an experiment.

    Args:
        trials: those that were tried, in any order; fewer than planned if the run was interrupted.
        interrupted: whether the run was ended before its plan was done.
    """
    trials = sorted(trials, key=lambda trial: trial.index)
    findings = _findings(record, trials)
    conditions = [
        _condition(record, condition, [trial for trial in trials if trial.condition == condition.id], findings)
        for condition in record.conditions
    ]
    evidence = Evidence(record.experiment, record.conditions, trials, _outcomes(conditions), interrupted)
    experiment = record.experiment
    return Result(
        fairtrial_version=record.fairtrial_version,
        name=experiment.name,
        title=experiment.title,
        summary=experiment.summary,
        started_at=record.started_at,
        interrupted=interrupted,
        seed=experiment.seed,
        blocks_planned=len(record.order),
        blocks_complete=_blocks_complete(record, trials),
        host=record.host,
        placement=record.placement,
        services=record.services,
        dataset=record.dataset,
        stacks=record.stacks,
        calibrations=record.calibrations,
        conditions=conditions,
        claims=[judge_claim(claim, evidence) for claim in experiment.claims],
        findings=findings[None],
    )


def _findings(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Mapping[int | None, list[Finding]]:
    """By trial index; those about the experiment under None. The gravest come first."""
    found: dict[int | None, list[Finding]] = defaultdict(list)
    for check, words in unusual_thresholds(record.experiment.checks):
        found[None].append(
            Finding(
                check=check.name,
                severity="note",
                evidence=words,
                remedy="compare with results under the default only",
            )
        )
    for check, finding in run_checks(record, trials):
        found[finding.trial].append(
            Finding(
                check=check.name,
                severity=finding.severity,
                evidence=printable(finding.evidence),
                remedy=printable(finding.remedy),
            )
        )
    gravity = {"refusal": 0, "warning": 1, "note": 2}
    for some in found.values():
        some.sort(key=lambda finding: gravity[finding.severity])
    return found


def _condition(
    record: ExperimentRecord,
    condition: Condition,
    trials: Sequence[TrialRecord],
    findings: Mapping[int | None, list[Finding]],
) -> ConditionResult:
    results = [judge_trial(trial, findings.get(trial.index, [])) for trial in trials]
    outcome, reason = condition_outcome(results)
    valid = [trial for trial, result in zip(trials, results, strict=True) if result.outcome == "valid"]
    return ConditionResult(
        id=condition.id,
        contender=condition.contender,
        stack=condition.stack,
        variant=condition.variant,
        workload=condition.workload,
        service=condition.service,
        load=condition.load,
        outcome=outcome,
        reason=reason,
        figures={
            metric.key: _figure(metric, valid, record.experiment.seed, condition.id) if outcome == "valid" else None
            for metric in METRICS.values()
        },
        trials=results,
    )


def _figure(metric: Metric, valid: Sequence[TrialRecord], seed: int, condition: str) -> Estimate | None:
    values = [value for trial in valid if (value := metric.read(trial)) is not None]
    if len(values) < len(valid):
        return None  # a mean over the trials whose sample happened to be large enough would be a selection
    estimated = over_blocks(values, generator(seed, condition, metric.name))
    return Estimate(estimate=estimated.estimate, interval=estimated.interval, blocks=estimated.blocks)


def _outcomes(conditions: Sequence[ConditionResult]) -> dict[int, tuple[Outcome, str | None]]:
    """By trial index, with the cause in a few words: for a refusal, the checks behind it."""
    return {
        trial.index: (trial.outcome, refusing_checks(trial) or trial.reason)
        for condition in conditions
        for trial in condition.trials
    }


def _blocks_complete(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> int:
    """Blocks in which every condition was tried to its end, those that cannot run at all left aside."""
    cannot = {trial.condition for trial in trials if trial.failure is not None and trial.failure.stage in CANNOT_RUN}
    tried: dict[int, set[str]] = defaultdict(set)
    for trial in trials:
        ended_early = trial.engine is not None and trial.engine.interrupted
        if not ended_early and (trial.failure is None or trial.failure.stage != "interrupted"):
            tried[trial.block].add(trial.condition)
    planned = {condition.id for condition in record.conditions}
    return sum(1 for conditions in tried.values() if planned <= conditions | cannot)
