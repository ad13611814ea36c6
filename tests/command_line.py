"""A user at the command line, for tests: stacks to bring along, an experiment to run, and what came of it."""

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.forked_command import Forked

SERVER = Path(__file__).parent / "fixtures" / "server.py"
SMALL_SERVER = SERVER.with_name("small_server.py")

STACK = """
title = "{name}"
language = "Python"
framework = "http.server"
server = "http.server"
concurrency = "a thread per connection"
workloads = ["{workload}"]
services = ["{service}"]
build = {build}
run = {run}
{more}
"""

CLOSED = """kind = "closed"
connections = 4
warmup_seconds = 0.1
warmup_limit_seconds = 0.1
duration_seconds = {seconds}
timeout_seconds = 2.0"""

SPARING = """kind = "open"
rate_per_second = 50
connections = 4
warmup_seconds = 0.1
warmup_limit_seconds = 0.1
duration_seconds = {seconds}"""
"""A load that takes hardly anything of the processors, however long it lasts."""

EXPERIMENT = """
name = "tried"
title = "A test"
workload = "{workload}"
service = "{service}"
stacks = {stacks}
blocks = {blocks}
crash_audit = "{crash_audit}"
hold_audit = "{hold_audit}"
# Awake, it would take a processor from the tests beside.
wait = "sleep"
{data}[load]
{load}
# Of half a second, a busy machine may take a quarter away from anybody.
[checks.unanswered]
window_share = 0.7
"""

DATASET = "[dataset]\nrows = 20_000\n"
SHORT_CALLS = "[options]\ndelay_milliseconds = 5\n"
"""In place of a dataset: for `fan-out`."""

CALM = """
# Whoever else works on this machine is no fault of what is tested.
[checks.foreign-load]
refuse = 2
[checks.stolen]
refuse = 2
[checks.meters-late]
share = 3.0
[checks.not-warm]
tolerance = 1.0
"""
"""For experiments of tests: as many processors as others may take, in whichever part of a window of half a second, and
as late as they make the lab, a trial is not refused for it."""


@dataclass
class Finished:
    """A command that ended."""

    status: int
    out: str
    err: str
    results: Path | None

    @property
    def result(self) -> dict[str, Any]:
        assert self.results, self.err
        loaded: dict[str, Any] = json.loads((self.results / "result.json").read_text())
        return loaded

    @property
    def record(self) -> list[dict[str, Any]]:
        """The lines of the record."""
        assert self.results, self.err
        return [json.loads(line) for line in (self.results / "record.jsonl").read_text().splitlines()]

    def trial(self, stack: str) -> dict[str, Any]:
        """The first trial of a stack."""
        trials = next(one["trials"] for one in self.result["conditions"] if one["stack"] == stack)
        first: dict[str, Any] = trials[0]
        return first


class Lab:
    """A folder in which a user works."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.cache = cache
        self.stacks = folder / "my-stacks"
        self.environment = {**os.environ, "FAIRTRIAL_CACHE": str(cache), "NO_COLOR": "1", "COLUMNS": "140"}
        self.stacks.mkdir()

    def stack(
        self,
        name: str,
        fault: str = "none",
        *,
        build: Sequence[Sequence[str]] = (),
        run: Sequence[str] | None = None,
        server: Path = SERVER,
        workload: str = "random-item",
        service: str = "sqlite",
        more: str = "",
    ) -> str:
        """Write a stack of the test server with one fault, and return its name."""
        folder = self.stacks / name
        folder.mkdir()
        shutil.copy(server, folder)
        shutil.copy(SMALL_SERVER, folder)
        command = run or ["python3", "server.py", fault]
        manifest = STACK.format(
            name=name,
            build=json.dumps(build),
            run=json.dumps(command),
            workload=workload,
            service=service,
            more=more,
        )
        (folder / "stack.toml").write_text(manifest)
        return name

    def experiment(
        self,
        *stacks: str,
        blocks: int = 1,
        workload: str = "random-item",
        service: str = "sqlite",
        seconds: float = 0.5,
        load: str = CLOSED,
        crash_audit: str = "none",
        hold_audit: str = "none",
        data: str = DATASET,
        more: str = "",
    ) -> Path:
        """Write an experiment of these stacks.

        Args:
            data: its dataset or options.
            more: at its end.
        """
        path = self.folder / "tried.toml"
        path.write_text(
            EXPERIMENT.format(
                stacks=json.dumps(stacks),
                blocks=blocks,
                workload=workload,
                service=service,
                load=load.format(seconds=seconds),
                crash_audit=crash_audit,
                hold_audit=hold_audit,
                data=data,
            )
            + CALM
            + more
        )
        return path

    def command(self, *arguments: str | Path) -> list[str]:
        """The command line of `fairtrial` with these arguments."""
        return [sys.executable, "-m", "fairtrial", *map(str, arguments)]

    def fairtrial(self, *arguments: str | Path, timeout_seconds: float = 120) -> Finished:
        """Run a command and wait for its end."""
        before = self._results()
        command = self.begin(*arguments)
        out, err = command.communicate(timeout_seconds)
        assert command.returncode is not None
        new = sorted(self._results() - before)
        return Finished(command.returncode, out, err, new[0] if new else None)

    def begin(self, *arguments: str | Path) -> Forked:
        """Start a command."""
        return Forked([*map(str, arguments)], folder=self.folder, environment=self.environment)

    def run(self, *stacks: str, blocks: int = 1, more: str = "") -> Finished:
        """Run an experiment of these stacks."""
        return self.fairtrial("run", self.experiment(*stacks, blocks=blocks, more=more), *self.named(*stacks))

    def named(self, *stacks: str) -> list[str | Path]:
        """The options that try exactly these stacks of the user's folder."""
        options: list[str | Path] = ["--stacks", self.stacks]
        for stack in stacks:
            options += ["--stack", stack]
        return options

    def _results(self) -> set[Path]:
        return set((self.folder / "results").glob("*"))
