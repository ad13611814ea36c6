"""A server that works while nobody asks it: measured in turn with others, it takes their processors from them."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A refusal for each trial in slices whose server used too much while it was idle."""
    for trial in case.trials:
        slices = trial.slices
        if slices is None or slices.idle_processors < case.thresholds["processors"]:
            continue
        yield case.finding(
            trial.index,
            "refusal",
            f"while it was up and asked nothing, for {slices.idle_seconds:.1f} s, its server used "
            f"{slices.idle_processors:.0%} of a processor, beside those that were measured then",
        )


CHECK = Check(
    name="busy-while-idle",
    looks_at="processor time of a server while others of its block are measured, of trials in slices",
    thresholds={
        "processors": Threshold(
            0.05,
            "processors",
            "half of what others may use of one processor in a round that is kept: what a server does while it is "
            "idle slows all conditions but itself, which no pairing cancels",
        ),
    },
    remedy="find what the server does without being asked (a poll, a reloader, a busy wait); or leave `slices` out, so "
    "that one is up at a time: ab-test does with --no-slices",
    examine=examine,
)
