"""Where two contenders that were seen by the same profiler spend their time differently."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import sqrt

from fairtrial.record.folded_stacks import Stack
from fairtrial.record.profile import Profile, Profiles, SampledStacks
from fairtrial.report.profile.frames import self_shares, whole_shares

MOST_FRAMES = 12
MOST_PAIRS = 4
"""Each is compared with the first of its profiler."""
STANDARD_ERRORS = 3.0
"""Standard errors of a difference. Samples that follow each other are alike, so that fewer would show chance."""
ADDED = 1
"""Sample of each kind on each side (Agresti and Caffo, The American Statistician 54 (2000) 280): few samples say
little."""


@dataclass(frozen=True)
class FrameDifference:
    """One frame, in shares of all samples of each side."""

    frame: str
    self_share: tuple[float, float]
    """the share of the stacks that end in it"""
    whole: tuple[float, float]
    """the share of the stacks that it is in"""

    @property
    def more(self) -> float:
        """By how much the second's own share is larger."""
        return self.self_share[1] - self.self_share[0]


@dataclass(frozen=True)
class Pair:
    """Two contenders under one profiler."""

    first: Profile
    second: Profile
    profiler: str
    stacks: tuple[Mapping[Stack, int], Mapping[Stack, int]]
    frames: Sequence[FrameDifference]


def profile_pairs(profiles: Profiles) -> list[Pair]:
    """Each contender beside the first one that the same profiler has seen; four pairs at most."""
    samples = [(sampled, line) for line in profiles.lines for sampled in line.stacks]
    samples.sort(key=lambda each: each[0].profiler)
    all_pairs = []
    for profiler, group in groupby(samples, key=lambda each: each[0].profiler):
        first, *others = group
        all_pairs += [_pair(profiler, first, other, profiles) for other in others]
    return all_pairs[:MOST_PAIRS]


def _pair(
    profiler: str, first: tuple[SampledStacks, Profile], second: tuple[SampledStacks, Profile], profiles: Profiles
) -> Pair:
    stacks = profiles.stacks[first[0].file], profiles.stacks[second[0].file]
    return Pair(first[1], second[1], profiler, stacks, differing_frames(*stacks))


def differing_frames(first: Mapping[Stack, int], second: Mapping[Stack, int]) -> list[FrameDifference]:
    """The frames whose own share differs by more than chance makes likely, those with the largest difference first."""
    counts = sum(first.values()), sum(second.values())
    if not all(counts):
        return []
    in_itself, whole = (self_shares(first), self_shares(second)), (whole_shares(first), whole_shares(second))
    differences = []
    for frame in in_itself[0].keys() | in_itself[1].keys():
        shares = in_itself[0].get(frame, 0.0), in_itself[1].get(frame, 0.0)
        if _differ(shares, counts):
            differences.append(FrameDifference(frame, shares, (whole[0].get(frame, 0.0), whole[1].get(frame, 0.0))))
    return sorted(differences, key=lambda each: (-abs(each.more), each.frame))[:MOST_FRAMES]


def _differ(shares: tuple[float, float], counts: tuple[int, int]) -> bool:
    """Whether two shares, each of so many samples, differ by more than chance makes likely."""
    more = [count + 2 * ADDED for count in counts]
    careful = [(share * count + ADDED) / many for share, count, many in zip(shares, counts, more, strict=True)]
    error = sqrt(sum(share * (1 - share) / many for share, many in zip(careful, more, strict=True)))
    return abs(careful[1] - careful[0]) > STANDARD_ERRORS * error
