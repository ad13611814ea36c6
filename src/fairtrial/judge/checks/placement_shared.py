"""Where generator and contender share a processor, each takes time from the other."""

from collections.abc import Iterator, Sequence

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold
from fairtrial.record.model import Placement


def examine(case: Case) -> Iterator[Finding]:
    """A warning on the experiment where there is no other processor, since it concerns every figure alike; a refusal of
    each trial for which it was asked, a warning if that is tried on purpose."""
    usual = case.record.placement
    if not usual.disjoint and case.record.experiment.placement == "disjoint":
        yield case.finding(None, "warning", _evidence(usual))
    asked = {condition.id for condition in case.record.conditions if condition.placement == "shared"}
    for trial in case.trials:
        if trial.condition in asked and trial.engine is not None:
            yield case.finding(
                trial.index,
                "warning" if case.thresholds["on_purpose"] else "refusal",
                _evidence(case.record.placement_of(trial)),
                "leave `placement` out, or try it on purpose beside the disjoint one: in a sweep over `placement`, "
                "with [checks.placement-shared] on_purpose = 1",
            )


def _evidence(placement: Placement) -> str:
    return (
        f"load generator (processors {_listed(placement.load_cpus)}) and server "
        f"(processors {_listed(placement.server_cpus)}) share processors: every rate is lower, and "
        "every time longer, than the contender alone would show; the fastest lose most"
    )


def _listed(cpus: Sequence[int]) -> str:
    return ", ".join(map(str, cpus)) or "not bound"


CHECK = Check(
    name="placement-shared",
    looks_at="whether load generator and server were bound to different processors",
    thresholds={
        "on_purpose": Threshold(
            0,
            "1: yes, 0: no",
            "a published table from one host, the generator beside the server, was withdrawn by its author: each "
            "request then costs the server's processors the generator's work as well, which takes the larger share "
            "from whoever needs less for itself. What that does may be tried, but is no figure of the contender",
        ),
    },
    remedy="run on a machine with at least two processors; read ratios, not figures, until then",
    examine=examine,
)
