from collections.abc import Iterator, Sequence

from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.placement import Placement, cores_shared_in_words, nodes_in_words, numbers_in_words


@check(
    "placement-shared",
    looks_at="whether load generator and server were bound to different processors, on different cores, and the server "
    "to one NUMA node",
    remedy="run on a machine with at least two processors; read ratios, not figures, until then",
    on_purpose=Threshold(
        0,
        "1: yes, 0: no",
        "each request then costs the server's processors the generator's work as well, which takes the larger share "
        "from whoever needs less for itself",
    ),
)
def placement_shared(case: Case, *, on_purpose: float) -> Iterator[Finding]:
    """Where generator and contender share a processor, or a core, each takes time from the other.

    A warning on the experiment where there is no other processor or no other core, since it concerns every figure
    alike, and a note where the server is on several NUMA nodes; a refusal of each trial for which a shared placement
    was asked, a warning if that is tried on purpose.
    """
    usual = case.record.placement
    if not usual.disjoint and case.record.experiment.placement == "disjoint":
        yield finding("warning", _evidence(usual))
    if shared := cores_shared_in_words(usual):
        yield finding(
            "warning",
            f"{shared}: while one thread of a core is at work, the other is slower, so that every rate is lower than "
            "the contender alone would show, and the more so the busier the load generator is",
            "run on a machine with at least two cores; read ratios, not figures, until then",
        )
    if nodes := nodes_in_words(usual):
        yield finding(
            "note",
            f"{nodes}: memory is nearer to some of its threads than to others, and starts may differ in which",
            "bind the lab to the processors of fewer nodes (taskset --cpu-list, numactl --cpunodebind), of which one "
            "has at least half",
        )
    shared_on_purpose = {condition.id for condition in case.record.conditions if condition.placement == "shared"}
    for trial in case.trials:
        if trial.condition in shared_on_purpose and trial.engine is not None:
            yield finding(
                "warning" if on_purpose else "refusal",
                _evidence(case.record.placement_of(trial)),
                "leave `placement` out, or try it on purpose beside the disjoint one: in a sweep over `placement`, "
                "with [checks.placement-shared] on_purpose = 1",
                trial=trial.index,
            )


def _evidence(placement: Placement) -> str:
    return (
        f"load generator (processors {_numbers(placement.load_cpus)}) and server "
        f"(processors {_numbers(placement.server_cpus)}) share processors: every rate is lower, and "
        "every time longer, than the contender alone would show; the fastest lose most"
    )


def _numbers(cpus: Sequence[int]) -> str:
    return numbers_in_words(cpus) or "not bound"
