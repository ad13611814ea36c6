"""The columns and rows of the tables of conditions and of their requests: the same in the terminal, in Markdown and in
the HTML report."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import bounded_below, figure, level_in_words
from fairtrial.experiment.stack_class import PRODUCTION, STACK_CLASSES
from fairtrial.judge.metrics import METRICS
from fairtrial.judge.model import ConditionResult, LimitKind, RequestResult, Result, TrialResult
from fairtrial.judge.statistics.estimate import Estimate
from fairtrial.judge.statistics.student import LEVEL
from fairtrial.judge.statistics.ties import blocks_for_ranks

SHORTEST_SECONDS = 1e-6
MOST_TRIALS = 1000
"""A page that shows each of more is larger than a mail takes, and nobody reads it."""


def is_large(result: Result) -> bool:
    """Whether there are more trials than a report shows one by one."""
    return sum(len(condition.trials) for condition in result.conditions) > MOST_TRIALS


def trials_shown(result: Result, condition: ConditionResult) -> list[TrialResult]:
    """The trials of a condition that a report shows one by one: all; of a large result those that ask for a look."""
    if not is_large(result):
        return condition.trials
    return [
        trial
        for trial in condition.trials
        if trial.outcome != "valid" or any(finding.severity == "warning" for finding in trial.findings)
    ]


@dataclass(frozen=True)
class Column:
    """A figure of a condition, or of one of its requests, by its key, multiplied by `scale` to be in `unit`."""

    key: str
    title: str
    unit: str
    scale: float

    def of(self, row: ConditionResult | RequestResult) -> Estimate | None:
        """The figure of a row in this column's unit; None if it has none."""
        estimate = row.figures.get(self.key)
        if estimate is None:
            return None
        interval = estimate.interval
        scaled = None if interval is None else (interval[0] * self.scale, interval[1] * self.scale)
        return estimate.model_copy(update={"estimate": estimate.estimate * self.scale, "interval": scaled})


GOODPUT = Column("goodput_per_second", "goodput", "/s", 1)
RESPONSE_TIMES = (
    Column("response_time_p50_seconds", "p50", "ms", 1e3),
    Column("response_time_p99_seconds", "p99", "ms", 1e3),
    Column("response_time_max_seconds", "max", "ms", 1e3),
)
ALWAYS = (
    *RESPONSE_TIMES,
    Column("server_cpu_seconds_per_1000_requests", "CPU", "ms/1k", 1e3),
    Column("peak_rss_bytes", "memory", "MiB", 2**-20),
)
IF_MEASURED = (
    Column("service_cpu_seconds_per_1000_requests", "DB CPU", "ms/1k", 1e3),
    Column("elapsed_seconds", "elapsed", "s", 1),
    Column("settle_seconds", "settle", "s", 1),
    Column("idle_connection_rss_bytes", "idle", "KiB", 2**-10),
    Column("packed_answer_bytes", "packed", "KiB", 2**-10),
    Column("unpacked_answer_bytes", "unpacked", "KiB", 2**-10),
    Column("events_per_second", "events", "/s", 1),
    Column("tokens_per_second", "tokens", "/s", 1),
    Column("first_event_time_p50_seconds", "first p50", "ms", 1e3),
    Column("first_event_time_p99_seconds", "first p99", "ms", 1e3),
    Column("event_gap_p99_seconds", "gap p99", "ms", 1e3),
    Column("event_gap_max_seconds", "gap max", "ms", 1e3),
    Column("journeys_per_second", "journeys", "/s", 1),
    Column("journey_time_p50_seconds", "journey p50", "ms", 1e3),
    Column("journey_time_p99_seconds", "journey p99", "ms", 1e3),
    Column("copy_time_p50_seconds", "copy p50", "ms", 1e3),
    Column("copy_time_p99_seconds", "copy p99", "ms", 1e3),
)
START_AND_MEMORY = (
    Column("start_up_seconds", "start-up", "s", 1),
    Column("first_answer_seconds", "first answer", "ms", 1e3),
    Column("ready_rss_bytes", "memory ready", "MiB", 2**-20),
    Column("end_rss_bytes", "memory at end", "MiB", 2**-20),
)
"""A table of their own in the HTML report: the terminal has no room for them."""
FIGURES_AT = level_in_words(LEVEL)
"""The level of the interval of each figure. Claims have levels of their own."""
EXPLANATION = f"goodput: verified answers only; median over blocks, with its {FIGURES_AT} interval"
MEANINGS = {
    "p50": "response times",
    "p99": "response times",
    "max": "response times",
    "CPU": "processor time per 1,000 requests",
    "memory": "peak of all its processes",
    "DB CPU": "processor time of the database, likewise",
    "elapsed": "from the first request to the last, or of a program from start to end",
    "settle": "until the database was at rest",
    "idle": "memory of an idle connection",
    "packed": "a compressed answer as it came",
    "unpacked": "the same, unpacked",
    "events": "events of streams (gRPC: messages), each second",
    "tokens": "by the answers' own count, each second",
    "first p50": "to the first event of a stream",
    "first p99": "to the first event of a stream",
    "gap p99": "between two events of a stream",
    "gap max": "the longest of these",
    "journeys": "completed ones, each second",
    "journey p50": "from a user's arrival to the last answer",
    "journey p99": "from a user's arrival to the last answer",
    "copy p50": "from a message to each copy",
    "copy p99": "from a message to each copy",
}
"""By the title of a column, its meaning, which stands below a table that has the column."""

