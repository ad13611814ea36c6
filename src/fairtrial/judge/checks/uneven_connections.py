import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import figure
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Finding, Threshold, finding
from fairtrial.judge.metrics import kinds_in
from fairtrial.judge.statistics.distributions import chi_square_above, poisson_up_to
from fairtrial.judge.statistics.support import supports_percentile
from fairtrial.load.capacity import METRIC_PERCENTILES
from fairtrial.load.kinds import Load
from fairtrial.record.engine_summary import ConnectionAnswers, Distribution, EngineSummary
from fairtrial.record.histogram import read_histogram
from fairtrial.record.slices import Slicing

FEWEST_PAIRS, ENOUGH_PAIRS = 100, 1_000
"""Pairs of answers that slices must hold by chance, so that their index is within some tenths of what it would be, or
within a few hundredths."""
TAIL, LOWER_TAIL = 99.0, 90.0
TO_SERVE_ALL = (
    "serve connections in the order in which they ask: as many workers as connections, or a server that waits for all "
    "of its connections at once; or measure with at most as many connections as it serves"
)
TO_SHOW_WAITS = (
    "serve connections in the order in which they ask; or ask for percentiles under an open load, whose requests are "
    "due whether or not a connection is served"
)


@dataclass(frozen=True)
class _Spread:
    """How the answers of one trial spread.

    Attributes:
        windows: how many the trial was put together from; each has connections of its own.
        share: answers that each connection would have in one window if all had the same.
        bundle: answers count as though they came in bundles of so many, see `_bundle`.
    """

    summary: EngineSummary
    answers: ConnectionAnswers
    windows: int
    share: float
    bundle: float

    def starved(self, least: float, alpha: float) -> bool:
        """Whether the connection with fewest answers had this part of an even share at most, and not by chance.

        By chance its bundles are Poisson-distributed, at most: what is waited for in turn scatters less. Any of the
        connections may be the one, in any window.
        """
        if self.answers.least > least * self.share:
            return False
        by_chance = poisson_up_to(math.floor(self.answers.least / self.bundle), self.share / self.bundle)
        return by_chance * self.answers.connections * self.windows < alpha

    def uneven(self, evenness: float, alpha: float) -> bool:
        """Whether Jain's index is below this, and not by chance: Fisher's index of dispersion.

        The sum of squares around the mean, over the mean, is n (1/J - 1) times it, and follows chi-square.
        """
        index, connections = self.answers.evenness, self.answers.connections
        if index is None or index >= evenness:
            return False
        dispersion = connections * self.share / self.bundle * (1 / index - 1)
        return chi_square_above(dispersion, connections - 1) < alpha

    def in_turns(self, at_a_time: float, hidden: float, fewest_pairs: int) -> bool:
        """Whether few were served at a time, and the percentiles show nothing of what the others waited."""
        index, seconds = self.answers.evenness_in_slices, self.answers.slice_seconds
        if index is None or seconds is None or index >= at_a_time:
            return False
        pairs = self.summary.answers**2 * seconds / self.summary.window_seconds / self.answers.connections
        return pairs >= fewest_pairs and hidden_share(self.summary) > hidden


