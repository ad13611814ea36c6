"""Before the first trial: what the reference answers is kept, and what all contenders answer is compared with it."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.workloads.model import Comparable
from fairtrial.engine.plan import EnginePlan, Request
from fairtrial.engine.reference import KeepAnswers
from fairtrial.engine.run import StopEarly, run_engine
from fairtrial.experiment.workload_file.secrets import Secrets
from fairtrial.lab.equality.answer import Instance, KeptAnswer, read_answers
from fairtrial.lab.equality.difference import Renaming, difference
from fairtrial.lab.equality.proposal import Proposal, proposal
from fairtrial.lab.equality.under_load import MOST_DIFFERENCES, ReferenceAnswers, described
from fairtrial.lab.placement import bound_to
from fairtrial.lab.trial.events import Preparing, unwatched
from fairtrial.lab.trial.flow import Workbench, file_name, keep_log, new_record
from fairtrial.lab.trial.up import UpContender, up
from fairtrial.load.engine_terms import Closed, StopAfterRequests
from fairtrial.plan.plan import Plan, PlannedCondition, PlannedTrial
from fairtrial.record.comparison import ComparedAnswers, Difference, EqualAnswers, ReferenceRecord

IN_TURN = 500
"""Answers to each request that are compared before the first trial. Of fields that are there in 2% of all answers and
vary, 20 pairs of answers miss one in 120 of 3,000 simulated references, and 100 pairs one: five times as many are for
rarer ones."""

INSTANCES = 4096
"""Of each request that does not change state; the load draws from them."""

INSTANCES_OF_FIXED = 16
"""The same, where every request is always the same."""

CONNECTIONS = 8
LONGEST_SECONDS = 30.0
"""For each round of questions. What has not been answered by then is not compared."""

SEED_BITS = 62
SEED_STEP = 1_000_003
"""The load's instances are others than those that contenders have seen before."""

MOST_EXAMPLES = 8


@dataclass(frozen=True)
class _Round:
    """The settings that all rounds of questions share."""

    plan: Plan
    workbench: Workbench
    folder: Path
    key: str
    comparable: Comparable
    secrets: list[Mapping[str, str]]
    """what nobody may see: of the environment, and all that setup requests were answered with so far"""
    seed: int = field(default_factory=lambda: secrets.randbits(SEED_BITS), repr=False)
    """by which instances are drawn; no contender knows beforehand which ones are compared"""

    def collect_answers(
        self, condition: PlannedCondition, name: str, requests: Sequence[Request], how: "_Questions"
    ) -> tuple[Path, dict[str, int]]:
        """Start a contender from the state in which trials begin, ask it, and keep what it answers.

        Returns the file of its answers, and how many requests of each name came to an end.

        Raises:
            Problem: it was not built, the state cannot be brought back, it cannot be started, or fails a setup request.
        """
        file = self.folder / f"{name}.jsonl"
        trial = PlannedTrial(0, 0, condition)
        context = self.workbench.context(trial, new_record(trial))
        log = context.log.with_name(f"answers-{name}-{file_name(condition.label)}.log")
        context = replace(context, log=log, watcher=unwatched)
        try:
            with bound_to(context.lab_cpus), up(context) as contender:
                comparable, sent_secrets = self._set_up(contender)
                names = {request.name for request in requests}
                plan = EnginePlan(
                    address=contender.deployment.address,
                    other_addresses=contender.deployment.other_addresses,
                    host=contender.deployment.host,
                    tls=contender.deployment.tls,
                    requests=[each for each in comparable.requests if each.name in names],
                    rows=dict(comparable.rows),
                    secrets=dict(sent_secrets),
                    load=Closed(connections=how.connections),
                    stop=StopAfterRequests(requests=how.instances * len(requests)),
                    cpus=context.placement.load_cpus,
                    seed=how.seed,
                    reference=KeepAnswers(file=str(file), key=self.key, normalisation=self.comparable.normalisation),
                )
                summary = run_engine(plan, _until_it_takes_too_long)
        finally:
            keep_log(context, self.workbench.results)
            context.environment.after_trial(condition, changed=True)
        shares = {each.name: summary.share_of(each.name) for each in requests}
        return file, {name: share.answers + (share.failures or 0) for name, share in shares.items() if share}

    def _set_up(self, contender: UpContender) -> tuple[Comparable, Mapping[str, str]]:
        """The requests, and the secrets in them, with what the setup requests were answered.

        Raises:
            Problem: an answer is not as expected.
        """
        for clause in contender.set_up():
            if not clause.passed:
                raise Problem(
                    f"{clause.requirement}: {clause.evidence}", clause.remedy or "see [setup] in docs/workload-file.md"
                )
        workload = contender.context.server_workload
        assert workload.comparable is not None
        self.secrets.append(workload.secrets)
        return workload.comparable, workload.secrets

    def in_turn(self, condition: PlannedCondition, name: str) -> "_InTurn":
        """The answers to the same instances of all requests, one after the other on one connection."""
        instances = min(IN_TURN, self.comparable.most_in_turn or IN_TURN)
        how = _Questions(instances, connections=1, seed=self.seed)
        file, ended = self.collect_answers(condition, name, self.comparable.requests, how)
        answers = read_answers(file)
        file.unlink()
        return _InTurn(answers, ended)


