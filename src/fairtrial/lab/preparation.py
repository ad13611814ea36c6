"""Preparation: stacks are built side by side, while the caller brings up services and loads rows."""

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event, Lock

from fairtrial.base.formatting import minutes
from fairtrial.catalog.stacks.model import Stack
from fairtrial.catalog.stacks.requests import BuildRequest
from fairtrial.lab.trial.ready_stack import ReadyStack, ready_stack

BUILDS_PER_CPU = 3
"""Builds at a time for each processor: much of a build is one thread that compiles, or waits for the network. A long
one that begins late ends late, so that few should have to wait for others."""

WORTH_MENTIONING_SECONDS = 1.0
"""Steps that were shorter are not reported when they end."""


@dataclass(frozen=True)
class StackBuild:
    """A build that is to be made: the stack, the number of the build, counted from 1, and whose build it is."""

    stack: Stack
    build: int = 1
    built_apart: str | None = None
    """the variant whose own build it is; None: the stack's"""

    @property
    def name(self) -> str:
        """`NAME`, or `NAME:VARIANT` for the build that a variant has to itself."""
        return self.stack.build_name(self.built_apart)


class StepTimes:
    """The steps of the preparation: which run, for how long, and which took longest. Threads may share it.

    Args:
        on_progress: called with one line of text about each step that begins, and about each that took long as it
            ends, by one thread at a time.
    """

    def __init__(self, on_progress: Callable[[str], None]) -> None:
        self._on_progress = on_progress
        self._report_lock = Lock()  # never taken while `_lock` is held: a display that is reported to calls `line`
        self._lock = Lock()
        self._began = time.monotonic()
        self._running: dict[str, float] = {}
        self._ended: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Report a step, such as `building go-nethttp`, that lasts as long as the context."""
        self.begin(name)
        try:
            yield
        finally:
            self.end(name)

    def begin(self, name: str) -> None:
        """A step begins."""
        with self._report_lock:
            with self._lock:
                self._running[name] = time.monotonic()
            self._on_progress(name)

    def end(self, name: str) -> None:
        """A step ends. Nothing happens if it never began."""
        with self._report_lock:
            with self._lock:
                began = self._running.pop(name, None)
                if began is None:
                    return
                self._ended[name] = seconds = time.monotonic() - began
                running = list(self._running)
            if seconds >= WORTH_MENTIONING_SECONDS:
                self._on_progress(f"{name} took {minutes(seconds)}{_still(running)}")

    def line(self) -> str:
        """Return the running steps, longest first: `building go-nethttp 1:12, building rust-axum 0:40`.

        A step that began within the last second has no time beside it.
        """
        with self._lock:
            now = time.monotonic()
            times = {name: now - began for name, began in self._running.items()}
        return ", ".join(name if spent < 1 else f"{name} {minutes(spent)}" for name, spent in times.items())

    def summary(self) -> str:
        """Return `everything ready after 2:31; the slowest step: building rust-axum, 1:40`."""
        with self._lock:
            total = f"everything ready after {minutes(time.monotonic() - self._began)}"
            name, seconds = max(self._ended.items(), key=lambda step: step[1], default=("", 0.0))
        if seconds < WORTH_MENTIONING_SECONDS:
            return total
        return f"{total}; the slowest step: {name}, {minutes(seconds)}"


def _still(running: Sequence[str]) -> str:
    """`; still building rust-axum`, or how many steps: a list of all, again and again, tells nobody anything."""
    if not running:
        return ""
    return f"; still {running[0]}" if len(running) == 1 else f"; {len(running)} other steps go on"


class Preparation:
    """Stacks that are being made ready."""

    def __init__(self, builds: Sequence[StackBuild], by_stack: dict[str, "Future[list[ReadyStack]]"]) -> None:
        self._builds = builds
        self._by_stack = by_stack

    def ready_stacks(self) -> dict[tuple[str, int], ReadyStack]:
        """Wait until all are built, and return them by the name of the build and its number.

        Raises:
            CacheNotWritable: a stack is to be built, and no build can be kept.
        """
        remaining = {name: iter(future.result()) for name, future in self._by_stack.items()}
        return {(build.name, build.build): next(remaining[build.stack.name]) for build in self._builds}


@contextmanager
def preparing(
    builds: Sequence[StackBuild], *, services: Collection[str] | None, logs: Path, steps: StepTimes
) -> Iterator[Preparation]:
    """Begin to build the stacks, each in a thread of its own, and go on at once.

    A stack that cannot be built has the reason in its `ReadyStack.failure`. Builds of one stack follow one another.
    Leaving the context by an exception, an interrupt for one, ends every build with all its processes; leaving it
    otherwise waits for them.

    Args:
        services: those that the stacks will be run on, caches included; None for all that their manifests name.
        logs: the folder of the build logs, `build-NAME.log`.
        steps: is told of every build that is not in the cache yet.
    """
    logs.mkdir(parents=True, exist_ok=True)
    grouped: dict[str, list[StackBuild]] = {}
    for build in builds:
        grouped.setdefault(build.stack.name, []).append(build)
    cancelled = Event()
    workers = BUILDS_PER_CPU * len(os.sched_getaffinity(0))
    pool = ThreadPoolExecutor(workers, thread_name_prefix="build")
    try:
        yield Preparation(
            builds,
            {
                name: pool.submit(_ready_in_turn, of_stack, services, logs, cancelled, steps)
                for name, of_stack in grouped.items()
            },
        )
    except BaseException:
        cancelled.set()
        raise
    finally:
        pool.shutdown(cancel_futures=cancelled.is_set())


def _ready_in_turn(
    builds: Sequence[StackBuild], services: Collection[str] | None, logs: Path, cancelled: Event, steps: StepTimes
) -> list[ReadyStack]:
    """Make the builds of one stack ready, one after the other."""
    ready = []
    for build in builds:
        name = build.name
        step = f"building {name}" + ("" if build.build == 1 else f" (build {build.build})")
        log = logs / f"build-{name.replace(':', '-')}.log"
        try:
            ready.append(
                ready_stack(
                    BuildRequest(
                        build.stack,
                        log,
                        partial(steps.begin, step),
                        build.build,
                        built_apart=build.built_apart,
                        services=services,
                        cancelled=cancelled,
                    )
                )
            )
        finally:
            steps.end(step)
    return ready