@check(
    "uneven-connections",
    looks_at="answers of each connection of a closed load, over the window and in slices of it (Jain's index: R. Jain, "
    "D. Chiu, W. Hawe, DEC-TR-301, 1984), and how much of the waiting is in the slowest 1% of the answers",
    remedy="look at how connections come to workers (SO_REUSEPORT deals them out by chance, accept by who wakes "
    "first), and whether what waits is served oldest first: more connections, one acceptor that deals them out in "
    "turn, or keep_alive = false spread them",
    of_loads=True,
    least=Threshold(
        0.1,
        "of an even share",
        "connections dealt out to workers by chance differ less: of 16 on four workers, 13 on one and 1 on each "
        "other, the least has 0.31 of an even share",
    ),
    at_a_time=Threshold(
        0.5,
        "share of the connections",
        "below it most connections wait while the others are served; a server that takes them in turn is at 1",
    ),
    hidden=Threshold(
        0.5,
        "share of the time waited",
        "most connections are then in a request that no p99 tells of; the slowest 1% of exponential times are 6% of "
        "it, of a heavy tail (Pareto, 1.5) 22%",
    ),
    most_at_a_time=Threshold(
        0.75,
        "share of the connections",
        "below it a quarter of the connections waits while the others are served",
    ),
    some_hidden=Threshold(
        0.3,
        "share of the time waited",
        "more than the slowest 1% of a heavy tail have (Pareto, 1.5: 22%)",
    ),
    evenness=Threshold(
        0.889,
        "index, 1: all alike",
        "8/9: two workers of which one has twice as many connections as the other",
    ),
    alpha=Threshold(
        0.001,
        "probability",
        "of one false finding in a trial under fair service",
    ),
)
def uneven_connections(
    engine: EngineSummary,
    load: Load,
    slices: Slicing | None,
    *,
    least: float,
    at_a_time: float,
    hidden: float,
    most_at_a_time: float,
    some_hidden: float,
    evenness: float,
    alpha: float,
) -> Iterator[Finding]:
    """Connections of a closed load that get less than others: percentiles count answers, and those who wait have few.

    At most one finding for each trial. Of turns that hide less of the waiting than refuses the trial, a refusal of its
    percentiles.
    """
    spread = _spread(engine, load, 1 if slices is None else max(slices.kept_rounds, 1))
    if spread is None:
        return
    answers = spread.answers
    counts = f"{answers.least:,} to {answers.most:,} answers where an even share is {figure(spread.share)}"
    index = f"evenness {answers.evenness or 0:.2f}"
    if spread.starved(least, alpha):
        without = f", and {answers.without:,} of {answers.connections:,} had none" if answers.without else ""
        yield finding(
            "refusal",
            f"connections had {counts}{without} ({index}): the percentiles are those of the connections that were "
            "served",
            TO_SERVE_ALL,
        )
    elif (wholly := spread.in_turns(at_a_time, hidden, FEWEST_PAIRS)) or spread.in_turns(
        most_at_a_time, some_hidden, ENOUGH_PAIRS
    ):
        yield finding(
            "refusal",
            f"of {answers.connections:,} connections "
            f"{figure((answers.evenness_in_slices or 0) * answers.connections)} were served at a time "
            f"(slices of {1000 * (answers.slice_seconds or 0):.3g} ms), and "
            f"{hidden_share(engine):.0%} of the time that they waited went into the slowest 1% of the answers: "
            "p99 leaves it out",
            TO_SHOW_WAITS,
            metrics=() if wholly else percentiles_in(engine),
        )
    elif spread.uneven(evenness, alpha):
        yield finding("warning", f"connections had {counts} ({index})")


def percentiles_in(engine: EngineSummary) -> list[str]:
    """The metrics of all times that an account has, up to p99."""
    return [f"{kind}_p{name}" for kind in kinds_in(engine) for name in METRIC_PERCENTILES if float(name) <= TAIL]


def _spread(summary: EngineSummary, load: Load, windows: int) -> _Spread | None:
    """None where nothing is known, or where more than the server decides whose answer comes next.

    In an open load the engine takes the connection that has rested longest. Clients that think, or log in, or give up
    after a failed connect (`local_ports`) have as many answers as that leaves them.
    """
    if load.clients is None or load.loses_clients or summary.has_pauses:
        return None
    answers = summary.connection_answers
    if answers is None or answers.connections < 2 or not summary.answers or summary.window_seconds <= 0:
        return None
    share = summary.answers / answers.connections / windows
    return _Spread(summary, answers, windows, share, _bundle(summary.response_time))


