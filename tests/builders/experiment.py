"""The first line of a record: an experiment and what was known before its first trial."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Self

from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef, StackRef
from fairtrial.experiment.stack_class import PRODUCTION, StackClass
from fairtrial.experiment.value import Value
from fairtrial.plan.make import recorded_condition
from fairtrial.record.identity import DatasetIdentity, Host, StackIdentity
from fairtrial.record.model import Condition, ExperimentRecord
from fairtrial.record.placement import Placement
from fairtrial.record.proof import ImpliedWork
from tests.builders.figures import ROWS


def conditions_of(
    experiment: Experiment, class_of: Callable[[StackRef], StackClass] = lambda _stack: PRODUCTION
) -> list[Condition]:
    """One condition for each stack of the experiment at each value of its sweep, in the file's order.

    With `noise_floor`, the first of them comes a second time, at the end.

    Args:
        class_of: the class of a stack and variant.
    """
    at_values = {value: experiment.at(value) for value in experiment.points}

    def condition(of: ConditionRef, *, again: bool = False) -> Condition:
        return recorded_condition(at_values[of.at], of.stack, of.at, stack_class=class_of(of.stack), again=again)

    references = experiment.condition_refs
    conditions = [condition(each) for each in references]
    if experiment.noise_floor:
        conditions.append(condition(references[0], again=True))
    return conditions


@dataclass(frozen=True)
class ExperimentBuilder:
    """An experiment over `stacks`; every method gives a changed copy."""

    stacks: tuple[str, ...]
    blocks: int = 5
    seed: int = 7
    rows: int = ROWS
    gaps: float = 0.0
    disjoint: bool = True
    keep_alive: bool = True
    threads: int | None = None
    connections: int = 16
    streams: int | None = None
    """of each connection, over HTTP/2; None: over HTTP/1.1"""
    loads: dict[str, dict[str, Any]] = field(default_factory=dict)
    title: str = "Does the runtime decide how fast a random row is served?"
    summary: str = "One row at random of a million, from SQLite."
    claims: tuple[dict[str, Any], ...] = ()
    claims_judged: str = "each"
    sweep: tuple[Value, ...] = ()
    swept: str = "load.connections"
    noise_floor: bool = False
    why: dict[str, Any] | None = None
    checks: dict[str, dict[str, float]] = field(default_factory=dict)
    classes: dict[str, StackClass] = field(default_factory=dict)
    """of stacks that are not of class production, by `NAME` or `NAME:VARIANT`"""
    versions: dict[str, str] = field(default_factory=lambda: {"--version": "1.2.3"})
    work: dict[str, float] = field(default_factory=lambda: {"reads": 1.0, "rows_read": 1.0})
    """what each answer implies, by the ledger's names"""

    def claiming(self, of: str, to: str, **more: Any) -> Self:
        """With a ratio claim; `more` are the claim's further keys."""
        number = len(self.claims) + 1
        claim = {"kind": "ratio", "id": f"claim-{number}", "text": f"{of} beats {to}", "of": of, "to": to} | more
        return replace(self, claims=(*self.claims, claim))

    def stating(self, kind: str, **keys: Any) -> Self:
        """With a claim of any kind."""
        number = len(self.claims) + 1
        claim = {"kind": kind, "id": f"claim-{number}", "text": f"a claim of kind {kind}"} | keys
        return replace(self, claims=(*self.claims, claim))

    def sweeping(self, *values: Value, parameter: str = "load.connections") -> Self:
        """Over these numbers of connections, or another parameter."""
        return replace(self, sweep=values, swept=parameter)

    def checking(self, check: str, **thresholds: float) -> Self:
        """With other thresholds for one check."""
        return replace(self, checks=self.checks | {check: thresholds})

    def sharing_processors(self) -> Self:
        """Placed on a machine with one processor."""
        return replace(self, disjoint=False)

    def but(self, **changes: Any) -> Self:
        """With other fields of this builder."""
        return replace(self, **changes)

    def record(self) -> ExperimentRecord:
        """The record's first line."""
        experiment = Experiment.model_validate(
            {
                "name": "synthetic",
                "title": self.title,
                "summary": self.summary,
                "workload": "random-item",
                "service": "sqlite",
                "stacks": list(self.stacks),
                "blocks": self.blocks,
                "seed": self.seed,
                "dataset": {"rows": self.rows, "seed": 1, "gaps": self.gaps},
                "load": {
                    "kind": "closed",
                    "connections": self.connections,
                    "keep_alive": self.keep_alive,
                    "threads": self.threads,
                    "http2": self.streams is not None,
                    "streams": self.streams or 1,
                },
                "loads": self.loads,
                "checks": self.checks,
                "claims": list(self.claims),
                "claims_judged": self.claims_judged,
                "noise_floor": self.noise_floor,
                "why": self.why,
                "sweep": {"parameter": self.swept, "values": list(self.sweep)} if self.sweep else None,
            }
        )
        conditions = conditions_of(experiment, lambda stack: self.classes.get(str(stack), PRODUCTION))
        return ExperimentRecord(
            fairtrial_version="0.1.0",
            started_at="2031-05-06T07:08:09Z",
            experiment=experiment,
            conditions=conditions,
            order=[[each.id for each in conditions] for _ in range(self.blocks)],
            host=Host(
                system="Debian GNU/Linux 12",
                kernel="6.1.0",
                cpu_model="A Processor @ 2.10GHz",
                cpus=2,
                memory_bytes=8 * 2**30,
                python="3.11.7",
            ),
            placement=Placement(load_cpus=[1] if self.disjoint else [0], server_cpus=[0], disjoint=self.disjoint),
            stacks=[
                StackIdentity(
                    name=name,
                    title=f"{name}, a stack",
                    language="Language",
                    framework="framework",
                    server="server",
                    concurrency="one event loop",
                    content_sha256="0123456789abcdef" * 4,
                    versions=self.versions,
                )
                for name in dict.fromkeys(each.stack for each in conditions)
            ],
            dataset=DatasetIdentity(
                name="items",
                sha256="fedcba9876543210" * 4,
                rows=self.rows,
                first_id=1,
                last_id=round(self.rows / (1 - self.gaps)),
            ),
            implied_work={each.id: ImpliedWork(per_answer=self.work) for each in conditions},
            engine_version="fairtrial-engine 0.1.0",
        )


def an_experiment(*stacks: str, blocks: int = 5) -> ExperimentBuilder:
    """An experiment over these stacks, `NAME` or `NAME:VARIANT`."""
    return ExperimentBuilder(stacks, blocks)
