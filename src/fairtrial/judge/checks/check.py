"""`@check`: what makes a function a check.

The function's positional parameters say what is examined, by their names:

    case    all trials at once, of an experiment (`Case`) or of a load by itself (`LoadCase`)
    trial   each trial
    load    the load that was offered in each trial
    engine, network, ledger, …    the field of this name of each trial

Trials in which one of these is not of the annotated type are not examined: with `engine: EngineSummary`, those without
a summary; with `load: ClosedLoad`, those under other loads. A parameter beside `case` makes it a check of each trial.

Keyword-only parameters are the check's thresholds, with the values in force.
"""

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from fairtrial.base.printable import printable
from fairtrial.judge.checks.model import Case, Finding, LoadCase, Threshold, finding
from fairtrial.judge.checks.windows import of_slices, of_whole_window, whole_window_of
from fairtrial.record.model import TrialRecord

TO_EXAMINE = "let the lab start the contender: give its `folder`, or its `command` and `directory`"

Examine = Callable[..., Iterator[Finding]]
"""A pure function: the same record gives the same findings."""


@dataclass(frozen=True)
class _Subject:
    """Something that a function examines, and of which types it has to be."""

    name: str
    types: tuple[type, ...]

    def in_trial(self, case: LoadCase, trial: TrialRecord) -> Any:
        """The value of this name, of any type."""
        match self.name:
            case "case":
                return case
            case "trial":
                return trial
            case "load":
                return case.loads.get(trial.condition)
        return getattr(trial, self.name)


@dataclass(frozen=True)
class Check:
    """A check: its name in reports and in `[checks.NAME]`, what it looks at, its thresholds, and the remedy when it
    fires."""

    name: str
    looks_at: str
    remedy: str
    thresholds: Mapping[str, Threshold]
    examine: Examine
    subjects: Sequence[_Subject]
    of_loads: bool
    """whether it needs nothing but measured loads, without an experiment: `fairtrial load` has it, too"""
    of_machine: bool
    """whether its refusals are for what the machine did: such a block is left out, and another takes its place"""
    needs_processes: bool
    """whether it looks at the stack's own processes: of trials where the lab knows none it says *not examined*"""

    @property
    def finds(self) -> str:
        """The first line of its function's docstring, without the full stop."""
        return self._docstring.partition("\n\n")[0].replace("\n", " ").removesuffix(".")

    @property
    def decides(self) -> str:
        """The rest of the docstring: how grave what it finds is, and why."""
        return self._docstring.partition("\n\n")[2]

    @property
    def _docstring(self) -> str:
        return inspect.getdoc(self.examine) or ""

    def findings(self, case: LoadCase, overrides: Mapping[str, float]) -> Iterator[Finding]:
        """All that it finds in a case. The evidence names the thresholds that are not the check's own.

        Args:
            overrides: thresholds of the experiment, in place of the check's own.
        """
        unusual = self.unusual(overrides)
        for trial, each in self._examine(case, self.thresholds_with(overrides)):
            yield self._complete(each, trial, unusual)

    def thresholds_with(self, overrides: Mapping[str, float]) -> dict[str, float]:
        """The value of every threshold, with those of an experiment in place of the check's own."""
        return {key: overrides.get(key, threshold.value) for key, threshold in self.thresholds.items()}

    def not_examined(self, trials: Iterable[TrialRecord], overrides: Mapping[str, float]) -> Iterator[Finding]:
        """A note for each trial whose processes the lab does not know."""
        for trial in trials:
            note = finding("note", f"not examined: {trial.not_measured}", TO_EXAMINE, examined=False)
            yield self._complete(note, trial.index, self.unusual(overrides))

    def unusual(self, overrides: Mapping[str, float]) -> str:
        """`share is 0.01 here, default 0.001`; empty if every threshold is the check's own."""
        return "; ".join(
            f"{key} is {overrides[key]:g} here, default {threshold.value:g}"
            for key, threshold in self.thresholds.items()
            if overrides.get(key, threshold.value) != threshold.value
        )

    def _examine(self, case: LoadCase, limits: Mapping[str, float]) -> Iterator[tuple[int | None, Finding]]:
        """Each finding, and the index of the trial in which it was found; None: the finding says what it is about."""
        if [subject.name for subject in self.subjects] == ["case"]:
            yield from ((None, each) for each in self.examine(case, **limits))
            return
        is_of_engine = any(subject.name == "engine" for subject in self.subjects)
        for trial in case.trials:
            findings = self._of_trial(case, trial, limits)
            whole = whole_window_of(trial) if is_of_engine else None
            if whole is not None:
                findings = chain(of_slices(findings), of_whole_window(self._of_trial(case, whole, limits)))
            yield from ((trial.index, each) for each in findings)

    def _of_trial(self, case: LoadCase, trial: TrialRecord, limits: Mapping[str, float]) -> Iterator[Finding]:
        values = []
        for subject in self.subjects:
            value = subject.in_trial(case, trial)
            if not isinstance(value, subject.types):
                return
            values.append(value)
        yield from self.examine(*values, **limits)

    def _complete(self, incomplete: Finding, trial: int | None, unusual: str) -> Finding:
        evidence = incomplete.evidence
        if incomplete.metrics:
            evidence += f"; lost: {', '.join(_by_percentiles(incomplete.metrics))}"
        return incomplete.model_copy(
            update={
                "check": self.name,
                "evidence": printable(f"{evidence} ({unusual})" if unusual else evidence),
                "remedy": printable(incomplete.remedy or self.remedy),
                "trial": incomplete.trial if trial is None else trial,
            }
        )


