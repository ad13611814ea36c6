"""The judge: from a record to a result. It reads nothing but the record, and writes nothing."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from fairtrial.judge.causes import causes_of, ratios_of
from fairtrial.judge.checks import run_checks, unusual_thresholds
from fairtrial.judge.checks.drift_over_blocks import ceilings_of
from fairtrial.judge.checks.model import Finding, Severity
from fairtrial.judge.claims.evidence import Evidence, TrialOutcome
from fairtrial.judge.claims.together import judge_claims
from fairtrial.judge.curves import curves_of
from fairtrial.judge.design import design_findings
from fairtrial.judge.discarded_blocks import (
    blocks_given_up,
    counts,
    discarded_block_notes,
    discarded_blocks,
    given_up_notes,
    refused_for_machine,
)
from fairtrial.judge.limits import limit_of
from fairtrial.judge.losses import Losses
from fairtrial.judge.metrics import Metric, is_lower_bound, journey_metrics, metrics_of, request_metrics
from fairtrial.judge.model import (
    CeilingSeries,
    ClaimsStated,
    ConditionResult,
    LaneResult,
    Limit,
    Outcome,
    RequestResult,
    Result,
    TrialResult,
)
from fairtrial.judge.not_examined import unexamined_notes
from fairtrial.judge.outcome import condition_outcome, refusing_checks
from fairtrial.judge.ranking import RankAndGroups, noise_floor, rank_conditions, scatter
from fairtrial.judge.run_length import as_timed, blocks_judged, is_cut_off, is_time_over, level_of
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.lower_bounds import over_blocks_bounded
from fairtrial.judge.trials import judge_trial
from fairtrial.record.model import Condition, ExperimentRecord, TrialRecord, by_condition
from fairtrial.record.processes import StackUser

CANNOT_RUN = {"service", "requirements", "build"}
"""Stages that fail in every block alike: a condition that fails there is not tried again."""


def judge(
    record: ExperimentRecord,
    trials: Sequence[TrialRecord],
    interrupted: bool,
    *,
    claims_stated: ClaimsStated = "before",
) -> Result:
    """Findings, outcomes, figures and verdicts of an experiment.

    Args:
        trials: those that were run, in any order; fewer than planned if the run was interrupted.
        interrupted: whether the run ended before its plan was done.
        claims_stated: after: the claims are not those with which it was run.
    """
    trials = sorted(trials, key=lambda trial: trial.index)
    record = as_timed(record, trials)
    findings, of_claims = _findings(record, trials)
    results = {trial.index: judge_trial(trial, findings.get(trial.index, []), record.placement) for trial in trials}
    grouped = by_condition(trials)
    trials_of = {condition.id: grouped.get(condition.id, []) for condition in record.conditions}
    given_up = blocks_given_up(record, trials)
    discarded = discarded_blocks(record, results, given_up)
    counted = {
        condition: [trial for trial in trials_of_condition if counts(results[trial.index], discarded, given_up)]
        for condition, trials_of_condition in trials_of.items()
    }
    valid = {condition: _valid(trials_of_condition, results) for condition, trials_of_condition in counted.items()}
    complete = _blocks_complete(record, trials)
    blocks = blocks_judged(record, complete)
    level = level_of(record, complete, time_is_over=is_time_over(record, trials))
    losses = Losses.of(findings)
    ranks = rank_conditions(record.conditions, valid, level, losses)
    limits = {condition.id: limit_of(record, condition, valid[condition.id]) for condition in record.conditions}
    conditions = [
        _condition(
            condition,
            [results[trial.index] for trial in trials_of[condition.id]],
            condition_outcome([results[trial.index] for trial in counted[condition.id]]),
            valid[condition.id],
            losses,
            ranks.get(condition.id),
            limits[condition.id],
            work_proven(record, condition, trials_of[condition.id]),
            user_over(trials_of[condition.id]),
        )
        for condition in record.conditions
    ]
    experiment = record.experiment
    judged = [trial for trial in trials if trial.block <= blocks and counts(results[trial.index], discarded, given_up)]
    blocks_in_claims = blocks - sum(block <= blocks for block in discarded)
    evidence = Evidence(
        experiment,
        record.conditions,
        judged,
        _outcomes(conditions),
        interrupted,
        blocks_in_claims,
        level,
        findings=of_claims,
        overall=findings[None],
        unproven=frozenset(condition.id for condition in conditions if condition.work_proven is False),
        losses=losses,
        limits=limits,
        earlier_runs=record.earlier_runs,
        beside_database=frozenset(trial.condition for trial in judged if record.shares_processors(trial)),
    )
    return Result(
        fairtrial_version=record.fairtrial_version,
        name=experiment.name,
        title=experiment.title,
        summary=experiment.summary,
        started_at=record.started_at,
        interrupted=interrupted,
        seed=experiment.seed,
        blocks_planned=blocks,
        blocks_complete=complete,
        blocks_left_out=list(discarded),
        level=level,
        looks=list(record.looks),
        host=record.host,
        placement=record.placement,
        own_network=record.own_network,
        lanes=[
            LaneResult(
                number=lane.number,
                hosts=lane.hosts,
                placement=lane.placement,
                blocks=sorted({trial.block for trial in trials if trial.lane == lane.number}),
            )
            for lane in record.lanes
        ],
        idle=record.idle,
        services=record.services,
        dataset=record.dataset,
        datasets=record.datasets,
        stacks=record.stacks,
        calibrations=record.calibrations,
        ceilings=[
            CeilingSeries(conditions=list(conditions), per_second=series)
            for conditions, series in ceilings_of(trials).items()
        ],
        conditions=conditions,
        curves=curves_of(experiment, conditions, valid, losses),
        noise_floor=noise_floor(record.conditions, valid, level, losses),
        causes=causes_of(evidence),
        claims_stated=claims_stated,
        claims_judged=experiment.claims_judged,
        claims=judge_claims(experiment.claims, evidence, experiment.claims_judged),
        findings=[
            *findings[None],
            *discarded_block_notes(discarded),
            *(given_up_notes(record, trials) if discarded else []),
        ],
    )


def spoiled_blocks(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> list[int]:
    """Numbers of the blocks in which the machine spoiled a trial, or that were given up in slices, ascending.

    No claim is looked at, and no figure.
    """
    findings, _ = _findings(record, trials)
    results = {trial.index: judge_trial(trial, findings.get(trial.index, []), record.placement) for trial in trials}
    spoiled = {trial.block for trial in results.values() if refused_for_machine(trial)}
    return sorted(spoiled.union(blocks_given_up(record, trials)))


def judge_record(
    record: ExperimentRecord, trials: Sequence[TrialRecord], *, claims_stated: ClaimsStated = "before"
) -> Result:
    """As `judge`, for a record that was read back: whether the run was interrupted follows from the record too."""
    stages = {trial.failure.stage for trial in trials if trial.failure is not None}
    interrupted = is_cut_off(as_timed(record, trials), _blocks_complete(record, trials), len(trials), stages)
    return judge(record, trials, interrupted, claims_stated=claims_stated)


def _findings(
    record: ExperimentRecord, trials: Sequence[TrialRecord]
) -> tuple[Mapping[int | None, list[Finding]], Mapping[str, list[Finding]]]:
    """By trial index, those about the experiment under None; and by claim, those of `[why]` among them. The gravest
    come first."""
    claims = [*record.experiment.claims, *ratios_of(record.experiment)]
    record = record.model_copy(update={"experiment": record.experiment.model_copy(update={"claims": claims})})
    findings: dict[int | None, list[Finding]] = defaultdict(list)
    of_claims: dict[str, list[Finding]] = defaultdict(list)
    for check, unusual in unusual_thresholds(record.experiment.checks):
        remedy = "compare with results under the default only"
        findings[None].append(Finding(check=check.name, severity="note", evidence=unusual, remedy=remedy))
    given_up = blocks_given_up(record, trials)
    counted = [trial for trial in trials if trial.block not in given_up]
    in_vain = [trial for trial in trials if trial.block in given_up]
    findings[None].extend(unexamined_notes(record, counted))
    of_given_up = [finding for finding in run_checks(record, in_vain) if finding.trial is not None] if in_vain else []
    of_design = design_findings(record) if any(each.failure is None for each in trials) else []  # of figures alone
    for finding in (*of_design, *run_checks(record, counted), *of_given_up):
        (findings[finding.trial] if finding.claim is None else of_claims[finding.claim]).append(finding)
    gravity = {"refusal": 0, "warning": 1, "note": 2}
    for of_one in (*findings.values(), *of_claims.values()):
        of_one.sort(key=lambda finding: gravity[finding.severity])
    return findings, of_claims


def _valid(trials: Sequence[TrialRecord], results: Mapping[int, TrialResult]) -> list[TrialRecord]:
    """The trials that a condition's figures rest on: none if it is refused."""
    trial_results = [results[trial.index] for trial in trials]
    if condition_outcome(trial_results)[0] != "valid":
        return []
    return [trial for trial, result in zip(trials, trial_results, strict=True) if result.outcome == "valid"]