RANKED = "rank: by goodput; 1~3: any of these"
NOT_RANKED = "no rank: {contenders} contenders take {blocks} blocks at least"
NOT_PROVEN = "work not proven"
"""The mark of a row whose figures rest on verified answers alone."""

NOT_PROVEN_EXPLAINED = f"{NOT_PROVEN}: nothing counted whether the work behind the answers was done"
LIMITS: dict[LimitKind, str] = {
    "stack-processors": "its CPU",
    "database-processors": "DB CPU",
    "shared-processors": "shared CPU",
    "single-threads": "its threads",
    "own-concurrency": "its waits",
    "one-connection": "1 request",
    "objective": "objective",
    "program": "program",
    "load": "load",
    "rate": "rate",
    "budget": "budget",
    "job": "job",
    "engine": "engine",
    "not-known": "not known",
    "not-examined": "not examined",
}
"""Limits of a figure, in the words of the table."""

LIMITS_EXPLAINED = "limit: what kept goodput from being higher"
LOWER_BOUNDS = "> : a lower bound, because requests had no answer when they were awaited no longer"
RANKED_APART = "each class is ranked apart"
BY_REQUEST = (
    "by request: goodput and response times of each request of the mix alone; – where too few of its answers support "
    "the percentile"
)


def other_columns(result: Result) -> list[Column]:
    """The columns after goodput: those of every table, and those for which this result has figures."""
    capacities = [Column(key, key.removesuffix("_per_second"), "/s", 1) for key in _capacities(result)]
    measured = [
        column
        for column in (*capacities, *IF_MEASURED)
        if any(column.of(condition) is not None for condition in result.conditions)
    ]
    return [*ALWAYS, *measured]


def started(result: Result) -> list[ConditionResult]:
    """The conditions of which something is known about their start or their memory then."""
    return [
        condition
        for condition in in_order(result.conditions)
        if any(column.of(condition) is not None for column in START_AND_MEMORY)
    ]


def _capacities(result: Result) -> list[str]:
    """The keys of the capacities in this result: one for each named objective."""
    keys = (key for condition in result.conditions for key in condition.figures)
    return list(dict.fromkeys(key for key in keys if key.startswith("capacity:")))


def cells(row: ConditionResult | RequestResult, columns: Sequence[Column]) -> list[str]:
    """The figures of a row in these columns as text; `–` for none, `> 190` for a lower bound."""
    return [figure_cell(column.of(row)) for column in columns]


def figure_cell(estimate: Estimate | None) -> str:
    """A figure as a cell of a table shows it."""
    return "–" if estimate is None else bounded_below(figure(estimate.estimate), estimate.is_lower_bound)


def time_cell(seconds: float | None, at_least_seconds: float | None) -> str:
    """A time in ms; `–` for none, `<0.001` below a microsecond, `> 190` for a lower bound, as times are from so many
    seconds on."""
    if seconds is None:
        return "–"
    text = "<0.001" if seconds < SHORTEST_SECONDS else figure(1e3 * seconds)
    return bounded_below(text, at_least_seconds is not None and seconds >= at_least_seconds)


