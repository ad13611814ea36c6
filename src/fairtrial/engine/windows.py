"""Several accounts of the engine as one: of engines that offered a load together, or of windows one after the other."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.engine.binary import engine_binary
from fairtrial.record.engine_summary import EngineSummary

MERGED_WITHIN_SECONDS = 60.0


@dataclass(frozen=True)
class WindowPart:
    """The engine's `part` event of a window, in which nothing is rounded yet."""

    line: bytes
    corrected: Callable[[EngineSummary], EngineSummary]
    """a summary that covers the window, once more with what the lab says of its answers"""


PartHandler = Callable[[WindowPart], None]
"""Called with the part of a window when it is over."""


def in_turn(windows: Sequence[WindowPart]) -> EngineSummary:
    """One account of windows of the same load that followed each other, of which there is at least one.

    Raises:
        Problem: the engine cannot merge them.
    """
    merged = merge([window.line for window in windows], "--in-turn")
    if merged.returncode != 0:
        reason = printable(merged.stderr.decode(errors="replace").strip())
        raise Problem(f"the load engine cannot merge its windows: {reason}", exit_status=NOTHING_RAN)
    summary = EngineSummary.of_event(merged.stdout)
    for window in windows:
        summary = window.corrected(summary)
    return summary


def merge(parts: Sequence[bytes], *options: str) -> "subprocess.CompletedProcess[bytes]":
    """Run the engine's `merge` on these `part` events."""
    return subprocess.run(
        [str(engine_binary()), "merge", *options],
        input=b"".join(part + b"\n" for part in parts),
        capture_output=True,
        timeout=MERGED_WITHIN_SECONDS,
        check=False,
    )
