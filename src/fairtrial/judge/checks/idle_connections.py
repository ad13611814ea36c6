"""Idle connections that were not there in the window."""

from collections.abc import Iterator, Mapping

from fairtrial.base.formatting import figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding, nothing_to_do
from fairtrial.record.idle_connections import IdleConnections, IdleLoss, IdleMemory
from fairtrial.record.protocol_causes import CAUSE_REMEDIES


@check(
    "idle-connections",
    looks_at="`idle_connections`, and how many were open when the window opened and closed",
    remedy="see the server's log, its limits of connections and open files, and its idle time-outs",
    of_loads=True,
    share=Threshold(
        0.001,
        "share of the idle connections",
        "as many change figures by no more",
    ),
)
def idle_connections_lost(idle_connections: IdleConnections, *, share: float) -> Iterator[Finding]:
    """The server held fewer idle connections than were asked for.

    A refusal above the limit, a warning below it; a note where none was lost.
    """
    idle = idle_connections
    if idle.open_at_end is None:  # the window did not close, which others say
        return
    missing = idle.number - min(idle.open_at_end, idle.number if idle.open_at_begin is None else idle.open_at_begin)
    evidence = "; ".join([idle.in_words, *_reasons("not opened", idle.failures), *_reasons("lost", idle.losses)])
    if missing == 0:
        memory = [] if idle.memory is None else [_memory(idle.memory)]
        yield finding("note", "; ".join([evidence, *memory]), nothing_to_do())
        return
    causes = [*idle.failures, *idle.losses]
    remedies = (CAUSE_REMEDIES[cause] for cause in causes if cause in CAUSE_REMEDIES)
    yield finding("refusal" if missing > share * idle.number else "warning", evidence, next(remedies, ""))


def _reasons(what: str, losses: Mapping[str, IdleLoss]) -> Iterator[str]:
    for cause, loss in losses.items():
        yield (
            f"{loss.number:,} {what} ({cause}, {figure(loss.first_seconds)} to {figure(loss.last_seconds)} s after the "
            f"first connect): {loss.example}"
        )


def _memory(memory: IdleMemory) -> str:
    return (
        f"memory of its processes {figure(memory.before_bytes / 2**20)} MiB before them and "
        f"{figure(memory.open_bytes / 2**20)} MiB with {memory.connections:,} open"
    )
