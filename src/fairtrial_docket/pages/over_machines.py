"""The part of a claim's page that is about machines: the pooled figure beside that of each."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from fairtrial.base.formatting import figure, span
from fairtrial.judge.model import ClaimResult
from fairtrial.report.vega import Spec, chart
from fairtrial.tools.pool.claims import FigureOnMachine, PooledClaim
from fairtrial.tools.pool.lines import claim_lines, footing_lines
from fairtrial_docket.entries import ExperimentEntry
from fairtrial_docket.pools import Pool

ROW_PIXELS = 26
TOGETHER = "together"
LARGE = 4.0
"""Times the least value of a chart, from which on a logarithmic axis has ticks enough."""


@dataclass(frozen=True)
class ClaimOverMachines:
    """A claim over machines, as its page shows it."""

    claim: PooledClaim
    lines: Sequence[str]
    """in the words of `fairtrial pool`"""
    machines: Sequence[tuple[ExperimentEntry, FigureOnMachine]]
    left_out: Sequence[tuple[ExperimentEntry, str]]

    @property
    def rows(self) -> int:
        """Number of rows in the table of machines."""
        return len(self.machines) + len(self.left_out)

    @property
    def verdict(self) -> str:
        """The verdict over all machines."""
        return self.claim.verdict or "not pooled"

    @property
    def in_words(self) -> str:
        """`upheld: 2.02 (1.97 to 2.07)`."""
        claim = self.claim
        if claim.estimate is None or claim.interval is None:
            return self.verdict
        return f"{self.verdict}: {figure(claim.estimate)} ({span(claim.interval)})"


@dataclass(frozen=True)
class _Row:
    """One machine in the chart."""

    machine: str
    estimate: float
    low: float
    high: float
    colour: str


def over_machines(pool: Pool, claim: ClaimResult) -> ClaimOverMachines:
    """The claim in this pool, which is of its lock."""
    pooled = next(each for each in pool.document.claims if each.id == claim.id)
    return ClaimOverMachines(
        pooled,
        [*claim_lines(pooled), *footing_lines(pool.document)],
        [(pool.by_machine[each.machine], each) for each in pooled.machines],
        pool.left_out,
    )


def machines_chart(over: ClaimOverMachines, claim: ClaimResult) -> Spec | None:
    """The interval of each machine and that of all together, against the bound. None without a pooled figure, or with
    an end that has no logarithm."""
    pooled = over.claim
    if pooled.estimate is None or pooled.interval is None:
        return None
    rows = [
        _Row(entry.name, each.estimate, each.lower, each.upper, "var(--refuted)" if each.disagrees else "currentColor")
        for entry, each in over.machines
        if each.estimate is not None and each.lower is not None and each.upper is not None
    ]
    rows.append(_Row(TOGETHER, pooled.estimate, *pooled.interval, f"var(--{pooled.verdict})"))
    limits = [each for each in (claim.at_least, claim.at_most) if each is not None]
    ends = [end for row in rows for end in (row.low, row.high)] + limits
    if min(ends) <= 0:
        return None
    room = (max(ends) / min(ends)) ** 0.05
    domain = [min(ends) / room, max(ends) * room]
    y: Spec = {"field": "machine", "type": "nominal", "sort": None, "axis": {"title": None, "labelLimit": 170}}
    x: Spec = {
        "type": "quantitative",
        "scale": {"type": "log" if max(ends) > LARGE * min(ends) else "linear", "domain": domain, "nice": False},
        "axis": {"title": pooled.subject, "tickCount": 5, "format": "~g", "labelOverlap": "greedy"},
    }
    colour = {"field": "colour", "type": "nominal", "scale": None}
    tooltip = [{"field": name} for name in ("machine", "estimate", "low", "high")]
    return chart(
        height=ROW_PIXELS * len(rows),
        data={"values": [asdict(row) for row in rows]},
        layer=[
            {
                "data": {"values": [{"bound": each} for each in limits]},
                "mark": {"type": "rule", "color": "currentColor", "strokeDash": [4, 3], "opacity": 0.7},
                "encoding": {"x": x | {"field": "bound"}},
            },
            {
                "mark": {"type": "rule", "strokeWidth": 3, "strokeCap": "round"},
                "encoding": {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}, "color": colour},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
                "encoding": {"y": y, "x": x | {"field": "estimate"}, "color": colour, "tooltip": tooltip},
            },
        ],
    )
