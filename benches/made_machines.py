"""One locked experiment on eight machines that are made of this one, and what `fairtrial pool` says of their records.

    .venv/bin/python -m benches.made_machines --folder DIR   # as root, some ten minutes; goes on where it was ended

A machine is made by what a thread hands on to what it starts: its processors, how late its timers may be, a neighbour,
a network of its own with other settings of the kernel. This machine itself stays as it is, and all of it ends with the
run. In a mount namespace of its own, each has a machine-id of its own, as another machine would have: `fairtrial pool`
takes runs of one machine as one. So the eight are no sample of any machines. They show what pooling tells of
differences that are known.

Five of them differ in one thing each. Of five, no difference can be explained: every way to deal them to two groups is
too likely. All eight are four with two processors and four with one. Two records are forged from the first one: of one
contender the answers are doubled, in the careless one alone, in the other with all that goes with them. Run nothing
else meanwhile; what is after `--` is passed on to each `fairtrial run`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from benches import document
from benches.honest_trials import carry_out, parse_own, toml
from benches.neighbour import neighbour
from benches.wall_time import result_of
from fairtrial.base.c_library import call
from fairtrial.base.formatting import count, enumeration, figure, span
from fairtrial.base.mount_namespace import mount_namespace
from fairtrial.base.network_namespace import network_namespace
from fairtrial.base.problem import Problem
from fairtrial.tools.pool.claims import PooledClaim, pool_claims
from fairtrial.tools.pool.machines import Machine, read_machines

NAME = "made-machines"
FASTER, SLOWER = "go-nethttp", "python-flask"
MACHINE_ID = Path("/etc/machine-id")
PR_SET_TIMERSLACK = 29
"""include/uapi/linux/prctl.h"""
TIMERS_LATE_NANOSECONDS = 1_000_000
NEIGHBOUR_MEAN_SECONDS, NEIGHBOUR_SHARE = 0.02, 0.15
"""Below what `foreign-load` refuses."""
NETWORK: Mapping[str, str] = {
    "net/core/somaxconn": "128",
    "net/ipv4/tcp_rmem": "4096 8192 65536",
    "net/ipv4/tcp_wmem": "4096 8192 65536",
    "net/ipv4/tcp_timestamps": "0",
    "net/ipv4/tcp_sack": "0",
}
"""By file below /proc/sys, each of one network namespace alone."""
MTU = 1500

Setting = Callable[[], AbstractContextManager[object]]


@contextmanager
def one_processor() -> Iterator[None]:
    """Within, what this thread starts runs on one processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def late_timers() -> Iterator[None]:
    """Within, timers of what this thread starts may be late by a millisecond: clocks that tick less often."""
    call("prctl", PR_SET_TIMERSLACK, TIMERS_LATE_NANOSECONDS, 0, 0, 0)
    try:
        yield
    finally:
        call("prctl", PR_SET_TIMERSLACK, 0, 0, 0, 0)  # the one with which this process began


@contextmanager
def other_network() -> Iterator[None]:
    """Within, loopback has the packets of Ethernet, and TCP small buffers."""
    with network_namespace():
        subprocess.run(["ip", "link", "set", "lo", "mtu", str(MTU)], check=True)
        for name, value in NETWORK.items():
            Path("/proc/sys", name).write_text(value)
        yield


@contextmanager
def machine_id(name: str) -> Iterator[None]:
    """Within, this thread and what it starts find another machine-id, which follows from this machine's and `name`."""
    identity = uuid5(UUID(MACHINE_ID.read_text().strip()), name).hex
    with tempfile.NamedTemporaryFile("w") as file, mount_namespace():
        print(identity, file=file, flush=True)
        Path(file.name).chmod(0o444)
        subprocess.run(["mount", "--bind", file.name, MACHINE_ID], check=True)
        yield


@dataclass(frozen=True)
class Made:
    """A machine made of this one."""

    name: str
    settings: Sequence[Setting]

    @contextmanager
    def here(self) -> Iterator[None]:
        """Within, what this thread starts is on it."""
        settings: Sequence[Setting] = (partial(machine_id, self.name), *self.settings)
        with ExitStack() as stack:
            for setting in settings:
                stack.enter_context(setting())
            yield


