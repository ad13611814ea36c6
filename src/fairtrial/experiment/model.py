"""The model of an experiment file. `experiment.files` reads one from disk, with errors that name file and key."""

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, ValidationError, field_serializer, field_validator, model_validator

from fairtrial.base.fault_words import first_fault
from fairtrial.base.registry import instead_of
from fairtrial.base.strict import LONGEST_TITLE, SLUG, Strict
from fairtrial.base.units import Quantity
from fairtrial.experiment.claims import Claim, ClaimsJudged, ShapeClaim
from fairtrial.experiment.contenders import Contender, with_refs
from fairtrial.experiment.load_variants import LoadVariants, assert_swept
from fairtrial.experiment.reference import ConditionRef, StackRef
from fairtrial.experiment.service_address import ServiceAddress, assert_secret
from fairtrial.experiment.slices import Slices
from fairtrial.experiment.sweep import Sweep, assert_same_type, at_value
from fairtrial.experiment.value import Value, format_value, values_in_words
from fairtrial.experiment.variables import VariablesOfAll
from fairtrial.experiment.why import Why, assert_why, with_conditions
from fairtrial.experiment.workload_file.mix import WHOLE_MIX
from fairtrial.experiment.workload_file.model import WorkloadFile
from fairtrial.load.engine_terms import Wait
from fairtrial.load.kinds import Load

LONGEST_LATENCY_SECONDS = 10.0

FIRST_BLOCKS = 5
"""Those before the first look of a run that adds blocks, and all of one without `blocks` and without claims: the fewest
whose verdicts stand whatever kinds of starts there are (judge.claims.start_kinds)."""

PlacementKind = Literal["disjoint", "shared"]
"""Whether the load generator has processors of its own, or is put on the server's."""

CrashAudits = Literal["some", "all", "none"]
"""In which trials of a workload that writes the database is killed once the trial is over."""


NamedOrInline = Annotated[
    Annotated[str, Tag("name")] | Annotated[WorkloadFile, Tag("table")],
    Discriminator(lambda value: "table" if isinstance(value, dict | WorkloadFile) else "name"),
]


class DatasetOptions(Strict):
    """The rows that every trial starts from."""

    rows: int | None = Field(None, ge=1, le=100_000_000, description="null: the workload's own number")
    seed: int = Field(1, ge=0, lt=2**63)
    gaps: float = Field(0.0, ge=0, lt=0.95, description="share of ids that hold no row")


