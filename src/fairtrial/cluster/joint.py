"""Engines on several hosts that offer one load together, which the lab treats as one engine."""

import json
import queue
import signal
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import IO, Any

from fairtrial.base.clock_offset import ClockOffset
from fairtrial.base.formatting import figure_in
from fairtrial.base.problem import Problem
from fairtrial.base.units import UNITS
from fairtrial.cluster.connection import RemoteProgram
from fairtrial.cluster.engine import CarriedProcess, RemoteEngine
from fairtrial.engine.plan import EnginePlan, Part
from fairtrial.engine.windows import merge
from fairtrial.load.engine_terms import StopAfterSeconds
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.load_hosts import LoadHostAccount

Events = queue.SimpleQueue[tuple[int, dict[str, Any] | None]]
"""Events of several engines, each with the engine's number; None at its end."""

GO_ON = {"ready": "go", "warm": "open"}
"""By the event with which an engine waits for the others, the word on which all of them go on."""
AHEAD_SECONDS = 1.0
"""The word to begin reaches a worker within milliseconds, on a busy machine within tenths of a second."""
ENDED_WITHIN_SECONDS = 10.0
"""An engine that has told its summary has nothing left to do; nor has one that was killed."""

SKEW_SHARE, SKEW_SECONDS = 0.01, 0.05
"""Windows that open further apart than both, the first of the window's length, are no load of all hosts together: for
so long at each edge there is less than was planned."""


class JointEngines:
    """One engine on each host, and all of them as one `process`.

    All hold their start until the last one is ready, and begin at the same moment, each by its own clock. Where the
    warm-up goes on until the pace is flat, their windows open together when it is for the last of them. Their events
    become those of one engine, and their parts one summary, without loss. If one is lost or fails, all end, and there
    is no summary.
    """

    def __init__(
        self,
        locations: Sequence[RemoteEngine],
        plan: EnginePlan,
        *,
        monotonic: Sequence[ClockOffset] = (),
        quiet_seconds: float = 0.0,
    ) -> None:
        """Start them.

        Args:
            plan: of the whole; its `cpus` are those of all hosts one after the other, as many of each, and its
                `threads` are those of each host.
            monotonic: of each host, how far its monotonic clock is ahead: times at which rows were seen, which engines
                tell by it, become those of this machine. Empty: they are left as they are.
            quiet_seconds: as `RemoteEngine.start` has it.

        Raises:
            Problem: a file cannot be read or is too long, or a worker is lost.
        """
        each = len(plan.cpus) // len(locations)
        self._locations, self._plan, self._monotonic = locations, plan, monotonic
        self._clocks = [engine.clock(time.time) for engine in locations]
        self.accounts: list[LoadHostAccount] = []
        """what each host did, once it was measured"""
        self.apart = ""
        """how far apart the windows opened, in words, once they did"""
        parts = [
            plan.model_copy(
                update={
                    "part": Part(number=number, of=len(locations)),
                    "cpus": plan.cpus[number * each : (number + 1) * each],
                }
            )
            for number in range(len(locations))
        ]
        self._engines: list[RemoteProgram] = []
        try:
            for location, part in zip(locations, parts, strict=True):
                self._engines.append(location.start(part, on_hold=True, quiet_seconds=quiet_seconds))
        except Problem:
            for engine in self._engines:
                engine.release()
            raise
        self.process = CarriedProcess(self._conduct, self._send_signal, quiet_seconds)

    def _send_signal(self, number: int) -> None:
        for engine in self._engines:
            if engine.status is None:
                engine.send_signal(number)

    def _conduct(self, out: IO[bytes], err: IO[bytes]) -> int:
        events: Events = queue.SimpleQueue()
        listeners = [
            threading.Thread(target=_listen, args=(number, engine, events), daemon=True)
            for number, engine in enumerate(self._engines)
        ]
        for listener in listeners:
            listener.start()
        try:
            joint = self._joint(out, events)
            if joint is None:
                self._send_signal(signal.SIGKILL)
                _await(listeners)
                status, reason = self._failure()
            else:
                status, reason = self._write_summary(out, joint)
        except OSError:  # nobody reads any more
            self._send_signal(signal.SIGKILL)
            raise
        finally:
            _await(listeners)
        err.write(reason)
        return status

    def _joint(self, out: IO[bytes], events: "Events") -> "JointEvents | None":
        """Carry the events of all on as those of one; None if one ended without its summary."""
        joint = JointEvents(len(self._engines))
        waiting: Counter[str] = Counter()
        while len(joint.summaries) < len(self._engines):
            number, event = events.get()
            if event is None:
                if number not in joint.summaries:
                    return None
            elif event["event"] in GO_ON:
                waiting[event["event"]] += 1
                if waiting[event["event"]] == len(self._engines):
                    self._tell_all(GO_ON[event["event"]])
            else:
                for line in joint.take(number, event):
                    out.write(json.dumps(line).encode() + b"\n")
        return joint

    def _tell_all(self, word: str) -> None:
        """Tell all engines to do this at the same moment, shortly from now."""
        at = time.time() + AHEAD_SECONDS
        going = [
            threading.Thread(target=engine.say, args=(f"{word} {at + clock.ahead_seconds:.9f}",))
            for engine, clock in zip(self._engines, self._clocks, strict=True)
        ]
        for thread in going:
            thread.start()
        for thread in going:
            thread.join()

    def _failure(self) -> tuple[int, bytes]:
        """The exit status and the words of the first that failed."""
        ends = []
        for engine in self._engines:
            words, status = engine.errors.strip(), -signal.SIGKILL if engine.status is None else engine.status
            if status not in (0, -signal.SIGKILL) or (words and status):
                return status, words if words else f"the engine at {engine.worker} failed".encode()
            ends.append(f"{engine.worker} with status {status}")
        return 1, f"an engine ended without its summary: {', '.join(ends)}".encode()

    def _write_summary(self, out: IO[bytes], joint: "JointEvents") -> tuple[int, bytes]:
        parts, summaries = (
            [events[number] for number in range(len(self._engines))] for events in (joint.parts, joint.summaries)
        )
        opened = [
            part["opened_unix_seconds"] - clock.ahead_seconds for part, clock in zip(parts, self._clocks, strict=True)
        ]
        fault = self._skewed(opened)
        if fault:
            return 1, fault.encode()
        for part, clock in zip(parts, self._monotonic, strict=False):
            by_clock_here(part, clock)
        merged = merge([json.dumps(part).encode() for part in parts])
        if merged.returncode == 0:
            self.accounts = [
                _account_of(EngineSummary.of_event(json.dumps(event)), location.worker, at - min(opened), clock)
                for event, location, at, clock in zip(summaries, self._locations, opened, self._clocks, strict=True)
            ]
        out.write(merged.stdout)
        return merged.returncode, merged.stderr.strip()

    def _skewed(self, opened: Sequence[float]) -> str:
        """Note how far apart the windows opened; why that is too far, or nothing."""
        apart = max(opened) - min(opened)
        unsure = max(clock.error_seconds for clock in self._clocks)
        words = (
            f"the windows of the hosts opened {figure_in(apart, UNITS['ms'])} apart, by clocks that were compared to "
            f"± {figure_in(unsure, UNITS['ms'])}"
        )
        self.apart = words
        stop = self._plan.stop
        window = stop.seconds if isinstance(stop, StopAfterSeconds) else 0.0
        limit = max(SKEW_SECONDS, SKEW_SHARE * window)
        return f"{words}; at most {figure_in(limit, UNITS['ms'])} are allowed" if apart > limit else ""