def _bundle(times: Distribution) -> float:
    """How much more the number of a connection's answers varies than if they came at random, at least 1.

    Under fair service each connection's answers take times of the same distribution. So their number has a variance of
    its mean times the squared coefficient of variation of these times (renewal theory: D. R. Cox, Renewal Theory, 1962,
    section 4.2), as if answers came in bundles of that many. Slow requests of a mix make that large.
    """
    histogram = read_histogram(times.hdr_base64)
    if not histogram.count or histogram.mean_seconds <= 0:
        return 1.0
    return max((histogram.deviation_seconds / histogram.mean_seconds) ** 2, 1.0)


def hidden_by_turns(summary: EngineSummary, percentile: float = TAIL) -> float:
    """The part of the connections' time, 0 to 1, that may be that of connections that wait for a turn and whose waits
    a percentile does not tell of. 0 where the server does not decide whose answer comes next, or it is not known.

    It is no more than what the slowest 1% of the answers took beyond a hundredth, with requests that were left
    unanswered; nor more than who is not served at a time. A server that takes n connections in turn has a (a - n) / n
    pairs of one connection among a answers in a slice, and chance a (a - 1) / n: turns may be as much more even.

    Of p90 and below it is also what the slowest tenth took beyond a tenth, as far as slices prove turns.
    """
    answers = summary.connection_answers
    if answers is None or answers.connections < 2 or summary.waiting is not None or summary.has_pauses:
        return 0.0
    if answers.evenness_in_slices is None or answers.slice_seconds is None or summary.window_seconds <= 0:
        return 0.0
    in_slice = summary.answers * answers.slice_seconds / summary.window_seconds
    in_turn = (in_slice - answers.connections) / (in_slice - 1) if in_slice > answers.connections else 0.0
    hidden = max(hidden_share(summary) - (1 - TAIL / 100), 0.0) + unanswered_share(summary)
    hidden = min(hidden, 1 - answers.evenness_in_slices * in_turn)
    if percentile <= LOWER_TAIL and summary.answers * in_slice / answers.connections >= ENOUGH_PAIRS:
        proven = 1 - answers.evenness_in_slices / (answers.evenness or 1.0)
        hidden = max(hidden, min(hidden_share(summary, LOWER_TAIL) - (1 - LOWER_TAIL / 100), proven))
    return max(hidden, 0.0)


def unanswered_share(summary: EngineSummary) -> float:
    """The part of the connections' time that went into requests without an answer at the end, beyond what others
    took."""
    under_way, p99 = summary.under_way, summary.response_time.percentiles.get(f"{TAIL:g}")
    if under_way is None or p99 is None:
        return 0.0
    beyond = under_way.at_end_seconds - summary.in_flight_at_end * p99
    return max(beyond, 0.0) / (under_way.ended_seconds + under_way.at_end_seconds) if beyond > 0 else 0.0


def hidden_share(summary: EngineSummary, tail: float = TAIL) -> float:
    """The share, 0 to 1, of all response times together that belongs to answers slower than this percentile of their
    kind.

    Kinds of requests are apart, so that slow ones among quick ones are not taken for requests that waited.
    """
    apart = [share.response_time for share in summary.mix if share.response_time is not None]
    beyond = total = 0.0
    for times in apart if len(apart) == len(summary.mix) > 1 else [summary.response_time]:
        seconds, slow = _tail(times, tail)
        total += seconds
        if supports_percentile(times.count, tail):
            beyond += slow
    return beyond / total if total > 0 else 0.0


def _tail(times: Distribution, tail: float) -> tuple[float, float]:
    """The sum of all times, and of those beyond the tail's percentile, in seconds."""
    histogram = read_histogram(times.hdr_base64)
    if not histogram.count:
        return 0.0, 0.0
    limit = histogram.at(tail)
    sums = [(bucket.middle_seconds, bucket.middle_seconds * bucket.count) for bucket in histogram.buckets]
    return _sum([each for _, each in sums]), _sum([each for middle, each in sums if middle > limit])


def _sum(values: Sequence[float]) -> float:
    return math.fsum(values)
