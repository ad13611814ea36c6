"""Tries cheats in whole trials, and prints what caught each as a table: `python -m benches.cheats [WORD ...] [-v]`.

Run it with the project's environment. With words, only those cheats whose name contains one are tried. Each is measured
beside the honest mode of its program (`tests/fixtures/cheats/`), in windows of two seconds, over loopback. All take
some ten minutes. `gain` is its figure over the honest one's, refused or not.
"""

import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benches.cheats.cases import CASES, Case
from fairtrial.base.locations import cache_folder
from fairtrial.engine.binary import engine_binary, guard_binary
from tests.cluster.clusters import Processes, running
from tests.command_line import Finished, Lab

PROGRAMS = Path(__file__).parents[2] / "tests" / "fixtures" / "cheats"
LONGEST_SECONDS = 600


def tried(cases: Sequence[Case], folder: Path) -> Iterator[tuple[Case, dict[str, Any], float | None]]:
    """Each cheat with its trial, and its figure as a multiple of the honest one's."""
    groups: dict[tuple[str, ...], list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.program, case.workload, case.service, case.load, case.more, case.alone * case.mode].append(case)
    for number, ((program, workload, service, load, more, _), group) in enumerate(groups.items()):
        here = folder / str(number)
        here.mkdir()
        lab = Lab(here, cache_folder())
        lab.environment |= os.environ
        names = [
            lab.stack(
                mode,
                run=[sys.executable, program, mode],
                server=PROGRAMS / program,
                workload=workload,
                service=service,
            )
            for mode in ["honest", *(case.mode for case in group)]
        ]
        for each in names:
            (lab.stacks / each / "quick.py").write_text((PROGRAMS / "quick.py").read_text())
        experiment = lab.experiment(
            *names,
            workload=workload,
            service=service,
            load=load,
            more=more,
            crash_audit="all" if workload == "survey-insert" else "none",
            hold_audit="none" if group[0].alone else "all",
        )
        with _cluster(here, on_two=group[0].load_hosts) as options:
            finished = lab.fairtrial("run", experiment, *lab.named(*names), *options, timeout_seconds=LONGEST_SECONDS)
        if finished.results is None:
            print(finished.out, finished.err)
            continue
        honest = _figure(finished, "honest")
        for case in group:
            figure = _figure(finished, case.mode)
            yield case, _trial(finished, case), figure / honest if figure and honest else None
        if "-v" in sys.argv:
            for log in finished.results.glob("logs/*"):
                print(log.name, log.read_text()[-1500:], file=sys.stderr)


def _trial(finished: Finished, case: Case) -> dict[str, Any]:
    """The cheat's own, with what was found of the honest one beside it."""
    trial = finished.trial(case.mode)
    honest = finished.trial("honest")
    trial["honest"] = honest["outcome"] + "".join(
        f" {each['check']}: {each['evidence']}" for each in honest["findings"] if each["severity"] == "refusal"
    )
    if not trial["findings"] or "-v" in sys.argv:
        print(finished.out, finished.err, file=sys.stderr)
    return trial


def _figure(finished: Finished, stack: str) -> float | None:
    """What was measured, whether it counts or not."""
    line = next(line for line in finished.record[1:] if line["condition"].partition("/")[0] == stack)
    capacity, engine = line.get("capacity"), line["engine"]
    figure: float | None = None
    if capacity and capacity["found"]:
        figure = capacity["found"][0]["rate_per_second"]
    elif engine:
        figure = engine["verified"] / engine["window_seconds"]
    return figure


@contextmanager
def _cluster(folder: Path, *, on_two: bool) -> Iterator[Sequence[str]]:
    """The options that put the load on two load hosts; none where one machine does."""
    if not on_two:
        yield []
        return
    processes = Processes(folder, environment=dict(os.environ))
    with running(processes):
        processes.start_scheduler()
        for resources in ("server=1", "load=1", "load=1"):
            processes.start_worker(resources)
        processes.wait_for_workers(3)
        yield ["--cluster", processes.address, "--load-hosts", "2"]


def main() -> None:
    """Print the table."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    cases = [case for case in CASES if not words or any(word in f"{case.subject} {case.mode}" for word in words)]
    print("| cheat | gain | outcome | what catches it |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="cheats-", dir="/var/tmp") as name:
        folder = Path(name)
        (folder / "locks").mkdir()
        (folder / "cache").mkdir()
        if (tools := cache_folder() / "tools").exists():
            (folder / "cache" / "tools").symlink_to(tools)
        os.environ |= {
            "FAIRTRIAL_ENGINE": str(engine_binary()),
            "FAIRTRIAL_GUARD": str(guard_binary()),
            "FAIRTRIAL_LOCKS": str(folder / "locks"),
            "FAIRTRIAL_CACHE": str(folder / "cache"),
        }
        for case, trial, gain in tried(cases, folder):
            by = [f"{each['check']}: {each['evidence']}" for each in trial["findings"] if each["severity"] == "refusal"]
            warned = [each["check"] for each in trial["findings"] if each["severity"] == "warning"]
            caught = "; ".join(by) or (f"warned: {', '.join(warned)}" if warned else "nothing")
            times = "-" if gain is None else f"{gain:.2f}"
            print(f"| {case.subject}: {case.mode} | {times} | {trial['outcome']} | {caught} |", flush=True)
            if trial["honest"] != "valid":
                print("honest:", trial["honest"], file=sys.stderr)
            if not by:
                for each in trial["findings"]:
                    print("   ", each["severity"], each["check"], each["evidence"][:300], file=sys.stderr)


if __name__ == "__main__":
    main()