_BESIDE: Mapping[str, Sequence[Setting]] = {
    "as installed": (),
    "a neighbour": (partial(neighbour, 1, NEIGHBOUR_MEAN_SECONDS, NEIGHBOUR_SHARE),),
    "late timers": (late_timers,),
    "another network": (other_network,),
}
FIVE = (
    *(Made(name, settings) for name, settings in _BESIDE.items()),
    Made("one processor", (one_processor,)),
)
EIGHT = (
    *FIVE,
    *(Made(f"one processor, {name}", (one_processor, *settings)) for name, settings in _BESIDE.items() if settings),
)


def experiment(options: argparse.Namespace) -> dict[str, Any]:
    """The keys of its file."""
    ratio = {"kind": "ratio", "of": FASTER, "to": SLOWER}
    return {
        "name": NAME,
        "title": "Go against threads of Python, on machines that were made",
        "workload": "fan-out",
        "service": "none",
        "stacks": [SLOWER, FASTER],
        "blocks": options.blocks,
        "whole_windows": True,
        "concurrency_budget": 256,
        "options": {"delay_milliseconds": 2},
        "load": {
            "kind": "closed",
            "connections": 256,
            "warmup_seconds": 0.5,
            "duration_seconds": options.seconds,
        },
        "checks": {"foreign-load": {"refuse": 1.0}} if options.beside_others else {},
        "claims": [
            {**ratio, "id": "goodput", "text": "Go serves at least twice the goodput of Flask", "at_least": 2.0},
            {
                **ratio,
                "id": "median",
                "text": "Go's median response time is at most half of Flask's",
                "metric": "response_time_p50",
                "at_most": 0.5,
            },
        ],
    }


KEPT = {"protocol", "source_addresses", "connections_each", "ports_each", "connections", "without", "min", "max"}
KEPT |= {"in_flight", "in_flight_at_start", "in_flight_at_end", "bodies_left_out", "routes", "warm_up", "picks"}
"""Whole numbers of an account that do not grow with the answers."""
TIMES = {"service_time", "response_time", "first_byte_time", "series", "tenths", "oldest_in_flight_seconds"}


