"""A stack that exited by itself while it was needed."""

from collections.abc import Iterator

from fairtrial.experiment.ready import IN_THE_FOREGROUND
from fairtrial.judge.checks.model import Case, Check, Finding

SIGNALS = {6: "SIGABRT", 7: "SIGBUS", 9: "SIGKILL", 11: "SIGSEGV"}


def examine(case: Case) -> Iterator[Finding]:
    """A refusal if the record holds an exit status from before the lab stopped the stack."""
    for trial in case.trials:
        if trial.exit_status is not None:
            log = f"; its log is {trial.log}" if trial.log else ""
            if trial.exit_status < 0:
                yield case.finding(
                    trial.index,
                    "refusal",
                    f"the guard above the stack was ended by {_in_words(trial.exit_status)} while it was needed, and "
                    f"the stack with it{log}",
                    "look for the kernel's out-of-memory killer (dmesg), and whether the stack ends its parent process",
                )
                continue
            yield case.finding(
                trial.index,
                "refusal",
                f"the stack exited by itself with {_in_words(trial.exit_status)} while it was needed{log}",
                _remedy(trial.exit_status),
            )


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


CHECK = Check(
    name="server-exited",
    looks_at="whether the stack's process exited before the lab stopped it",
    thresholds={},
    remedy="read the end of the stack's log; run its command by hand under the same load",
    examine=examine,
    needs_processes=True,
)
