"""The section of the report that shows the block under profilers: tables, notes and flame graphs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from fairtrial.base.formatting import count
from fairtrial.record.profile import Profile, Profiles, SampledStacks
from fairtrial.report.profile.counters import EXPLANATION, CounterRow, counter_rows
from fairtrial.report.profile.differences import Pair, profile_pairs
from fairtrial.report.profile.flame_graph import flame_graph
from fairtrial.report.profile.frames import self_shares
from fairtrial.report.profile.request_time import TIMES
from fairtrial.report.vega import Spec

MOST_FRAMES = 10


@dataclass(frozen=True)
class Graph:
    """One contender as one profiler saw it."""

    chart: str
    """the chart's name"""
    profile: Profile
    sampled: SampledStacks
    frames: Sequence[tuple[str, float]]
    """those in which most samples end, with their share"""

    @property
    def caption(self) -> str:
        """The sentence on what is drawn, and where it comes from."""
        return (
            f"{count(self.sampled.samples, 'sample')} of {self.sampled.profiler}. Callers above, width: share of the "
            f"samples. A click on a frame widens it, a click on `all` shows all. Stacks: {self.sampled.file}"
        )


@dataclass(frozen=True)
class ProfileDifference:
    """Two contenders beside each other."""

    chart: str
    pair: Pair


@dataclass(frozen=True)
class ProfileSection:
    """The values that the template shows."""

    is_shown: bool
    explanation: str = EXPLANATION
    lines: Sequence[Profile] = ()
    rows: Sequence[CounterRow] = ()
    times: list[tuple[str, Sequence[CounterRow], str]] = field(default_factory=list)
    """tables of the parts of a request's time: title, rows, explanation"""
    graphs: Sequence[Graph] = ()
    differences: Sequence[ProfileDifference] = ()
    charts: dict[str, Spec | None] = field(default_factory=dict)


def profile_section(profiles: Profiles) -> ProfileSection:
    """The section, which is not shown without such a block."""
    if not profiles.lines:
        return ProfileSection(is_shown=False)
    charts: dict[str, Spec | None] = {}
    graphs: list[Graph] = []
    for line in profiles.lines:
        for sampled in line.stacks:
            stacks = profiles.stacks[sampled.file]
            name = f"flame-{len(graphs) + 1}"
            charts[name] = flame_graph(stacks)
            ranked = sorted(self_shares(stacks).items(), key=lambda each: (-each[1], each[0])) if stacks else []
            graphs.append(Graph(name, line, sampled, ranked[:MOST_FRAMES]))
    differences = []
    for number, pair in enumerate(profile_pairs(profiles), 1):
        name = f"flame-difference-{number}"
        charts[name] = flame_graph(pair.stacks[1], against=pair.stacks[0])
        differences.append(ProfileDifference(name, pair))
    return ProfileSection(
        is_shown=True,
        lines=profiles.lines,
        rows=counter_rows(profiles.lines),
        times=[(title, rows_of(profiles.lines), explanation) for title, rows_of, explanation in TIMES],
        graphs=graphs,
        differences=differences,
        charts=charts,
    )