@dataclass(frozen=True)
class _Questions:
    """How often each request is put, over how many connections, and the seed of what differs between them."""

    instances: int
    connections: int
    seed: int


@dataclass(frozen=True)
class _InTurn:
    """A contender's answers before the first trial."""

    answers: Mapping[Instance, KeptAnswer]
    ended: Mapping[str, int]
    """by request, how many instances of it ended, with an answer or without"""


@contextmanager
def compared_with_reference(
    plan: Plan, workbench: Workbench, *, for_a_load: bool = True
) -> Iterator[ReferenceRecord | None]:
    """Compare all contenders with the plan's reference, and hand its answers to the trials. None without a reference.

    The reference is started twice from the same state and asked the same. What differs between the two answers must be
    declared in the workload file.

    Args:
        for_a_load: whether trials follow, and need the reference's answers.

    Raises:
        Problem: the reference cannot be started, or differs from itself in what is not declared.
    """
    workload, comparable = plan.workload, plan.workload.comparable
    if plan.experiment.reference is None or comparable is None:
        yield None
        return
    with run_folder("answers") as folder:
        asking = _Round(plan, workbench, folder, secrets.token_hex(16), comparable, [workload.secrets])
        reference = _reference(plan)
        workbench.watcher(Preparing(f"the answers of {reference.label}, twice"))
        try:
            first = asking.in_turn(reference, "first")
            second = asking.in_turn(reference, "second")
            _assert_declared(asking, reference, first.answers, second.answers)
            if for_a_load:
                workbench.services.reference = _for_the_load(asking, reference)
        except Problem as problem:
            raise Problem(f"reference: {problem.reason}", problem.remedy) from problem
        comparisons: dict[tuple[str, ...], EqualAnswers] = {
            _sameness(reference): _compare(asking, second, first.answers)
        }
        for number, condition in enumerate(plan.conditions):
            if _sameness(condition) not in comparisons:
                what = f"the answers of {condition.label}, compared with those of {reference.label}"
                workbench.watcher(Preparing(what))
                comparisons[_sameness(condition)] = _of_contender(
                    asking, condition, f"contender-{number}", first.answers
                )
        yield ReferenceRecord(
            contender=reference.label,
            conditions={each.recorded.id: comparisons[_sameness(each)] for each in plan.conditions},
            under_load=list(comparable.under_load),
        )


def _reference(plan: Plan) -> PlannedCondition:
    """The reference's condition; under a sweep, at its first value."""
    reference = plan.experiment.reference
    assert reference is not None
    key = (reference.name, reference.variant, plan.experiment.service_of(reference))
    return next(
        each for each in plan.conditions if (each.recorded.stack, each.recorded.variant, each.recorded.service) == key
    )


def _sameness(condition: PlannedCondition) -> tuple[str, ...]:
    """Conditions for which this is the same answer the same: they differ in their load at most."""
    experiment = condition.point.experiment
    settings = experiment.model_dump_json(include={"env", "services", "instances", "balancer", "concurrency_budget"})
    return condition.recorded.stack, condition.recorded.variant, condition.recorded.service, settings


