"""The contenders of an experiment, each started once as for a trial, and asked what its contract asks, without a load.

What a trial does is done by what does it in trials: state, start, setup requests, contract. With a `reference`, answers
are then compared as they are before a first trial.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fairtrial.base.exit_status import IN_DOUBT
from fairtrial.base.formatting import count, on_service
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.timed_step import timed_step
from fairtrial.catalog.workloads.model import ServerWorkload
from fairtrial.engine.binary import engine_version
from fairtrial.judge.checks.answers import what_differs
from fairtrial.lab.compare_answers import compared_with_reference
from fairtrial.lab.conduct import building
from fairtrial.lab.placement import planned_placement
from fairtrial.lab.preparation import StepTimes
from fairtrial.lab.private_network import network_of
from fairtrial.lab.trial.context import TrialContext
from fairtrial.lab.trial.environment import trial_environment
from fairtrial.lab.trial.events import Event, Preparing
from fairtrial.lab.trial.flow import Workbench, check_contract, new_record
from fairtrial.plan.plan import Plan, PlannedCondition, PlannedTrial
from fairtrial.record.comparison import EqualAnswers
from fairtrial.record.model import Clause
from fairtrial.tools.check.attempt import ContractAttempt
from fairtrial.tools.check.output import print_clause, print_verdicts

MOST_SECONDS = 120.0
"""Once so long has passed, no further value of a sweep is tried: at its first one, each contender is in any case."""

DECIDING = {"requests", "options", "dataset", "env", "services", "instances", "balancer", "concurrency_budget"}
"""The keys of an experiment on which a contract may depend; of a load, it is the protocol alone."""


def check_plan(console: Console, plan: Plan) -> int:
    """Try each contender of the plan at each value of its sweep that may decide whether it keeps its contract, print
    every clause, and return the exit status.

    Raises:
        Problem: the engine cannot be built, a contender could not be built or started (then the others were tried), or
            the reference cannot be compared with.
    """

    def watcher(event: Event) -> None:
        if isinstance(event, Preparing):
            console.print(Text(event.what, style="dim"))

    plan = _once_each(plan)
    names = ", ".join(stack.build_name(built_apart) for stack, built_apart in plan.builds)
    with (
        tempfile.TemporaryDirectory(prefix="fairtrial-check-") as folder,
        building(plan, Path(folder) / "logs", StepTimes(lambda _text: None)) as preparation,
    ):
        with timed_step(console, f"preparing the load engine and {names} (built once)"):
            engine_version()
            ready = preparation.ready_stacks()
        with (
            network_of(plan, plan.stacks),
            trial_environment(plan, planned_placement(plan.experiment)) as services,
        ):
            workbench = Workbench(ready, services, Path(folder), watcher)
            attempts, until = [], time.monotonic() + MOST_SECONDS
            for number, condition in enumerate(plan.conditions, 1):
                if condition.point is not plan.points[0] and time.monotonic() >= until:
                    break
                attempts.append(_try_condition(console, plan, condition, number, workbench))
            with_attempt = replace(plan, conditions=plan.conditions[: len(attempts)])
            differs = _compare(console, with_attempt, attempts, workbench)
    if rest := plan.conditions[len(attempts) :]:
        labels = ", ".join(printable(each.label) for each in rest)
        console.print(Text(f"not tried, as {MOST_SECONDS:.0f} s had passed: {labels}", style="yellow"))
    status = print_verdicts(console, attempts)
    if differs is not None:
        raise Problem(differs.reason, differs.remedy, IN_DOUBT)
    return status


def _once_each(plan: Plan) -> Plan:
    """The plan with each contender on each of its services once with all that may decide, and one build of each. All
    are tried at the first value of a sweep before any is at the next."""
    first: dict[tuple[str, ...], PlannedCondition] = {}
    for each in sorted(plan.conditions, key=lambda each: plan.points.index(each.point)):
        decides = each.point.experiment.model_dump_json(include=DECIDING), each.load.protocol
        first.setdefault((each.recorded.stack, each.recorded.variant, each.recorded.service, *decides), each)
    experiment = plan.experiment.model_copy(update={"builds": 1})
    return replace(plan, experiment=experiment, conditions=list(first.values()))


def _try_condition(
    console: Console, plan: Plan, condition: PlannedCondition, number: int, workbench: Workbench
) -> ContractAttempt:
    """One contender, started from the state in which trials begin."""
    attempt = ContractAttempt(condition.label, condition.label)
    trial = PlannedTrial(number, 1, condition)
    looked_at = _looked_at(plan)

    def begins(_context: TrialContext) -> None:
        starting.close()
        where = f"{condition.label}, workload {on_service(plan.workload.name, condition.service.name)}"
        console.print(Text(where, style="bold"))

    with attempt.noting_problems(), ExitStack() as starting:
        starting.enter_context(timed_step(console, f"starting {condition.label}"))
        context = workbench.context(trial, new_record(trial))
        try:
            for clause in check_contract([context], begins):
                print_clause(console, clause, looked_at.get((clause.name, clause.requirement), ""))
                attempt.clauses.append(clause)
        finally:
            changed = plan.workload.writes or bool(context.service.altered())
            context.environment.after_trial(condition, changed=changed)
    return attempt


def _looked_at(plan: Plan) -> Mapping[tuple[str, str], str]:
    """By name and requirement of a clause, what its answer is held against, where the requirement does not say it."""
    clauses = plan.workload.clauses if isinstance(plan.workload, ServerWorkload) else ()
    return {(clause.name, clause.requirement): clause.expected for clause in clauses}


def _compare(console: Console, plan: Plan, attempts: Sequence[ContractAttempt], workbench: Workbench) -> Problem | None:
    """Compare the answers of those that keep their contract; return what makes the reference useless, if anything."""
    reference = plan.experiment.reference
    holding = {
        condition.recorded.id: attempt
        for condition, attempt in zip(plan.conditions, attempts, strict=True)
        if attempt.holds
    }
    if reference is None:
        return None
    conditions = [each for each in plan.conditions if each.recorded.id in holding]
    sought = (reference.name, reference.variant, plan.experiment.service_of(reference))
    if sought not in [(each.recorded.stack, each.recorded.variant, each.recorded.service) for each in conditions]:
        console.print(Text(f"no answers are compared: {reference}, the reference, does not keep its contract"))
        return None

    try:
        compared = compared_with_reference(replace(plan, conditions=conditions), workbench, for_a_load=False)
        with compared as record:
            assert record is not None
            for condition, answers in record.conditions.items():
                clause = _answers_clause(record.contender, answers)
                holding[condition].clauses.append(clause)
                console.print(Text(holding[condition].contender, style="bold"))
                print_clause(console, clause, ", ".join(_counted(answers)))
    except Problem as problem:
        return problem
    return None


def _answers_clause(reference: str, answers: EqualAnswers) -> Clause:
    evidence = answers.not_compared
    if answers.unequal:
        evidence = what_differs(answers, "of these")
    elif not evidence and not answers.requests:
        evidence = "nothing was compared"
    requirement = f"asked the same, it answers as {reference} does"
    return Clause(name="answers", requirement=requirement, passed=not evidence, evidence=printable(evidence, 500))


def _counted(answers: EqualAnswers) -> Iterator[str]:
    for name, each in answers.requests.items():
        yield f"{count(each.compared, 'answer')} to {name}"
