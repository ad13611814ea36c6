"""The facts that pages know of each other: the conditions and claims of all results, without their trials."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.judge.model import ClaimResult, ConditionResult, Result
from fairtrial.record.identity import StackIdentity
from fairtrial.record.model import ExperimentRecord, TrialRecord
from fairtrial.report.sentences import workload_in_words
from fairtrial.tools.pool.explain import properties_of
from fairtrial.tools.pool.machines import Machine, lock_digest, measured_digests, unfit
from fairtrial_docket.names import page_name
from fairtrial_docket.questions import Question


@dataclass(frozen=True)
class ExperimentEntry:
    """A result, with its pages."""

    name: str
    """of its page"""
    title: str
    experiment: str
    started_at: str
    machine: str
    """in words, which another one may share"""
    host: str
    """by what runs of one machine are told; in older records its words"""
    record: str
    """the path of its record below the site"""
    conditions: list["ConditionEntry"]
    claims: list["ClaimEntry"]
    identity: str = ""
    """what its record says of the machine, by which `fairtrial pool` tells it from others, too"""
    lock: str = ""
    """the digest of what is locked, so that runs of it can be pooled"""
    measured: tuple[str, ...] = ()
    """digests of what was measured in its trials, by which copies of a record are told"""
    run: Machine | None = None
    """its claims and its machine, as `fairtrial pool` takes them; None: they are not pooled"""
    unfit: str = ""
    """why it is in no pool"""
    questions: list[Question] = field(default_factory=list)

    @property
    def page(self) -> str:
        return f"experiments/{self.name}.html"

    def claim_page(self, claim_id: str) -> str:
        """That of its claim with this id."""
        return f"claims/{page_name(self.name, claim_id)}.html"


@dataclass(frozen=True)
class ConditionEntry:
    """A row of a result."""

    of: ExperimentEntry
    condition: ConditionResult
    stack: StackIdentity | None

    @property
    def contender(self) -> str:
        """Its name without what an experiment adds to it: service, value of a sweep."""
        each = self.condition
        return each.stack if each.variant == "default" else f"{each.stack}:{each.variant}"

    @property
    def traits(self) -> Mapping[str, str]:
        """By what conditions are chosen."""
        stack = self.stack
        return {
            "language": "" if stack is None else stack.language,
            "framework": "" if stack is None else stack.framework,
            "licence": "" if stack is None else stack.licence,
            "model": "" if stack is None else stack.concurrency,
            "database": self.condition.service,
            "class": self.condition.stack_class,
            "machine": self.of.machine,
        }

    @property
    def page(self) -> str:
        """The page of the contender: one name, language and framework."""
        return f"contenders/{page_name(self.contender, self.traits['language'], self.traits['framework'])}.html"

    @property
    def terms(self) -> str:
        """Workload and load: what figures of a contender have in common if they are to be compared."""
        return f"{workload_in_words(self.condition)}; {self.condition.load.describe()}"


@dataclass(frozen=True)
class ClaimEntry:
    """A claim and its verdict."""

    of: ExperimentEntry
    claim: ClaimResult

    @property
    def page(self) -> str:
        return self.of.claim_page(self.claim.id)

    @property
    def badge(self) -> str:
        return f"badges/{page_name(self.of.name, self.claim.id)}.svg"


def entry_of(
    result: Result, name: str, path: str, record: ExperimentRecord, trials: Sequence[TrialRecord]
) -> ExperimentEntry:
    """A result as other pages know it, with the path of its record. Its trials are in its own page."""
    host = result.host
    machine = f"{printable(host.cpu_model)}, {count(host.cpus, 'processor')}"
    stacks = {stack.build_name: stack for stack in result.stacks}
    without_trials = result.model_copy(update={"conditions": []})
    entry = ExperimentEntry(
        name=page_name(name),
        title=printable(result.title),
        experiment=result.name,
        started_at=printable(result.started_at[:16]),
        machine=machine,
        host=printable(host.machine or machine),
        record=path,
        conditions=[],
        claims=[],
        identity=host.model_dump_json(),
        lock=lock_digest(record),
        measured=tuple(measured_digests(trials)),
        run=Machine(page_name(name), record, without_trials, properties_of(record, trials)),
        unfit=unfit(trials) or "",
    )
    for condition in result.conditions:
        stack = stacks.get(f"{condition.stack}:{condition.variant}") or stacks.get(condition.stack)
        entry.conditions.append(ConditionEntry(entry, condition.model_copy(update={"trials": []}), stack))
    entry.claims.extend(ClaimEntry(entry, claim) for claim in result.claims)
    return entry


def by_contender(entries: list[ExperimentEntry]) -> Mapping[str, list[ConditionEntry]]:
    """The conditions of each contender's page, the earliest first."""
    pages: dict[str, list[ConditionEntry]] = {}
    for condition in _earliest_first(entries):
        pages.setdefault(condition.page, []).append(condition)
    return pages


def _earliest_first(entries: list[ExperimentEntry]) -> Iterator[ConditionEntry]:
    for entry in sorted(entries, key=lambda each: each.started_at):
        yield from entry.conditions