class ServiceOptions(Strict):
    """How one of an experiment's services is brought up: `[services.NAME]`."""

    variant: str = Field("default", pattern=SLUG)
    url_from: str | None = Field(
        None,
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*$",
        description="the environment variable that holds the URL of one that runs already; never the URL itself, "
        "which may hold a password and would be recorded",
    )
    address: ServiceAddress | None = Field(
        None, description="the port, user, password and database that programs have in their source; null: the lab's"
    )
    latency: Quantity | None = Field(
        None,
        description="how much longer a round trip between a stack and the service takes, half of it in each "
        "direction; null: the stack speaks to the service directly",
    )
    latency_distribution: Literal["constant", "exponential"] = Field(
        "constant", description="of the round trips; exponential: with `latency` as their mean"
    )
    bandwidth_bytes_per_second: int | None = Field(
        None, ge=1000, le=10**11, description="of each connection, in each direction; null: unlimited"
    )

    @field_validator("latency", mode="before")
    @classmethod
    def _has_a_unit(cls, value: Any) -> Any:
        if isinstance(value, int | float):
            raise ValueError(f'{value!r} is a number without a unit: write a time such as "1 ms"')
        return value

    @field_validator("latency")
    @classmethod
    def _is_a_time(cls, value: Quantity | None) -> Quantity | None:
        if value is not None and (value.unit.base != "seconds" or not 0 <= value.value <= LONGEST_LATENCY_SECONDS):
            raise ValueError(f'"{value}" is not a time from 0 to {LONGEST_LATENCY_SECONDS:g} s')
        return value

    @model_validator(mode="after")
    def _latency_required(self) -> Self:
        if self.latency is None and (
            self.latency_distribution != "constant" or self.bandwidth_bytes_per_second is not None
        ):
            raise ValueError('latency: its distribution and the bandwidth need it: set it, if need be to "0 ms"')
        return self

    def distance(self) -> str | None:
        """How far the service is away from stacks, in words: `1 ms away`; None where there is no proxy before it."""
        if self.latency is None:
            return None
        spread = "" if self.latency_distribution == "constant" else f" on average ({self.latency_distribution})"
        rate = self.bandwidth_bytes_per_second
        return f"{self.latency} away{spread}" + ("" if rate is None else f", at {rate:,} bytes/s")

    @model_validator(mode="before")
    @classmethod
    def _hide_password(cls, values: Any) -> Any:
        assert_secret(values.get("address") if isinstance(values, dict) else None)
        return values

    @model_validator(mode="after")
    def _address_of_private_service(self) -> Self:
        if self.address is not None and self.url_from is not None:
            raise ValueError("address: the server that is given by URL (url_from) has its own: leave one of them out")
        if self.address is not None and self.latency is not None:
            raise ValueError("address: programs go there directly, past the proxy of `latency`: leave one of them out")
        return self

    @model_validator(mode="after")
    def _no_variant_for_external(self) -> Self:
        if self.url_from is not None and self.variant != "default":
            raise ValueError("variant: settings of a service that is given by URL are its own")
        return self


