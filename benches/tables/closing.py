"""The percentiles that each generator states if the server stands still when the time is up."""

import statistics
from collections.abc import Sequence

from benches.bench import Bench, Table, in_turn, stated_percentiles
from benches.document import percentiles_table
from benches.load import Percentiles, Tool

CONNECTIONS = 64
RATE_PER_SECOND = 2000.0
SECONDS = 4.0
# The stall begins 3.75 s after the generator's command and lasts until 4.75 s: the time is up in it, also for a
# generator that takes half a second to begin.
STALL = "4500ms:1s"
HEAD_START_SECONDS = 0.75

# By arithmetic: requests come at a constant rate for 4 s, and those that are due in the stall wait for what is left of
# it. Of all, 5% are due in its first 0.2 s, so that 5% wait for longer than 0.8 s; 1% in its first 40 ms, and so on.
EXPECTED = Percentiles(None, *(1000.0 - share * SECONDS * 1000.0 for share in (0.05, 0.01, 0.001)))


def measure(bench: Bench, tools: Sequence[Tool]) -> list[tuple[str, Percentiles]]:
    """The medians over the rounds of what each tool states."""
    truths = [truth for tool in tools for truth in tool.truths]
    stated: dict[str, list[Percentiles]] = {truth.label: [] for truth in truths}
    for number in range(bench.rounds):
        for truth in in_turn(truths, number):
            percentiles = stated_percentiles(
                bench, truth, CONNECTIONS, RATE_PER_SECOND, stall=STALL, head_start_seconds=HEAD_START_SECONDS
            )
            bench.report(f"closing, round {number + 1}: {truth.label} {percentiles}")
            stated[truth.label].append(percentiles)
    return [(label, _medians(rounds)) for label, rounds in stated.items()]


def _medians(rounds: Sequence[Percentiles]) -> Percentiles:
    def median(values: Sequence[float | None]) -> float | None:
        known = [value for value in values if value is not None]
        return statistics.median(known) if known else None

    return Percentiles(
        median([each.p50 for each in rounds]),
        median([each.p95 for each in rounds]),
        median([each.p99 for each in rounds]),
        median([each.p999 for each in rounds]),
    )


TABLE = Table(
    name="closing",
    rounds=3,
    seconds=SECONDS,
    facts=f"{CONNECTIONS} connections, {RATE_PER_SECOND:,.0f} requests/s",
    runs=9,
    compares=lambda tool: any(truth.keeps_rate for truth in tool.truths),
    text=lambda bench, tools: percentiles_table(EXPECTED, measure(bench, tools)),
    keeps_seconds=True,
)