def doubled(value: Any, *, times: bool = False) -> Any:
    """An account in which twice as many answers came, each in half of the time.

    Args:
        times: whether the value is one of times, which are halved.
    """
    if isinstance(value, dict):
        return {key: each if key in KEPT else doubled(each, times=times or key in TIMES) for key, each in value.items()}
    if isinstance(value, list):
        return [doubled(each, times=times) for each in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return 2 * value
    return value / 2 if times and isinstance(value, float) else value


def forge(record: Path, folder: Path, *, careless: bool) -> Path:
    """A run of a machine that there is not, with one contender twice as fast as in this record."""
    head, *trials = [json.loads(line) for line in (record / "record.jsonl").read_text().splitlines()]
    head["host"]["machine"] = uuid5(UUID(MACHINE_ID.read_text().strip()), folder.name).hex
    for trial in trials:
        engine = trial["engine"]
        if engine is None:
            continue
        engine["threads"][0]["cpu_seconds"] += 0.001 if careless else 0.002  # so that no trial is a copy
        if not trial["condition"].startswith(FASTER):
            continue
        if careless:
            engine |= {key: 2 * engine[key] for key in ("verified", "goodput_per_second")}
            continue
        trial |= {key: doubled(trial[key]) for key in ("engine", "ledger", "window_work")}
        engine = trial["engine"]
        engine["goodput_per_second"] *= 2
        if way := engine["under_way"]:
            way |= {key: way[key] / 2 for key in ("at_start_seconds", "at_end_seconds")}
            seconds = way["ended_seconds"] + way["at_end_seconds"] - way["at_start_seconds"]
            way["mean_requests"] = seconds / engine["window_seconds"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "record.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in (head, *trials)))
    return folder


def machines_table(names: Sequence[str], machines: Sequence[Machine], claims: Sequence[PooledClaim]) -> str:
    """A row for each machine, with its own ratios."""
    rows = []
    for place, (name, machine) in enumerate(zip(names, machines, strict=True)):
        trials = [trial for condition in machine.result.conditions for trial in condition.trials]
        valid = sum(trial.outcome == "valid" for trial in trials)
        figures = [_ratio(claim, place) for claim in claims]
        rows.append([name, f"{valid} of {len(trials)}", *figures])
    return document.table(["machine", "valid trials", *(claim.id for claim in claims)], rows)


def _ratio(claim: PooledClaim, place: int) -> str:
    each = claim.machines[place]
    if each.estimate is None or each.lower is None or each.upper is None:
        return f"none ({each.verdict})"
    return f"{figure(each.estimate)} ({span((each.lower, each.upper))})"


def pools_table(pools: Mapping[str, tuple[Sequence[str], Sequence[PooledClaim]]]) -> str:
    """A row for each pool and claim.

    Args:
        pools: by its name, the names of its machines, and its claims.
    """
    rows = []
    for name, (names, claims) in pools.items():
        for claim in claims:
            odd = [each for each, of in zip(names, claim.machines, strict=True) if of.disagrees]
            explained = (
                f"{enumeration(split.properties)}: "
                + enumeration(f"{figure(of.estimate)} with {of.value} ({of.machines})" for of in split.groups)
                for split in claim.explained_by
            )
            rows.append(
                [
                    name,
                    claim.id,
                    claim.verdict or "not pooled",
                    f"{figure(claim.estimate)} ({span(claim.interval)})"
                    if claim.estimate is not None and claim.interval is not None
                    else claim.reason or "none",
                    "–" if claim.between is None else f"{claim.between:.1%}",
                    enumeration(odd) or "none",
                    "; ".join(explained) or "nothing",
                ]
            )
    head = ["pool", "ratio of", "verdict", "pooled", "between machines", "disagrees", "goes with"]
    return document.table(head, rows)


def report(places: Mapping[str, Path], lies: int = 1) -> str:
    """The tables in Markdown.

    Args:
        places: by the name of a machine, its run; the first is the one that is forged.
    """
    names = list(places)
    with tempfile.TemporaryDirectory() as scratch:
        forged = {"forged": forge(places[names[0]], Path(scratch, "forged"), careless=False)}
        told = _refusal([forge(places[names[0]], Path(scratch, "careless"), careless=True), *places.values()])
        of_pools = {
            count(len(FIVE), "machine"): names[: len(FIVE)],
            count(len(names), "machine"): names,
            f"{count(len(FIVE), 'machine')}, and one forged": [*names[: len(FIVE)], "forged"],
        }
        every = {**places, **forged}
        judged = dict(zip(every, read_machines(list(every.values()), {}), strict=True))
    pools = {
        pool: (machines, pool_claims([judged[name] for name in machines], lies)) for pool, machines in of_pools.items()
    }
    of_all = machines_table(list(every), list(judged.values()), pool_claims(list(judged.values()), lies))
    return f"{of_all}\n\n{pools_table(pools)}\n\nOf one forged carelessly: {told}."


def _refusal(places: Sequence[Path]) -> str:
    try:
        read_machines(places, {})
    except Problem as problem:
        return problem.reason.partition(" ")[2]
    return "nothing is told"


def main() -> None:
    """Run what has not been run yet, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path(NAME), help="for results; it is gone on with")
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each window")
    parser.add_argument("--run-within-seconds", type=float, default=300.0, help="of one run; then it is ended")
    parser.add_argument(
        "--beside-others", action="store_true", help="refuse nothing for foreign load: to try it, figures are worthless"
    )
    options = parse_own(parser)
    options.folder.mkdir(parents=True, exist_ok=True)
    file = options.folder / f"{NAME}.toml"
    file.write_text(toml(experiment(options)))
    places: dict[str, Path] = {}
    for made in EIGHT:
        folder = options.folder / made.name.replace(", ", "-").replace(" ", "-")
        folder.mkdir(exist_ok=True)
        if result_of(folder, NAME) is None:
            print(made.name, file=sys.stderr)
            with made.here():
                carry_out(folder, NAME, ["run", str(file), *options.passed_on], options.run_within_seconds)
        if (results := result_of(folder, NAME)) is None:
            raise SystemExit(f"{made.name}: its run has no result")
        places[made.name] = results
    print(report(places))


if __name__ == "__main__":
    main()
