from collections.abc import Iterator

from fairtrial.base.printable import printable
from fairtrial.experiment.ready import IN_THE_FOREGROUND
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.ledger import NOUNS
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import TrialRecord, by_condition
from fairtrial.record.processes import Stop
from fairtrial.record.proof import Ledger

CHARACTERS_OF_REASON = 300


@check(
    "start-failed",
    looks_at="whether the stack ended before it was ready, or was not ready in time",
    remedy="read the end of the stack's log, and mend what makes it fail at times; if it only takes longer at times, "
    "raise `ready_within_seconds` in its description",
)
def start_failed(case: Case) -> Iterator[Finding]:
    """A contender that came up in some blocks and failed to in others: the trials that are left would be a selection.

    A refusal for each such start. A condition that never came up was not run.
    """
    for trials in by_condition(case.trials).values():
        came_up = sum(_came_up(trial) for trial in trials)
        failures = [(trial, trial.failure) for trial in trials if trial.failure and trial.failure.by_contender]
        for trial, failure in failures if came_up else ():
            reason = printable(failure.reason, CHARACTERS_OF_REASON).rstrip(":")
            starts = f"{len(failures)} of {len(failures) + came_up} starts failed"
            evidence = f"{starts}, in this trial because {reason}{_its_log(trial.log)}"
            yield finding("refusal", evidence, trial=trial.index)


def _its_log(log: str | None) -> str:
    return f"; its log is {log}" if log else ""


def _came_up(trial: TrialRecord) -> bool:
    """Whether the stack was seen to be ready, whatever became of the trial then."""
    return trial.readiness is not None or trial.engine is not None


SIGNALS = {6: "SIGABRT", 7: "SIGBUS", 9: "SIGKILL", 11: "SIGSEGV"}


@check(
    "server-exited",
    looks_at="whether the stack's process exited before the lab stopped it",
    remedy="read the end of the stack's log; run its command by hand under the same load",
    needs_processes=True,
)
def server_exited(exit_status: int, log: str | None) -> Iterator[Finding]:
    """A stack that exited by itself while it was needed.

    A refusal.
    """
    ended = f"{_in_words(exit_status)} while it was needed"
    if exit_status < 0:
        yield finding(
            "refusal",
            f"the guard above the stack was ended by {ended}, and the stack with it{_its_log(log)}",
            "look for the kernel's out-of-memory killer (dmesg), and whether the stack ends its parent process",
        )
    else:
        evidence = f"the stack exited by itself with {ended}{_its_log(log)}"
        yield finding("refusal", evidence, _remedy(exit_status))


def _remedy(status: int) -> str:
    """Empty: as the check says."""
    if status == 0:
        return IN_THE_FOREGROUND
    if _signal(status) == 9:
        return "look for the kernel's out-of-memory killer (dmesg); make the stack use less memory, or give it more"
    return ""


def _signal(status: int) -> int | None:
    """The signal behind a status of -n (Python's convention) or 128+n (the guard's and the shell's)."""
    if status < 0:
        return -status
    return status - 128 if status > 128 else None


def _in_words(status: int) -> str:
    signal = _signal(status)
    return f"status {status}" if signal is None else SIGNALS.get(signal, f"signal {signal}")


WORK = ("reads", "rows_read", "writes", "rows_written")
"""What a stack may do late, by the names of `Ledger.done`."""


@check(
    "slow-stop",
    looks_at="how long the stack took to end when it was told to (SIGTERM), and what the database counted from the end "
    "of the load until then",
    remedy="do the work for a request before its answer; what comes later was not measured",
    seconds=Threshold(
        1.0,
        "seconds",
        "what is in flight is answered within a fraction of one; runtimes that wait for idle connections or threads "
        "take one to five",
    ),
    share=Threshold(0.02, "share of the verified answers", "as in `ledger`: answers in flight when the load ended"),
)
def slow_stop(stop: Stop, ledger: Ledger, engine: EngineSummary, *, seconds: float, share: float) -> Iterator[Finding]:
    """A stack that took long to stop, and what it had the database do meanwhile.

    A note; a warning where that was more than the requests in flight explain.
    """
    if stop.seconds < seconds:
        return
    late = {name: ledger.after_load.get(name, 0) for name in WORK}
    figures = ", ".join(f"{count:,} {NOUNS[name]}" for name, count in late.items() if count > 0)
    took = f"the stack took {stop.seconds:.2f} s to stop"
    evidence = f"{took}; from the end of the load on, the database counted {figures or 'nothing'}"
    if max(late.values()) > engine.in_flight_at_end + share * ledger.verified:
        yield finding("warning", evidence)
    else:
        yield finding("note", evidence, nothing_to_do("no work of its requests was left to do"))


@check(
    "log-cut",
    looks_at="how much the stack printed: a log is cut off at 64 MiB",
    remedy="have the stack print less; as in production, requests need not be logged one by one",
)
def log_cut(log_dropped_bytes: int) -> Iterator[Finding]:
    """A stack that wrote so much to its log that the log was cut off.

    A warning.
    """
    if log_dropped_bytes:
        yield finding(
            "warning",
            f"the stack's log was cut off: {log_dropped_bytes:,} bytes of it are not kept; writing them took "
            "processor time, and a disk that others use",
        )