def _by_percentiles(metrics: Iterable[str]) -> Iterator[str]:
    """`p90 to p99 of response_time, service_time` for times that have the same percentiles; other names as they are."""
    percentiles: dict[str, list[str]] = defaultdict(list)
    others = []
    for name in metrics:
        time, _, percentile = name.rpartition("_")
        if percentile.startswith("p") and percentile[1:2].isdigit():
            percentiles[time].append(percentile)
        else:
            others.append(name)
    times: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for time, names in percentiles.items():
        times[tuple(names)].append(time)
    for same, alike in times.items():
        span = f"{same[0]} to {same[-1]}" if len(same) > 2 else " and ".join(same)
        yield f"{span} of {', '.join(alike)}"
    yield from others


def check(
    name: str,
    *,
    looks_at: str,
    remedy: str,
    of_loads: bool = False,
    of_machine: bool = False,
    needs_processes: bool = False,
    **thresholds: Threshold,
) -> Callable[[Examine], Check]:
    """Make a function a check. Its docstring, which begins with what it finds, is its section in docs/checks.md.

    Args:
        thresholds: by the name of the function's keyword-only parameter.

    Raises:
        TypeError: the function's parameters are not those of a check.
    """

    def decorate(examine: Examine) -> Check:
        parameters = inspect.signature(examine).parameters.values()
        subjects = [_subject(each) for each in parameters if each.kind is not each.KEYWORD_ONLY]
        keys = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
        if keys != thresholds.keys():
            raise TypeError(f"{name}: its thresholds are {sorted(thresholds)}, its function has {sorted(keys)}")
        if of_loads and any(Case in subject.types for subject in subjects):
            raise TypeError(f"{name}: a check of loads has a LoadCase, not a Case")
        return Check(name, looks_at, remedy, thresholds, examine, subjects, of_loads, of_machine, needs_processes)

    return decorate


def _subject(parameter: inspect.Parameter) -> _Subject:
    if parameter.name not in {"case", "trial", "load", *TrialRecord.model_fields}:
        raise TypeError(f"{parameter.name}: a check examines a case, a trial, a load, or a field of a trial")
    return _Subject(parameter.name, tuple(_types(parameter.annotation)))


def _types(annotation: Any) -> Iterator[type]:
    """The types of which a value of this annotation is."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _types(get_args(annotation)[0])
    elif origin in (Union, UnionType):
        for part in get_args(annotation):
            yield from _types(part)
    else:
        yield origin or annotation
