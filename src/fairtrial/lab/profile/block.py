"""The extra block: conditions under profilers, each once, after all trials. It is in no figure and no claim."""

from collections.abc import Sequence
from dataclasses import replace

from fairtrial.base.problem import Problem
from fairtrial.lab.profile.condition import planned_profile_seconds, profile_condition
from fairtrial.lab.trial.events import Step, unwatched
from fairtrial.lab.trial.flow import Workbench, timestamp
from fairtrial.plan.plan import Plan, PlannedCondition, PlannedTrial
from fairtrial.record.model import Failure, TrialRecord
from fairtrial.record.profile import PROFILES_FILE, Profile
from fairtrial.record.write import RecordWriter


def assert_profilable(plan: Plan) -> None:
    """Refuse an experiment of which nothing can be profiled.

    Raises:
        Problem: its contenders are programs, which end with their job.
    """
    if plan.workload.kind == "program":
        raise Problem(
            f"--profile: the contenders of {plan.workload.name} are programs that end with their job; only servers are "
            "profiled",
            "leave --profile out",
        )


def profile_block(plan: Plan, workbench: Workbench, trials: Sequence[TrialRecord]) -> None:
    """Profile every condition, or those that a `[why]` is about, and write a line for each into `profiles.jsonl`.

    Nothing that goes wrong here costs the run anything: it is told, and is in the lines that could be written.
    KeyboardInterrupt ends the block.

    Args:
        trials: those of the run.
    """
    index, block = plan_end(plan)
    watcher, unwatched_bench = workbench.watcher, replace(workbench, watcher=unwatched)
    conditions = _once_each(plan)
    try:
        with RecordWriter(workbench.results, PROFILES_FILE) as writer:
            for place, condition in enumerate(conditions, 1):
                watcher(Step(f"profiling {condition.label}, uncounted: {place} of {len(conditions)}"))
                trial = PlannedTrial(index + place, block + 1, condition)
                try:
                    profile = profile_condition(trial, unwatched_bench, trials)
                except KeyboardInterrupt:
                    writer.append(_interrupted(trial))
                    return
                writer.append(profile)
    except Problem as problem:
        watcher(Step(f"not profiled: {problem}"))


def planned_block_seconds(plan: Plan) -> float:
    """How long the block takes, as far as the plan tells."""
    return sum(planned_profile_seconds(each.load.single_run()) for each in _once_each(plan))


def _once_each(plan: Plan) -> Sequence[PlannedCondition]:
    return [each for each in profiled_conditions(plan) if not each.recorded.again]


def profiled_conditions(plan: Plan) -> Sequence[PlannedCondition]:
    """All conditions; of a `[why]` those that differ by one factor, as two together tell nothing of either."""
    why = plan.experiment.why
    if why is None:
        return plan.conditions
    names = set(map(str, why.profiled))
    return [condition for condition in plan.conditions if condition.label in names]


def plan_end(plan: Plan) -> tuple[int, int]:
    """The numbers of the last trial and the last block that there may be."""
    return sum(map(len, plan.blocks)), len(plan.blocks)


def _interrupted(trial: PlannedTrial) -> Profile:
    return Profile(
        condition=trial.condition.recorded.id,
        contender=trial.condition.label,
        started_at=timestamp(),
        load=trial.condition.load.describe(),
        failure=Failure(stage="interrupted", reason="interrupted by the user", remedy="run it again"),
    )
