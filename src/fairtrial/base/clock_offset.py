"""The clock of another host beside that of this one."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ClockOffset:
    """How far a host's clock is ahead of this one, and by how much that may be wrong, in seconds."""

    ahead_seconds: float
    error_seconds: float


SAME_CLOCK = ClockOffset(0.0, 0.0)


def over_time(before: ClockOffset, after: ClockOffset) -> ClockOffset:
    """The offset between two moments at which it was measured. Clocks are slewed in between: by half of the change each
    may be further off."""
    return ClockOffset(
        (before.ahead_seconds + after.ahead_seconds) / 2,
        max(before.error_seconds, after.error_seconds) + abs(after.ahead_seconds - before.ahead_seconds) / 2,
    )