class Experiment(Strict):
    """One experiment file."""

    name: str = Field(pattern=SLUG)
    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    summary: str = ""
    workload: NamedOrInline = Field(
        description="a name, or the path of a workload file, which ends in .toml, or what such a file holds"
    )
    requests: str = Field(
        WHOLE_MIX,
        min_length=1,
        description="of a workload file's mix, what is sent: `all`, the name of a request or a journey, or "
        "`without-NAME`",
    )
    service: str = "none"
    cache: str | None = Field(
        None, description="the service that stands beside the database, where the workload has one"
    )
    services: dict[str, ServiceOptions] = Field(default_factory=dict)
    instances: int = Field(1, ge=1, le=64, description="how often each stack is started, behind the balancer")
    balancer: str | None = Field(None, description="what spreads the requests over the instances")
    concurrency_budget: int = Field(
        16,
        ge=1,
        le=10_000,
        description="how many requests each stack may work on at once, over all its instances and processes, whether "
        "it does so by threads, processes or fibers",
    )
    unequal_budgets: str | None = Field(
        None,
        min_length=1,
        description="why contenders that are compared may do unequally much at once; without it, the run stops before "
        "its first trial",
    )
    placement: PlacementKind = Field(
        "disjoint",
        description="shared: the load generator runs on the server's processors; its trials are refused unless the "
        "experiment tries that on purpose: [checks.placement-shared]",
    )
    wait: Wait | None = Field(
        None,
        description="what the load generator does while it awaits answers: sleep, or stay awake, which takes all of "
        "its processors; null: it stays awake where nothing else needs them",
    )
    stacks: list[StackRef] = Field(min_length=1, description="without them, every one of `contenders`")
    contenders: dict[Annotated[str, Field(pattern=SLUG)], Contender] = Field(
        default_factory=dict, description="by the name under which `stacks` and claims refer to them"
    )
    reference: StackRef | None = Field(
        None, description="the contender whose answers those of all others must be equal to: docs/equal-answers.md"
    )
    blocks: int | None = Field(
        None, ge=1, le=1000, description="a fixed number, after which claims are judged once; null: see `minutes`"
    )
    minutes: float | None = Field(
        None,
        ge=0.1,
        le=1440,
        description="in place of `blocks`: blocks are added until every claim is decided and the shares of `[why]` are "
        "known to 10 points, for so long at most; null, with any of these and without `blocks`: 10",
    )
    builds: int = Field(
        1, ge=1, le=100, description="how often each stack is built apart; blocks take the builds in turn"
    )
    seed: int = Field(1, ge=0, lt=2**63)
    options: dict[str, Any] = Field(default_factory=dict, description="the workload's own: docs/workloads.md")
    dataset: DatasetOptions = DatasetOptions.model_construct(rows=None, seed=1, gaps=0.0)
    load: Load = Field(examples=[{"kind": "closed", "connections": 16}])
    loads: LoadVariants = Field(
        default_factory=dict, description='by the value of a sweep over "load", what it sets in place of `load`'
    )
    env: VariablesOfAll = Field(
        default_factory=dict, description="variables that every stack gets, in place of the contract's: DB_POOL, say"
    )
    settle_seconds: float = Field(
        60, gt=0, le=3600, description="how long the database may take after the last answer to come to rest"
    )
    crash_audit: CrashAudits = Field(
        "some",
        description="the trials after which the database is killed under a load of its own, to see whether what was "
        "acknowledged is still there; some: about one in five, drawn, and at least one of each condition",
    )
    hold_audit: CrashAudits = Field(
        "some",
        description="the trials beside which database and upstream are held for moments of a load of its own, to see "
        "whether answers wait for them; some: all of one block in ten, drawn, and of one before the first look",
    )
    slices: Slices | None = Field(
        None, description="measure the conditions of a block in turn, a moment at a time; null: one after the other"
    )
    whole_windows: bool = Field(
        False, description="never measure in slices, although the plan might choose to: one after the other"
    )
    sweep: Sweep | None = None
    why: Why | None = Field(None, description="what turns one contender into another, a step at a time: docs/why.md")
    noise_floor: bool = Field(
        False, description="try the first stack twice in each block, under two names: the difference is noise"
    )
    checks: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        description="thresholds that differ from a check's own: [checks.NAME] KEY = VALUE",
    )
    claims: list[Claim] = Field(default_factory=list)
    margin: float = Field(
        0.05,
        gt=0,
        lt=10,
        description="a share: where neither side of a claim is proven to be ahead, what differs by less is *equal*",
    )
    claims_judged: ClaimsJudged = Field(
        "each", description="each: at 95% by itself; together: all of them at 95%, by Holm's procedure"
    )

    @model_validator(mode="before")
    @classmethod
    def _each_ref_is_a_stack(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("why"):
            values = with_conditions(values)
        if not isinstance(values, dict) or not values.get("contenders"):
            return values
        contenders = values["contenders"]
        if not isinstance(contenders, dict):  # their fault alone: all others are told as well
            return {"stacks": ["contenders"], **values}
        return {**values, "stacks": with_refs(values.get("stacks", list(contenders)), contenders)}

    @field_validator("requests", mode="before")
    @classmethod
    def _is_a_name(cls, value: Any) -> Any:
        if isinstance(value, dict):
            name = next(iter(value), "NAME")
            raise ValueError(f"is what is sent of the mix, a text; a request is a [workload.requests.{name}]")
        return value

    @property
    def workload_name(self) -> str:
        """The workload's name in results: its name, or that of its file without the folder.

        One that stands in the experiment is called as the experiment, with the ending of a file: none of the lab's is.
        """
        return self.workload.rpartition("/")[2] if isinstance(self.workload, str) else f"{self.name}.toml"

    @field_serializer("workload")
    def _as_it_was_written(self, workload: str | WorkloadFile) -> str | dict[str, Any]:
        return workload if isinstance(workload, str) else workload.as_written()

    @property
    def first_blocks(self) -> int:
        """How many blocks a run has before it may end: a fixed number, or those before its first look."""
        return FIRST_BLOCKS if self.blocks is None else self.blocks

    def why_not_sliced(self) -> str | None:
        """Why its conditions cannot be up at once and measured in turn; None: as far as the file tells they can."""
        points = [self.model_copy(update={"slices": None}).at(value) for value in self.points]
        if len({point.load.window_seconds for point in points}) > 1:
            return "a round has a slice of each condition, and the sweep is over the time for which they are measured"
        return next((reason for point in points if (reason := point._why_not_sliced(len(points))) is not None), None)

    def _why_not_sliced(self, points: int) -> str | None:
        """The reason at one value of a sweep, or without one.

        Args:
            points: how many values there are.
        """
        load = self.load
        if not load.can_be_sliced:
            return f"a load of kind {load.kind} is a whole: it has no slices"
        services = {self.service_of(stack) for stack in self.stacks} | {self.cache or "none"}
        options = [each for name, each in self.services.items() if name in services]
        of_file = [self.contenders[stack.name] for stack in self.stacks if stack.name in self.contenders]
        ports = [contender.origin.port for contender in of_file if contender.origin.port is not None] * points
        port = max(ports, key=ports.count, default=0)
        fixed = f"two always listen on port {port}, and cannot be up at once; those that read PORT can"
        reasons = {
            "without keep-alive, ports run out": not load.keep_alive,
            "local_ports are counted over one window": load.loses_clients,
            "idle connections stay open for a whole window": load.idle_connections > 0,
            "a service that is given by URL has the work of all conditions at once, and whose it was cannot be told; "
            "without `url_from` each has one of its own": any(each.url_from is not None for each in options),
            "programs with the address of a service in their source cannot each have one of their own; those that read "
            "DATABASE_URL can, without `address`": any(each.address is not None for each in options),
            fixed: len(set(ports)) < len(ports),
            "on shared processors, foreign load cannot be told from the load engine": self.placement != "disjoint",
        }
        return next((reason for reason, applies in reasons.items() if applies), None)

    def service_of(self, stack: StackRef) -> str:
        """The service that a stack is tried on."""
        return stack.service or self.service

    @property
    def points(self) -> list[Value | None]:
        """The values of the sweep; without one, None alone."""
        return [None] if self.sweep is None else list(self.sweep.values)

    @property
    def condition_refs(self) -> list[ConditionRef]:
        """Each stack at each value of the sweep: what is tried once in each block."""
        return [ConditionRef.of(stack, at) for stack in self.stacks for at in self.points]

    def sides_of(self, claim: Claim) -> list[str]:
        """The names of all conditions that a claim needs, those along its curves included, each once."""
        along = [ConditionRef.of(stack, at) for stack in claim.curves() for at in self.points]
        return list(dict.fromkeys(map(str, (*claim.needs(), *along))))

    def at(self, value: Value | None) -> "Experiment":
        """The experiment at one value of its sweep: without the sweep, and without claims.

        Raises:
            ValueError: the parameter does not take this value.
        """
        if self.sweep is None or value is None:
            return self
        changed = Experiment.model_validate(at_value(self.model_dump(), self.sweep.parameter, value))
        table, _, key = self.sweep.parameter.rpartition(".")
        if table in ("", "load", "dataset"):  # the workload reads its options itself, and variables are texts
            assert_same_type(value, getattr(getattr(changed, table) if table else changed, key))
        return changed

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.blocks is not None and self.minutes is not None:
            raise ValueError(
                "blocks and minutes: a run has a fixed number of blocks, or as many as its claims need within a time: "
                "leave one of them out"
            )
        if self.instances > 1 and self.balancer is None:
            raise ValueError("instances: more than one needs a balancer in front: set `balancer`")
        assert_why(self.why, self.sweep)
        if self.placement == "shared" and not self.load.offers_requests:
            raise ValueError("placement: a program has no load generator that could share its processors")
        if self.placement == "shared" and self.wait == "awake":
            raise ValueError("wait: awake, the load generator would leave the server none of their shared processors")
        if self.load.streams > 1 and not self.load.has_streams:
            raise ValueError(
                "load.streams: they are those of HTTP/2 and HTTP/3: set `http2 = true` or `http3 = true`, or leave "
                "`streams` out"
            )
        if self.balancer is not None and self.load.has_streams:
            raise ValueError(
                f"load.{self.load.protocol_key}: the balancer asks stacks over HTTP/1.1, so that none would be asked "
                f"over {self.load.protocol}: leave `balancer` (and `instances`) out, or `{self.load.protocol_key}`"
            )
        names = [str(stack) for stack in self.stacks]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"stacks: {name} is named twice")
        if self.reference is not None and str(self.reference) not in names:
            raise ValueError(
                f"reference: {self.reference} is not among its stacks{instead_of(str(self.reference), names)}"
            )
        if self.reference is not None and self.requests != WHOLE_MIX:
            raise ValueError(
                "reference: answers to the whole mix are compared with its own: leave `reference` or `requests` out"
            )
        if self.reference is not None and self.load.trace_share:
            raise ValueError(
                "load.trace_share: answers are compared with the reference's for requests that are the same byte by "
                "byte, and a traced one is not: leave `trace_share` or `reference` out"
            )
        self._assert_claims(names)
        return self

    @model_validator(mode="after")
    def _sweepable(self) -> Self:
        swept = (None, ()) if self.sweep is None else (self.sweep.parameter, self.sweep.values)
        assert_swept(self.loads, *swept)
        if self.sweep is not None:
            services = {self.service_of(stack) for stack in self.stacks}
            if self.sweep.parameter.endswith(".latency") and self.cache is not None:
                services.add(self.cache)
            if self.sweep.service not in {None, *services}:
                raise ValueError(
                    f"sweep: no stack is tried on {self.sweep.service}, but on {', '.join(sorted(services))}"
                )
            for value in self.sweep.values:
                try:
                    self.at(value)
                except ValueError as error:
                    at = f"{self.sweep.parameter} = {format_value(value)}"
                    raise ValueError(f"sweep: {at}: {_first_words(error)}") from None
        return self

    @model_validator(mode="after")
    def _sliceable(self) -> Self:
        if self.slices is not None and self.whole_windows:
            raise ValueError("whole_windows: there are none in `slices`: leave one of the two out")
        if self.slices is not None and (reason := self.why_not_sliced()) is not None:
            raise ValueError(f"slices: {reason}: leave `slices` out, or change that")
        return self

    def _assert_claims(self, names: list[str]) -> None:
        conditions = [str(condition) for condition in self.condition_refs]
        ids: set[str] = set()
        for claim in self.claims:
            if claim.id in ids:
                raise ValueError(f"claims: id {claim.id!r} is used twice")
            ids.add(claim.id)
            for side in claim.needs():
                if str(side) not in conditions:
                    raise ValueError(
                        f"claims: {claim.id!r} names {side}, which this experiment does not try; it tries: "
                        f"{', '.join(conditions)}"
                    )
            for stack in claim.curves():
                if str(stack) not in names:
                    raise ValueError(
                        f"claims: {claim.id!r} names {stack}, which is not among its stacks"
                        f"{instead_of(str(stack), names)}"
                    )
                if self.sweep is None:
                    raise ValueError(f"claims: {claim.id!r} is about a shape, and there is no [sweep]")
                if isinstance(claim, ShapeClaim) and claim.has_order and not self.sweep.is_numeric:
                    over = values_in_words(self.sweep.values)
                    raise ValueError(
                        f"claims: {claim.id!r}: the shape {claim.shape!r} needs numbers, and the sweep has categories: "
                        f"{over}"
                    )


def _first_words(error: ValueError) -> str:
    """The fault, without the model's name."""
    return first_fault(error) if isinstance(error, ValidationError) else str(error)
