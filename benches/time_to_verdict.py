"""Time to a verdict: how long a plan takes to tell a contender that is slower by 5% from one that is not.

    .venv/bin/python -m benches.time_to_verdict --folder DIR                     # hours: it goes on where it was ended
    .venv/bin/python -m benches.time_to_verdict --folder DIR --plans benches/plans/ab-test.toml --workloads plaintext \
        --planted 0 0.05 0.1 --runs 40                                           # for docs/ab-test.md

Two contenders are one program (`planted.py`). One of them is busy for a while in each request, so that it answers less
by the planted share; how long that has to be is measured first. The bound of the claim lies in the middle: at least
0.975 for 5%. So *upheld* is right of equal programs and *refuted* of unequal ones, and the other way round they are
wrong. In the world `neighbour` the process of `neighbour.py` works beside each run.

A plan is a TOML file: `command` is `run` unless it says `ab-test`, which has its own claim; `arguments` are passed on;
the keys of `experiment` replace those of the experiment's file, those of its `load` one by one. Run nothing else
meanwhile. What is after `--` is passed on to each run.
"""

import argparse
import json
import math
import statistics
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from benches import document
from benches.honest_trials import carry_out, parse_own, toml
from benches.neighbour import neighbour
from benches.planted import BASE, Planted, spin_us
from benches.wall_time import result_of, wall_seconds

PLANS = Path(__file__).resolve().with_name("plans")
DIFFERENCE = 0.05
BOUND = 1 - DIFFERENCE / 2
PILOT_SPIN_US, PILOT_BLOCKS = 50.0, 3
"""So long that its effect is far beyond noise. A request costs some 30 µs and more."""

WORKLOADS: Mapping[str, Mapping[str, Any]] = {
    "plaintext": {"service": "none", "load": {"connections": 16}},
    "fan-out": {"service": "none", "load": {"connections": 64}, "options": {"delay_milliseconds": 2}},
    "random-item": {"service": "postgresql", "load": {"connections": 16}, "dataset": {"rows": 100_000}},
    "survey-insert": {"service": "postgresql", "load": {"connections": 16}},
}
"""Loads that keep the program's processor busy: else it would be slower by less than was planted."""

World = Literal["quiet", "neighbour"]
WORLDS: tuple[World, ...] = ("quiet", "neighbour")


@dataclass(frozen=True, eq=False)
class Plan:
    """How a run is conducted."""

    name: str
    command: str
    arguments: Sequence[str]
    experiment: Mapping[str, Any]

    @classmethod
    def read(cls, file: Path) -> "Plan":
        """From a TOML file, whose name is the plan's."""
        keys = tomllib.loads(file.read_text(encoding="utf-8"))
        return cls(file.stem, keys.pop("command", "run"), keys.pop("arguments", []), keys.pop("experiment", {}))


@dataclass(frozen=True)
class Case:
    """One kind of run."""

    workload: str
    world: World
    plan: Plan
    planted: float
    """the share by which the second contender answers less"""

    @property
    def name(self) -> str:
        """Of its experiments, without the number."""
        return f"verdict-{self.workload}-{self.plan.name}-{self.world}-{1000 * self.planted:g}"

    @property
    def tag(self) -> str:
        """Of the commit that is slower by this share."""
        return f"{self.workload}-{1000 * self.planted:g}"

    def experiment(self, program: Planted, spin: float) -> dict[str, Any]:
        """The keys of its experiment's file, without its name.

        Args:
            spin: in each request of the second contender, in microseconds.
        """
        keys = base_experiment(self.workload)
        if self.plan.command == "run":
            keys["contenders"] = {"first": program.contender(0.0), "second": program.contender(spin)}
            claim = {"id": "as-fast", "kind": "ratio", "text": "the second is as fast", "metric": "goodput"}
            keys["claims"] = [{**claim, "of": "second", "to": "first", "at_least": BOUND}]
        else:
            keys["contenders"] = {"first": program.contender()}
        keys["stacks"] = list(keys["contenders"])
        load = {**keys["load"], **self.plan.experiment.get("load", {})}
        return {**keys, **self.plan.experiment, "load": load}

    def arguments(self, file: Path) -> list[str]:
        """Of the command `fairtrial`."""
        if self.plan.command == "run":
            return ["run", str(file), *self.plan.arguments]
        return [self.plan.command, BASE, self.tag, "--file", str(file), *self.plan.arguments]

    def beside(self, number: int) -> AbstractContextManager[object]:
        """What works on the machine during its run of this number."""
        return neighbour(number) if self.world == "neighbour" else nullcontext()


