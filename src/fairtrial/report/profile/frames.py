"""Folded stacks as shares of frames, and as the tree that a flame graph draws."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from fairtrial.record.folded_stacks import Stack

LINE = re.compile(r":\d+\)$")
"""The line number at the end of `name (file:line)`."""
MOST_DRAWN = 1500
LEAST_SHARE = 0.002
"""The least share of all samples that is drawn: on a screen of 1,000 pixels, two."""


@dataclass
class Node:
    """A frame, called as its place in the tree says."""

    name: str
    count: int = 0
    self_count: int = 0
    """the samples of the stacks that end in it"""
    children: dict[str, "Node"] = field(default_factory=dict)


@dataclass(frozen=True)
class FrameBox:
    """A frame with its place in a flame graph: from 0 to 1 in width, and how deep."""

    name: str
    path: Stack
    begins: float
    ends: float
    depth: int
    self_share: float
    """share of all samples that end in it"""


def without_line(frame: str) -> str:
    """The frame's name without a line number, which is another after any change of the file."""
    return LINE.sub(")", frame)


def self_shares(stacks: Mapping[Stack, int]) -> dict[str, float]:
    """By frame, the share the samples of the stacks that end in it."""
    ends: Counter[str] = Counter()
    for stack, count in stacks.items():
        ends[without_line(stack[-1])] += count
    return _as_shares(ends)


def whole_shares(stacks: Mapping[Stack, int]) -> dict[str, float]:
    """By frame, the share of the stacks that it is in, however often."""
    holds: Counter[str] = Counter()
    for stack, count in stacks.items():
        for frame in set(map(without_line, stack)):
            holds[frame] += count
    whole = sum(stacks.values())
    return {frame: count / whole for frame, count in holds.items()}


def path_shares(stacks: Mapping[Stack, int]) -> dict[Stack, float]:
    """By path from the outermost frame, without line numbers, the share of the stacks that begin with it."""
    begin: Counter[Stack] = Counter()
    for stack, count in stacks.items():
        path = tuple(map(without_line, stack))
        for depth in range(1, len(path) + 1):
            begin[path[:depth]] += count
    whole = sum(stacks.values())
    return {path: count / whole for path, count in begin.items()}


def tree(stacks: Mapping[Stack, int]) -> Node:
    """The stacks as a tree; frames of one name below one caller are one node, whatever their lines."""
    root = Node("all")
    for stack, count in stacks.items():
        node = root
        node.count += count
        for frame in map(without_line, stack):
            node = node.children.setdefault(frame, Node(frame))
            node.count += count
        node.self_count += count
    return root


def laid_out(stacks: Mapping[Stack, int]) -> list[FrameBox]:
    """The frames of a flame graph, callers above what they call, siblings by name; the widest 1,500 of them.

    Those of less than 0.2% of the samples are left out.
    """
    root = tree(stacks)
    whole = root.count
    frames: list[FrameBox] = []
    waiting: list[tuple[Node, Stack, float, int]] = [(root, (), 0.0, 0)]
    while waiting:
        node, path, begins, depth = waiting.pop()
        frames.append(FrameBox(node.name, path, begins, begins + node.count / whole, depth, node.self_count / whole))
        at = begins
        for child in sorted(node.children.values(), key=lambda each: each.name):
            if child.count >= LEAST_SHARE * whole:
                waiting.append((child, (*path, child.name), at, depth + 1))
            at += child.count / whole
    # A frame is never wider than its caller, so that none loses its caller by this.
    return sorted(frames, key=lambda each: (each.begins - each.ends, each.depth))[:MOST_DRAWN]


def _as_shares(counts: Counter[str]) -> dict[str, float]:
    whole = counts.total()
    return {frame: count / whole for frame, count in counts.items()}
