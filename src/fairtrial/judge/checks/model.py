"""What a check is. Each lives in a file of its own beside this one and is found by its being there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fairtrial.record.model import ExperimentRecord, TrialRecord

Severity = Literal["note", "warning", "refusal"]


@dataclass(frozen=True)
class Threshold:
    """A number that a check compares with, in `unit`, and where the number comes from."""

    value: float
    unit: str
    source: str


@dataclass(frozen=True)
class Found:
    """Something a check found: in the trial with this index, or (`None`) in the experiment as a whole.

    `evidence` says what was seen, in figures; it may hold text from a server, and the caller makes it
    printable. `remedy` replaces the check's own where this case has a better one.
    """

    trial: int | None
    severity: Severity
    evidence: str
    remedy: str = ""


Examine = Callable[[ExperimentRecord, Sequence[TrialRecord], Mapping[str, float]], Iterator[Found]]
"""Looks at a record, under the thresholds that are in force (every key present). Pure: same record, same findings."""


@dataclass(frozen=True)
class Check:
    """A check: its name in reports and in `[checks.NAME]`, what it looks at, its thresholds, what to do when
    it fires."""

    name: str
    looks_at: str
    thresholds: Mapping[str, Threshold]
    remedy: str
    examine: Examine