def base_experiment(workload: str) -> dict[str, Any]:
    """The keys that all experiments with this workload have."""
    keys = WORKLOADS[workload]
    load = {"kind": "closed", "warmup_seconds": 1.0, "duration_seconds": 3.0, **keys["load"]}
    return {"title": "Time to a verdict", "workload": workload, **keys, "load": load}


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    verdict: str
    at_least: float
    seconds: float
    """of the whole command"""
    estimate: float | None
    interval: tuple[float, float] | None

    @classmethod
    def read(cls, results: Path, seconds: float) -> "Outcome":
        """From a results folder, whose first claim decides."""
        claim = json.loads((results / "result.json").read_text())["claims"][0]
        interval = claim["interval"]
        return cls(
            verdict=claim["verdict"],
            at_least=claim["at_least"],
            seconds=seconds,
            estimate=claim["estimate"],
            interval=None if interval is None else (interval[0], interval[1]),
        )

    @property
    def is_decided(self) -> bool:
        """Whether it answers."""
        return self.verdict != "undecided"

    def is_wrong(self, planted: float) -> bool:
        """Whether it answers what is not so."""
        is_slower = 1 - planted < self.at_least
        return self.is_decided and (self.verdict == "refuted") != is_slower

    @property
    def half_width(self) -> float | None:
        """Of the interval, to either side, as a share of the estimate."""
        if self.interval is None or min(self.interval) <= 0:
            return None
        return math.sqrt(self.interval[1] / self.interval[0]) - 1


def table(outcomes: Mapping[Case, Sequence[Outcome]]) -> str:
    """A row for each kind of run; then one for each plan, with all that was planted together."""
    together: dict[tuple[str, str, str], list[tuple[float, Outcome]]] = defaultdict(list)
    rows = []
    for case, each in outcomes.items():
        key = (case.workload, case.world, case.plan.name)
        together[key] += [(case.planted, outcome) for outcome in each]
        verdicts = [outcome.verdict for outcome in each]
        widths = [outcome.half_width for outcome in each if outcome.half_width is not None]
        estimates = [outcome.estimate for outcome in each if outcome.estimate is not None]
        rows.append(
            [
                *key,
                f"{case.planted:.1%}",
                f"{1 - statistics.median(estimates):.1%}" if estimates else "–",
                str(len(each)),
                str(len(each) - verdicts.count("refuted") - verdicts.count("undecided")),
                *(str(verdicts.count(verdict)) for verdict in ("refuted", "undecided")),
                median_seconds(each),
                f"±{statistics.median(widths):.1%}" if widths else "–",
            ]
        )
    first = ["workload", "world", "plan"]
    of_cases = document.table(
        [
            *first,
            "planted",
            "measured (median)",
            "runs",
            "not slower",
            "slower",
            "undecided",
            "to a verdict, s (median)",
            "interval (median)",
        ],
        rows,
    )
    of_plans = document.table(
        [*first, "to a verdict, s (median)", "decided", "wrong"],
        [
            [
                *key,
                median_seconds([outcome for _, outcome in each]),
                f"{sum(outcome.is_decided for _, outcome in each)} of {len(each)}",
                str(sum(outcome.is_wrong(planted) for planted, outcome in each)),
            ]
            for key, each in together.items()
        ],
    )
    return f"{of_cases}\n\n{of_plans}"


def median_seconds(outcomes: Sequence[Outcome]) -> str:
    """Of the whole command; one that is undecided takes longer than any."""
    if not outcomes:
        return "–"
    seconds = sorted(outcome.seconds if outcome.is_decided else math.inf for outcome in outcomes)
    median = statistics.median_low(seconds)
    return "undecided" if math.isinf(median) else f"{median:.0f}"


