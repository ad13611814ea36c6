"""False refusals over everything that is shipped: honest trials of each workload on each service, by fast stacks.

`.venv/bin/python -m benches.honest_trials --folder DIR` runs 200 trials in short experiments, one after the other, and
prints a table for docs/proof.md. Run nothing else meanwhile: the checks find that, and rightly so. Started again with
the same folder, it goes on where it was interrupted; what is after `--` is passed on to each `fairtrial run`.
"""

import argparse
import json
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benches.false_refusals import Tally
from benches.wall_time import WALL, result_of, wall_seconds
from benches.wall_time import table as table_of_wall_time
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.workloads import workloads
from fairtrial.catalog.workloads.model import ProgramWorkload, Workload

PREFERRED = (
    *("go-nethttp", "rust-axum", "node-http", "node-rapid", "python-starlette", "java-spring"),
    *("go-batch", "rust-batch", "node-batch", "python-batch"),
)
"""Stacks that answer fast, so that a short window has enough answers; those of each workload in this order."""

OPTIONS: Mapping[str, Mapping[str, Any]] = {"query-mix": {"long_milliseconds": 100}}
"""Where a window of usual length would have few answers of a kind."""

CLOSED: Mapping[str, Any] = {"kind": "closed", "connections": 16, "warmup_seconds": 0.5}

FURTHER_LOADS: Mapping[str, Mapping[str, Any]] = {
    **{
        f"open-{rate}": {"kind": "open", "rate_per_second": rate, "warmup_seconds": 0.5}
        for rate in (10, 50, 200, 1000, 5000)
    },
    "capacity": {
        "kind": "capacity",
        "objectives": [{"name": "interactive", "percentile": 99, "within_milliseconds": 50}],
        "lowest_per_second": 1000,
        "warmup_seconds": 0.5,
    },
}
"""What further loads are called in the names of experiments."""

WITH_FURTHER_LOADS = (("plaintext", "none"), ("random-item", "postgresql"))
"""A workload that is all load engine and server, and one that waits for a database."""


@dataclass(frozen=True)
class Setting:
    """A workload on a service, beside a cache if it needs one, the stacks that are tried there, and the load."""

    workload: Workload
    service: str
    cache: str | None
    stacks: Sequence[str]
    load: str = ""
    """one of `FURTHER_LOADS`; empty: `CLOSED`"""

    @property
    def name(self) -> str:
        """Of its experiments, without the round."""
        return "-".join(filter(None, ["honest", self.workload.name, self.service, self.cache, self.load]))

    @property
    def words(self) -> str:
        """For a table: `random-item on postgresql, open-10`."""
        words = f"{self.workload.name} on {self.service}{f' with {self.cache}' if self.cache else ''}"
        return f"{words}, {self.load}" if self.load else words

    def experiment(self, options: argparse.Namespace) -> dict[str, Any]:
        """The keys of its experiment file, its name apart."""
        keys: dict[str, Any] = {"title": self.name, "workload": self.workload.name, "service": self.service}
        keys |= {"stacks": list(self.stacks), "blocks": options.blocks}
        if self.cache:
            keys["cache"] = self.cache
        if self.workload.rows:
            keys["dataset"] = {"rows": min(self.workload.rows, options.rows)}
        if isinstance(self.workload, ProgramWorkload):
            keys |= {"load": {"kind": "program"}, "options": dict(self.workload.check_options[0])}
        else:
            keys |= {"load": {**FURTHER_LOADS.get(self.load, CLOSED), "duration_seconds": options.seconds}}
            keys |= {"options": dict(OPTIONS.get(self.workload.name, {}))}
        return keys


def settings(most_stacks: int, only: Sequence[str] = ()) -> list[Setting]:
    """Every workload on each of its services, with each cache, where a shipped stack of `PREFERRED` implements it."""
    known, found = find_stacks(), []
    for workload in workloads().values():
        caches = () if isinstance(workload, ProgramWorkload) else workload.cache
        for service in workload.services:
            able = [name for name in PREFERRED if known[name].implements(workload, service)]
            for cache in caches or (None,):
                stacks = [name for name in able if cache is None or cache in known[name].services][:most_stacks]
                if stacks and (not only or workload.name in only):
                    further = FURTHER_LOADS if (workload.name, service) in WITH_FURTHER_LOADS else ()
                    found += [Setting(workload, service, cache, stacks, load) for load in ("", *further)]
    return found


def planned(every: Sequence[Setting], trials: int) -> Iterator[tuple[Setting, int]]:
    """Settings in turn, each with its round from 1, until there are so many trials; the last may be some too many."""
    number, count = 0, 0
    while every and count < trials:
        number += 1
        for setting in every:
            if count >= trials:
                return
            yield setting, number
            count += len(setting.stacks)


def toml(keys: Mapping[str, Any]) -> str:
    """As a file, each key in a line."""
    return "".join(f"{key} = {_inline(value)}\n" for key, value in keys.items())