def by_clock_here(part: dict[str, Any], clock: ClockOffset) -> None:
    """Set the times at which a part's engine asked for rows that change by the monotonic clock of this machine."""
    sightings = part["record"].get("sightings")
    if sightings is not None:
        ahead_ns = round(clock.ahead_seconds * 1e9)
        sightings["kept"] = [(key, is_new, max(0, sent_ns - ahead_ns)) for key, is_new, sent_ns in sightings["kept"]]


def _account_of(summary: EngineSummary, worker: str, opened_after: float, clock: ClockOffset) -> LoadHostAccount:
    return LoadHostAccount(
        worker=worker,
        opened_after_seconds=opened_after,
        clock_ahead_seconds=clock.ahead_seconds,
        clock_error_seconds=clock.error_seconds,
        connections=summary.connection_answers.connections if summary.connection_answers else 0,
        is_open=summary.waiting is not None,
        offered=summary.offered or 0,
        sent=summary.sent,
        answers=summary.answers,
        verified=summary.verified,
        failures=summary.failures or 0,
        window_seconds=summary.window_seconds,
        threads=summary.threads,
        response_time=summary.response_time,
    )


class JointEvents:
    """The events of several engines as those of one."""

    def __init__(self, engines: int) -> None:
        self.parts: dict[int, dict[str, Any]] = {}
        self.summaries: dict[int, dict[str, Any]] = {}
        """both of each that has ended: the last two events"""
        self._engines = engines
        self._said: dict[str, set[int]] = {"opened": set(), "closed": set()}
        self._latest: dict[int, dict[str, Any]] = {}

    def take(self, number: int, event: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """Take an event of this engine; return those of the whole that follow from it.

        The whole's window has opened or closed when the last one's has. Its progress comes with that of engine 0:
        counts and rates are sums, times are the longest. What one has to say before its load is the whole's.
        """
        if event["event"] == "part":
            self.parts[number] = event
        elif event["event"] == "summary":
            self.summaries[number] = event
        elif event["event"] == "crowded":
            return [event]
        elif event["event"] == "window":
            numbers = self._said[event["state"]]
            numbers.add(number)
            return [event] if len(numbers) == self._engines else []
        elif event["event"] == "progress":
            self._latest[number] = event
            alike = [each for each in self._latest.values() if each["phase"] == event["phase"]]
            return [_together(event, alike)] if number == 0 and len(alike) == self._engines else []
        return []


def _together(event: dict[str, Any], all_of_it: Sequence[dict[str, Any]]) -> dict[str, Any]:
    counts = {key: sum(each[key] for each in all_of_it) for key in ("verified", "errors", "verified_per_second")}
    times = {
        key: max((each[key] for each in all_of_it if each[key] is not None), default=None)
        for key in ("p50_seconds", "p99_seconds")
    }
    return {**event, **counts, **times}


def _await(listeners: Sequence[threading.Thread]) -> None:
    for listener in listeners:
        listener.join(ENDED_WITHIN_SECONDS)


def _listen(number: int, engine: RemoteProgram, events: "Events") -> None:
    try:
        for line in engine.lines():
            events.put((number, json.loads(line)))
    except Problem as problem:
        engine.errors = str(problem).encode()
    finally:
        engine.release()
        events.put((number, None))