def in_order(conditions: Sequence[ConditionResult]) -> list[ConditionResult]:
    """The conditions class by class: by goodput, the highest first, then the refused ones, then those not run.

    The conditions of a sweep stay in the order of the file.
    """
    if any(condition.at is not None for condition in conditions):
        return list(conditions)

    def sort_key(condition: ConditionResult) -> tuple[int, int, float]:
        goodput = GOODPUT.of(condition)
        group = {"valid": 0, "refused": 1, "not run": 2}[condition.outcome]
        return STACK_CLASSES.index(condition.stack_class), group, -(goodput.estimate if goodput is not None else 0.0)

    return sorted(conditions, key=sort_key)


def shows_class(conditions: Sequence[ConditionResult]) -> bool:
    """Whether rows show the class of their stack: not where all are stacks as one would deploy them."""
    return any(condition.stack_class != PRODUCTION for condition in conditions)


def explanation(conditions: Sequence[ConditionResult], columns: Sequence[Column]) -> str:
    """The lines below the table: the meaning of the columns that it has."""
    titles: dict[str, list[str]] = {}
    for column in columns:
        if column.title in MEANINGS:
            titles.setdefault(MEANINGS[column.title], []).append(column.title)
    parts = [
        EXPLANATION,
        *(f"{', '.join(alike)}: {meaning}" for meaning, alike in titles.items()),
        *_ranked(conditions),
        *([LIMITS_EXPLAINED] if any(condition.limit is not None for condition in conditions) else []),
        *([RANKED_APART] if shows_class(conditions) else []),
        *marks_explained(conditions),
    ]
    return " · ".join(parts)


def marks_explained(conditions: Sequence[ConditionResult]) -> Iterator[str]:
    """The meanings of what says in the table that a figure is less than it seems."""
    if any(map(has_lower_bounds, conditions)):
        yield LOWER_BOUNDS
    if any(map(not_proven, conditions)):
        yield NOT_PROVEN_EXPLAINED


def _ranked(conditions: Sequence[ConditionResult]) -> Iterator[str]:
    """The meaning of ranks, or from how many blocks on there would be some."""
    if any(condition.rank is not None for condition in conditions):
        yield RANKED
        return
    with_goodput = [each for each in conditions if each.figures.get(GOODPUT.key) is not None]
    contenders = Counter((each.stack_class, each.at) for each in with_goodput).values()
    if max(contenders, default=0) > 1:
        yield NOT_RANKED.format(contenders=max(contenders), blocks=blocks_for_ranks(max(contenders)))


def has_lower_bounds(condition: ConditionResult) -> bool:
    """Whether a figure of the row, of one of its requests or of one of its trials may in truth be higher."""
    rows: list[ConditionResult | RequestResult] = [condition, *condition.requests]
    estimates = [estimate for row in rows for estimate in row.figures.values() if estimate is not None]
    times = [trial.response_time for trial in condition.trials if trial.response_time is not None]
    return any(estimate.is_lower_bound or estimate.open_above for estimate in estimates) or any(
        each.at_least_seconds is not None for each in times
    )


def not_proven(condition: ConditionResult) -> bool:
    """Whether a row has figures, and nothing but its answers says that the work behind them was done."""
    return condition.outcome == "valid" and condition.work_proven is False


def limit_in_words(condition: ConditionResult) -> str:
    """`limit: the load`; empty for a row without figures."""
    return "" if condition.limit is None else f"limit: {LIMITS[condition.limit.kind]}"


def request_rows(result: Result) -> list[tuple[ConditionResult, RequestResult]]:
    """The rows of the table by request: of each condition whose mix has several each request, and each journey."""
    return [
        (condition, each)
        for condition in in_order(result.conditions)
        for each in (*condition.requests, *map(_as_request, condition.journeys))
    ]


def _as_request(journey: RequestResult) -> RequestResult:
    """A journey as a row of the table by request."""
    keys = {"goodput": "journeys", "response_time_p50": "journey_time_p50", "response_time_p99": "journey_time_p99"}
    figures = {METRICS[to].key: journey.figures.get(METRICS[of].key) for to, of in keys.items()}
    return RequestResult(name=f"journey {journey.name}", figures={**figures, METRICS["response_time_max"].key: None})


def rank(condition: ConditionResult) -> str:
    """`1`, or `2~4` for a condition that may be second, third or fourth; `–` if it has no rank."""
    if condition.rank is None:
        return "–"
    best, worst = condition.rank
    return str(best) if best == worst else f"{best}~{worst}"