def _until_it_takes_too_long(event: dict[str, Any]) -> None:
    if event["event"] == "progress" and event["elapsed_seconds"] > LONGEST_SECONDS:
        raise StopEarly


def _assert_declared(
    asking: _Round,
    reference: PlannedCondition,
    first: Mapping[Instance, KeptAnswer],
    second: Mapping[Instance, KeptAnswer],
) -> None:
    both = first.keys() & second.keys()
    if not both:
        raise Problem(f"{reference.label} answered nothing", "see its log in the results folder")
    pairs = [(second[each], first[each]) for each in sorted(both) if not second[each].is_equal(first[each])]
    proposed = proposal(pairs, asking.comparable.normalisation)
    if proposed.is_needed:
        raise _undeclared(asking, reference, proposed)


def _undeclared(asking: _Round, reference: PlannedCondition, proposed: Proposal) -> Problem:
    hidden = Secrets(*asking.secrets).hidden
    examples = list(map(hidden, proposed.examples()))
    more = f"\n  and {len(examples) - MOST_EXAMPLES} more" if len(examples) > MOST_EXAMPLES else ""
    example_lines = "".join(f"\n  {each}" for each in examples[:MOST_EXAMPLES]) + more
    reason = f"{reference.label} does not answer the same when it is asked the same a second time:{example_lines}"
    if proposed.hopeless:
        return Problem(reason, "mend it, or compare with another contender: nothing can be declared for a difference "
                               "in status, type or validity")  # fmt: skip
    lines = "\n".join(hidden(line) for line in proposed.toml(asking.comparable.table))
    return Problem(
        reason, f"if this may differ between right answers, write it into {asking.comparable.file}:\n{lines}"
    )


def _for_the_load(asking: _Round, reference: PlannedCondition) -> ReferenceAnswers | None:
    """None where no request can be sent again and again."""
    comparable = asking.comparable
    requests = [each for each in comparable.requests if each.name in comparable.under_load]
    if not requests:
        return None
    instances = INSTANCES if comparable.has_varying else INSTANCES_OF_FIXED
    seed = asking.seed + SEED_STEP
    file, _ = asking.collect_answers(reference, "load", requests, _Questions(instances, CONNECTIONS, seed))
    return ReferenceAnswers(file, asking.key, seed, instances, comparable, asking.secrets)


def _of_contender(
    asking: _Round, condition: PlannedCondition, name: str, references: Mapping[Instance, KeptAnswer]
) -> EqualAnswers:
    """Nothing is compared where it cannot be started."""
    try:
        return _compare(asking, asking.in_turn(condition, name), references)
    except Problem as problem:
        return EqualAnswers(requests={}, not_compared=problem.reason)


def _compare(asking: _Round, in_turn: _InTurn, references: Mapping[Instance, KeptAnswer]) -> EqualAnswers:
    comparable = asking.comparable
    renaming = Renaming(comparable.normalisation)
    counts: dict[str, list[int]] = {}
    differences: list[Difference] = []
    for (request, instance), reference in sorted(references.items()):
        if instance >= in_turn.ended.get(request, 0):  # it was not asked so often
            continue
        answer = in_turn.answers.get((request, instance))
        if answer is None:
            what: str | None = "no answer"
        elif not answer.is_equal(reference):
            what = difference(answer, reference, comparable.normalisation)
        else:
            what = renaming.contradiction(answer, reference)
        of_request = counts.setdefault(request, [0, 0])
        of_request[0] += 1
        of_request[1] += what is not None
        if what is not None:
            differences.append(described(reference, what, comparable, Secrets(*asking.secrets)))
    return EqualAnswers(
        requests={name: ComparedAnswers(compared=both[0], unequal=both[1]) for name, both in counts.items()},
        differences=_of_each_request(differences),
    )


def _of_each_request(differences: Sequence[Difference]) -> list[Difference]:
    """The smallest ones, of each request in turn."""
    turns: list[tuple[int, int, Difference]] = []
    turns_of_request: dict[str, int] = {}
    for each in sorted(differences, key=lambda each: len(each.what)):
        turns_of_request[each.request] = turns_of_request.get(each.request, 0) + 1
        turns.append((turns_of_request[each.request], len(turns), each))
    return [each for _, _, each in sorted(turns, key=lambda turn: turn[:2])[:MOST_DIFFERENCES]]
