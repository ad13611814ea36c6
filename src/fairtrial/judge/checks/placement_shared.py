"""Where generator and contender share a processor, each takes time from the other."""

from collections.abc import Iterator, Sequence

from fairtrial.judge.checks.model import Case, Check, Finding


def examine(case: Case) -> Iterator[Finding]:
    """A warning on the experiment, since it concerns every figure alike."""
    placement = case.record.placement
    if not placement.disjoint:
        yield case.finding(
            None,
            "warning",
            f"load generator (processors {_listed(placement.load_cpus)}) and server "
            f"(processors {_listed(placement.server_cpus)}) share processors: every rate is lower, and "
            "every time longer, than the contender alone would show; the fastest lose most",
        )


def _listed(cpus: Sequence[int]) -> str:
    return ", ".join(map(str, cpus)) or "not bound"


CHECK = Check(
    name="placement-shared",
    looks_at="whether load generator and server were bound to different processors",
    thresholds={},
    remedy="run on a machine with at least two processors; read ratios, not figures, until then",
    examine=examine,
)
