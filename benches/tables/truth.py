"""The percentiles that each generator states of a target whose true percentiles are known."""

from collections.abc import Sequence

from benches.bench import Bench, Table, stated_percentiles
from benches.document import percentiles_table
from benches.load import Percentiles, Tool, Truth

CONNECTIONS = 64
RATE_PER_SECOND = 2000.0
STALL = "2s:200ms"
# Between the start of the target and of the generator, so that every stall lies completely within the run.
STALL_HEAD_START_SECONDS = 0.8

# By arithmetic: a request meets a stall with probability 0.1, and then waits for a uniformly distributed 0 to 200 ms.
EXPECTED = Percentiles(None, 100.0, 180.0, 198.0)


def measure(bench: Bench, tools: Sequence[Tool]) -> list[tuple[str, Percentiles]]:
    """The first tool also measures a target that never stalls, for the median. `bench.seconds` is a multiple of 2."""
    rows = []
    calm: list[tuple[Truth, str | None]] = [(tools[0].truths[0], None)]
    for truth, stall in calm + [(truth, STALL) for tool in tools for truth in tool.truths]:
        label = truth.label if stall else f"{truth.label}, the target never stalls"
        percentiles = stated_percentiles(
            bench, truth, CONNECTIONS, RATE_PER_SECOND, stall=stall, head_start_seconds=STALL_HEAD_START_SECONDS
        )
        bench.report(f"truth: {label} {percentiles}")
        rows.append((label, percentiles))
    return rows


TABLE = Table(
    name="truth",
    rounds=1,
    seconds=20.0,
    facts=f"{CONNECTIONS} connections, {RATE_PER_SECOND:,.0f} requests/s",
    runs=11,
    compares=lambda tool: bool(tool.truths),
    text=lambda bench, tools: percentiles_table(EXPECTED, measure(bench, tools)),
    keeps_seconds=True,
)
