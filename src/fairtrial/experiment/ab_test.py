"""Changes by `fairtrial ab-test` and `fairtrial why` to a service's experiment file: one contender at two refs, at the
commits between them, or two contenders and the variables in which they differ."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from fairtrial.base.fault_words import first_fault
from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of
from fairtrial.experiment.contenders import short_ref, slug_of
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.slices import Slices
from fairtrial.experiment.why import with_conditions

COST = "server_cpu_per_1000_requests"

MINUTES = 3.0
"""For how long at most blocks are added, where the file does not say. They hold a dozen blocks of the usual length:
with a margin of 5%, a difference of 10% and restarts that scatter by 5%, eight of ten experiments decide
(tests/judge/statistics/test_slices.py)."""

SLICED_SECONDS = 4.8
"""Of each ref in each block, likewise: twelve slices of the usual length, of which a busy machine leaves a few."""

DECIDES = "not-slower"
"""The id of the claim that decides the exit status."""

BY_TIMES = ("response_time_p50", False)
METRICS: Mapping[str, tuple[str, bool]] = {"capacity": ("capacity", True)} | dict.fromkeys(
    ("open", "ramp", "steps"), BY_TIMES
)
"""By kind of load, the metric that says how fast a contender is, and whether more of it is better. Under an open load
the rate is given, so that only times can differ."""


def contender_of(experiment: Experiment, name: str | None) -> str:
    """The contender to try at two refs: the one that is named, or the only one that has a folder.

    Raises:
        Problem: there is none, or there are several and none is named.
    """
    with_folder = [each for each, contender in experiment.contenders.items() if contender.folder is not None]
    if name is not None and name not in with_folder:
        choices = instead_of(name, with_folder)
        raise Problem(f"--contender {name}: no contender of this name has a folder{choices}", "see docs/experiments.md")
    if name is None and len(with_folder) != 1:
        reason = f"{len(with_folder)} contenders have a folder: {', '.join(with_folder)}" if with_folder else ""
        raise Problem(
            reason or "no contender has a folder, whose commits could be compared",
            "name one with --contender" if with_folder else 'write [contenders.app] with `folder = "."`',
        )
    return name or with_folder[0]


def between_refs(experiment: Experiment, name: str, before: str, after: str, margin: float) -> Experiment:
    """The experiment over one contender at two refs, without its sweep, and with two claims in place of its own.

    They are that `after` is not slower, which decides, and for which blocks are added; and that it takes no more
    processor time for a request.

    Args:
        margin: how much worse is still allowed, as a share.

    Raises:
        Problem: the refs cannot be told apart.
    """
    pair, older, newer = _stacks_at(name, [before, after]), short_ref(before), short_ref(after)
    metric, more_is_better = METRICS.get(experiment.load.kind, ("goodput", True))
    allowed = f"by more than {100 * margin:g}%"

    def bound(more_is_better: bool) -> dict[str, float]:
        return {"at_least": 1 - margin} if more_is_better else {"at_most": 1 + margin}

    claims = [
        _ratio(DECIDES, f"{newer} is not slower than {older} {allowed}", pair, metric, bound(more_is_better)),
        _ratio("cpu-per-request", f"{newer} takes no more processor time {allowed}", pair, COST, bound(False))
        | {"adds_blocks": False},
    ]
    minutes = MINUTES if experiment.blocks is None and experiment.minutes is None else experiment.minutes
    return _at_refs(experiment, name, [before, after], {"claims": claims, "minutes": minutes, "slices": None})


def along_commits(
    experiment: Experiment, name: str, refs: Sequence[str], titles: Mapping[str, str] | None = None
) -> Experiment:
    """The experiment over one contender at these refs, in order, without its sweep and its claims: which share of what
    changed from the first to the last has each?

    Args:
        titles: by ref, what the answer calls it.

    Raises:
        Problem: the refs cannot be told apart.
    """
    (start, *steps, end), titles = _stacks_at(name, refs), titles or {}
    of_stacks = {stack: titles[ref] for stack, ref in zip(_stacks_at(name, refs), refs, strict=True) if ref in titles}
    why = {"from": start, "steps": steps, "to": end, "titles": of_stacks}
    return _at_refs(experiment, name, refs, {"why": why, "claims": []})


def between_contenders(experiment: Experiment, start: str, end: str) -> Experiment:
    """The experiment over two of its contenders, without its sweep and its claims: which share of their ratio has each
    variable that the second sets otherwise?

    Raises:
        Problem: it sets none otherwise, or more than can be tried.
    """
    before, after = (experiment.contenders[name].env for name in (start, end))
    factors = {
        name.lower().replace("_", "-").replace("-and-", "-"): {"env": {name: value}}
        for name, value in after.items()
        if before.get(name) != value
    }
    remedy = "let [contenders] differ in `env`, or write an experiment with [why]: docs/why.md"
    if not factors:
        raise Problem(f"{end} sets no variable otherwise than {start}, so that there is nothing to switch", remedy)
    file = experiment.model_dump(exclude={"stacks", "sweep"}) | {
        "title": f"{end} against {start}",
        "reference": None,
        "noise_floor": False,
        "why": {"from": start, "to": end, "factors": factors},
        "claims": [],
    }
    try:
        return Experiment.model_validate(with_conditions(file))
    except ValidationError as error:
        raise Problem(f"{start} and {end}: {first_fault(error)}", remedy) from error


def _stacks_at(name: str, refs: Sequence[str]) -> list[str]:
    return [str(StackRef(name=name, variant=slug_of(ref))) for ref in refs]


def _at_refs(experiment: Experiment, name: str, refs: Sequence[str], keys: dict[str, object]) -> Experiment:
    """Raises Problem: the refs cannot be told apart."""
    stacks, before, after = _stacks_at(name, refs), refs[0], refs[-1]
    file = experiment.model_dump() | {
        "title": f"{name}: {short_ref(after)} against {short_ref(before)}",
        "contenders": {name: experiment.contenders[name].model_dump() | {"refs": list(refs), "git": None}},
        "stacks": stacks,
        "reference": None if experiment.reference is None else stacks[0],
        "noise_floor": False,
        "sweep": None,
        "why": None,
    }
    try:
        return Experiment.model_validate(file | keys)
    except ValidationError as error:
        raise Problem(f"{before} and {after}: {first_fault(error)}", "name two refs that differ") from error


def _ratio(identity: str, text: str, pair: list[str], metric: str, bound: dict[str, float]) -> dict[str, object]:
    return {"id": identity, "kind": "ratio", "text": text, "of": pair[1], "to": pair[0], "metric": metric, **bound}


def in_slices(paired: Experiment, experiment: Experiment) -> tuple[Experiment, str | None]:
    """The experiment with both refs up at once and measured in turn; or unchanged, and why.

    Args:
        experiment: as the file has it: its own `slices` and `duration_seconds` are kept.
    """
    reason = "the file asks for whole windows" if experiment.whole_windows else paired.why_not_sliced()
    if reason is not None:
        return paired, reason
    changes: dict[str, object] = {"slices": experiment.slices or Slices(gives_way=True)}
    if "duration_seconds" not in experiment.load.model_fields_set:
        changes["load"] = paired.load.single_run().lasting(SLICED_SECONDS)
    return paired.model_copy(update=changes), None