def cases(options: argparse.Namespace) -> list[Case]:
    """All that is asked for."""
    plans = [Plan.read(file) for file in options.plans]
    return [
        Case(workload, world, plan, planted)
        for world in options.worlds
        for workload in options.workloads
        for plan in plans
        for planted in options.planted
    ]


def longer_per_us(folder: Path, workload: str, program: Planted, options: argparse.Namespace) -> float:
    """How much longer a request takes for each microsecond that the program is busy in it, as a share.

    It is measured by a pilot, which is run until it has figures.

    Raises:
        SystemExit: it has none.
    """
    name = f"verdict-{workload}-pilot"
    if (share := _of_pilot(folder, name)) is None:
        contenders = {"first": program.contender(0.0), "second": program.contender(PILOT_SPIN_US)}
        keys = {**base_experiment(workload), "contenders": contenders, "stacks": list(contenders)}
        file = folder / f"{name}.toml"
        file.write_text(toml({"name": name, **keys, "blocks": PILOT_BLOCKS}))
        carry_out(folder, name, ["run", str(file), *options.passed_on], options.run_within_seconds)
        share = _of_pilot(folder, name)
    if share is None:
        raise SystemExit(f"{name}: it has no figures; its results folder says why")
    return share


def _of_pilot(folder: Path, name: str) -> float | None:
    for result in sorted(folder.glob(f"{name}-2*/result.json")):
        goodput = [
            [trial["goodput"]["per_second"] for trial in condition["trials"] if trial["goodput"] is not None]
            for condition in json.loads(result.read_text())["conditions"]
        ]
        if len(goodput) == 2 and all(goodput):
            first, second = map(statistics.median, goodput)
            if first > second:
                return float((first / second - 1) / PILOT_SPIN_US)
    return None


def missing(every: Sequence[Case], runs: int, folder: Path) -> Iterator[tuple[Case, int]]:
    """The runs that have no result yet, each kind once before any of them twice."""
    for number in range(1, runs + 1):
        for case in every:
            if result_of(folder, f"{case.name}-{number}") is None:
                yield case, number


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("time-to-verdict"), help="for results; it is gone on with")
    usual = [PLANS / "whole.toml", PLANS / "default.toml"]
    parser.add_argument("--plans", nargs="+", type=Path, default=usual, metavar="FILE", help="TOML, as above")
    parser.add_argument("--workloads", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--worlds", nargs="+", choices=WORLDS, default=list(WORLDS))
    parser.add_argument("--planted", nargs="+", type=float, default=[0.0, DIFFERENCE], metavar="SHARE")
    parser.add_argument("--runs", type=int, default=5, help="of each kind (default: 5)")
    parser.add_argument("--run-within-seconds", type=float, default=1800.0, help="of one run; then it is ended")
    return parse_own(parser)


def main() -> int:
    """Run what has not been run yet, print the tables, and return the exit status: 1 if an answer was wrong."""
    options = arguments()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    program = Planted(folder / "program")
    program.make()
    every = cases(options)
    for case, number in missing(every, options.runs, folder):
        name = f"{case.name}-{number}"
        print(name, file=sys.stderr)
        spin = spin_us(case.planted, longer_per_us(folder, case.workload, program, options))
        if case.plan.command != "run":
            program.commit(case.tag, spin)
        file = folder / f"{name}.toml"
        file.write_text(toml({"name": name, **case.experiment(program, spin)}))
        with case.beside(number):
            carry_out(folder, name, [*case.arguments(file), *options.passed_on], options.run_within_seconds)
    walls = wall_seconds(folder)
    outcomes: dict[Case, list[Outcome]] = {case: [] for case in every}
    for case in every:
        for number in range(1, options.runs + 1):
            name = f"{case.name}-{number}"
            if name in walls and (results := result_of(folder, name)) is not None:
                outcomes[case].append(Outcome.read(results, walls[name]))
    print(table(outcomes))
    return int(any(outcome.is_wrong(case.planted) for case, each in outcomes.items() for outcome in each))


if __name__ == "__main__":
    sys.exit(main())