def _inline(value: Any) -> str:
    """Of TOML, in which what is no table is spelled as in JSON."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key} = {_inline(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return json.dumps(value)


def carry_out(folder: Path, name: str, arguments: Sequence[str], within_seconds: float) -> None:
    """Call `fairtrial` with these arguments, within bounds, and note how long that took."""
    command = [sys.executable, "-m", "fairtrial", *arguments, "--out", str(folder)]
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=sys.stderr) as running:
        try:
            running.wait(within_seconds)
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as ended:
            running.send_signal(signal.SIGINT)
            running.wait()
            if isinstance(ended, KeyboardInterrupt):
                raise
            print(f"{name}: not done within {within_seconds:g} s", file=sys.stderr)
    took = {name: round(time.monotonic() - began, 1)}
    (folder / WALL).write_text(json.dumps({**wall_seconds(folder), **took}))


@dataclass
class Findings:
    """What is known of all trials so far."""

    tally: Tally = field(default_factory=Tally)
    refusals: Counter[tuple[str, str]] = field(default_factory=Counter)
    """by check and remedy"""
    not_run: Counter[str] = field(default_factory=Counter)
    """by the first line of the reason"""
    wall_seconds: float = 0.0
    by_setting: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """outcomes by workload and service"""

    def add(self, results: Path, setting: Setting) -> None:
        """Count a run."""
        result = json.loads((results / "result.json").read_text())
        self.tally.add(result)
        where = setting.words
        for trial in (trial for condition in result["conditions"] for trial in condition["trials"]):
            self.by_setting[where][trial["outcome"]] += 1
            if trial["outcome"] == "not run":
                self.not_run[f"{where}: {trial['reason'].splitlines()[0]}"] += 1
            for check, remedy in {
                (each["check"], each["remedy"]) for each in trial["findings"] if each["severity"] == "refusal"
            }:
                self.refusals[check, remedy] += 1


def table(findings: Findings) -> str:
    """What docs/proof.md shows, as Markdown."""
    tally, trials = findings.tally, sum(findings.tally.outcomes.values())
    refused = tally.outcomes["refused"]
    lines = [
        f"{trials} honest trials, {len(findings.by_setting)} workloads on their services: "
        f"{tally.outcomes['valid']} valid, {refused} refused, {tally.outcomes['not run']} not run.",
        "",
        "| refused by | trials | what it says to do |",
        "| --- | --- | --- |",
        *(f"| {check} | {count} | {_cell(remedy)} |" for (check, remedy), count in findings.refusals.most_common()),
        *([] if findings.refusals else ["| nothing | 0 | |"]),
    ]
    if trials:
        lines += ["", f"A trial took {findings.wall_seconds / trials:.1f} s of wall time, preparation included."]
    if trials and refused == 0:
        # The rule of three: J. A. Hanley and A. Lippman-Hand, JAMA 249 (1983), 1743-1745.
        lines.append(f"With none refused, the true share is below {min(3 / trials, 1):.1%} at 95% confidence.")
    amiss = [f"{where}: {dict(counts)}" for where, counts in findings.by_setting.items() if set(counts) != {"valid"}]
    return "\n".join([*lines, *(f"- {each}" for each in [*amiss, *findings.not_run])])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def parse_own(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The arguments of this command, and as `passed_on` what stands after `--`."""
    own, passed_on = sys.argv[1:], []
    if "--" in own:
        own, passed_on = own[: own.index("--")], own[own.index("--") + 1 :]
    options = parser.parse_args(own)
    options.passed_on = passed_on
    return options


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("honest-trials"), help="for results; it is gone on with")
    parser.add_argument("--trials", type=int, default=200, help="at least so many, in whole experiments")
    parser.add_argument("--blocks", type=int, default=1, help="of each experiment")
    parser.add_argument("--stacks", type=int, default=2, help="most of them for each workload and service")
    parser.add_argument("--workloads", nargs="+", default=[], help="only these")
    parser.add_argument("--rows", type=int, default=100_000, help="most of a workload that has a dataset")
    parser.add_argument("--seconds", type=float, default=2.5, help="of each window: rows change from two on")
    parser.add_argument("--run-within-seconds", type=float, default=600.0, help="of one experiment; then it is ended")
    return parse_own(parser)


def main() -> int:
    """Run what has not been run yet, print the table, and return the exit status: 1 if a trial was refused."""
    options = arguments()
    folder: Path = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    findings = Findings()
    for setting, number in planned(settings(options.stacks, options.workloads), options.trials // options.blocks):
        name = f"{setting.name}-{number}"
        if result_of(folder, name) is None:
            print(f"{name}: {', '.join(setting.stacks)}", file=sys.stderr)
            file = folder / f"{name}.toml"
            file.write_text(toml({"name": name, **setting.experiment(options)}))
            carry_out(folder, name, ["run", str(file), *options.passed_on], options.run_within_seconds)
        if (results := result_of(folder, name)) is not None:
            findings.add(results, setting)
            findings.wall_seconds += wall_seconds(folder).get(name, 0.0)
    print("\n".join([table(findings), "", *table_of_wall_time([folder])]))
    return 1 if findings.tally.outcomes["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