def _condition(
    condition: Condition,
    results: Sequence[TrialResult],
    outcome_and_reason: tuple[Outcome, str | None],
    valid: Sequence[TrialRecord],
    losses: Losses,
    ranks: RankAndGroups | None,
    limit: Limit | None,
    proven: bool | None,
    user: StackUser | None,
) -> ConditionResult:
    outcome, reason = outcome_and_reason
    rank, groups = ranks if ranks is not None else (None, "")
    return ConditionResult(
        id=condition.id,
        contender=condition.contender,
        stack=condition.stack,
        variant=condition.variant,
        workload=condition.workload,
        service=condition.service,
        stack_class=condition.stack_class,
        load=condition.load,
        distances=condition.distances,
        at=condition.at,
        outcome=outcome,
        reason=reason,
        work_proven=proven,
        user=user,
        rank=rank,
        limit=limit,
        tie_groups=groups,
        scatter=scatter(valid, losses),
        figures={
            metric.key: _figure(metric, valid, losses) if outcome == "valid" and metric.fits(condition.load) else None
            for metric in metrics_of(condition.load)
        },
        requests=_requests(valid, losses),
        journeys=_journeys(valid, losses),
        trials=list(results),
    )


def _requests(valid: Sequence[TrialRecord], losses: Losses) -> list[RequestResult]:
    """Figures of each request, if there are several and their times were kept apart."""
    mixes = [trial.engine.mix for trial in valid if trial.engine is not None and len(trial.engine.mix) > 1]
    names = dict.fromkeys(share.name for mix in mixes for share in mix if share.response_time is not None)
    return [_result_of(name, request_metrics(name), valid, losses) for name in names]


def _journeys(valid: Sequence[TrialRecord], losses: Losses) -> list[RequestResult]:
    """Figures of each kind of journey."""
    names = dict.fromkeys(each.name for trial in valid if trial.engine is not None for each in trial.engine.journeys)
    return [_result_of(name, journey_metrics(name), valid, losses) for name in names]


def _result_of(name: str, metrics: Sequence[Metric], valid: Sequence[TrialRecord], losses: Losses) -> RequestResult:
    return RequestResult(name=name, figures={metric.key: _figure(metric, valid, losses) for metric in metrics})


def _figure(metric: Metric, valid: Sequence[TrialRecord], losses: Losses) -> Estimate | None:
    read = losses.readings(metric, valid)
    if not read:
        return None
    are_bounds = [is_lower_bound(metric, trial, value) for trial, value in read]
    return over_blocks_bounded([value for _, value in read], are_bounds)


def _outcomes(conditions: Sequence[ConditionResult]) -> dict[int, TrialOutcome]:
    """By trial index. The cause of a refusal are the names of the checks behind it; else a reason's first line, without
    the end of a log."""
    return {
        trial.index: TrialOutcome(
            trial.outcome,
            refusing_checks(trial) or (trial.reason and trial.reason.partition("\n")[0].removesuffix(":")),
            frozenset(finding.check for finding in trial.findings if finding.refuses_trial),
            _checks(trial, "warning") | frozenset(finding.check for finding in trial.findings if finding.metrics),
            _checks(trial, "note"),
            frozenset(finding.check for finding in trial.findings if not finding.examined),
        )
        for condition in conditions
        for trial in condition.trials
    }


def _checks(trial: TrialResult, severity: Severity) -> frozenset[str]:
    return frozenset(finding.check for finding in trial.findings if finding.severity == severity)


def _blocks_complete(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> int:
    """Blocks in which every condition was tried to its end, apart from those that cannot run at all."""
    cannot = {trial.condition for trial in trials if trial.failure is not None and trial.failure.stage in CANNOT_RUN}
    conditions_of_blocks: dict[int, set[str]] = defaultdict(set)
    for trial in trials:
        ended_early = trial.engine is not None and trial.engine.interrupted
        if not ended_early and (trial.failure is None or trial.failure.stage != "interrupted"):
            conditions_of_blocks[trial.block].add(trial.condition)
    planned = {condition.id for condition in record.conditions}
    return sum(1 for conditions in conditions_of_blocks.values() if planned <= conditions | cannot)


def user_over(trials: Sequence[TrialRecord]) -> StackUser | None:
    """A user of its own if it was one in every trial, and held to its processors if it was in every trial.

    None: no trial says so, since no stack was started, or the record is older.
    """
    users = [trial.user for trial in trials if trial.user is not None]
    if not users:
        return None
    others = [user for user in users if not user.own]
    return others[0] if others else StackUser(own=True, held_to_cpus=all(user.held_to_cpus for user in users))


WITHOUT_DATABASE = ("calls", "tasks", "steps", "computations", "background_commits")
"""Kinds of work that a condition on service `none` can imply all the same."""


def work_proven(record: ExperimentRecord, condition: Condition, trials: Sequence[TrialRecord]) -> bool | None:
    """True if at least one kind of the implied work was counted in each measured trial of the condition.

    Whether it was counted in full is decided by the check `ledger`. None: no work is implied, or nothing was measured.
    """
    work = record.implied_work.get(condition.id)
    measured = [trial for trial in trials if trial.engine is not None or trial.program is not None]
    if work is None or not measured:
        return None
    implied = set(work.least_per_answer)
    if condition.service == "none":
        implied.intersection_update(WITHOUT_DATABASE)
    if not implied:
        return None
    return all(trial.ledger is not None and bool(implied & trial.ledger.done.keys()) for trial in measured)
