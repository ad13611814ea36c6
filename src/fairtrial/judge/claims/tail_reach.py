"""By how much a percentile may be read too low: because slow answers came together, or because connections waited for
their turn.

A pause of the server holds up all requests in flight, so that a hundred slow answers may be the work of five pauses.
The percentile then rests on five samples, and its position (`position_of`) is that of five, which lies higher.

Under a closed load the mean number of requests under way is that of the connections, whatever the order in which they
are served (Little's law). Where a part h of that is in waits that no percentile tells of, the others share the server
with 1 - h of the connections, and their times are 1 - h of what they would be if nobody waited for a turn.

Where requests hang until the window ends, those that were answered meanwhile may all be quick ones. Of the others, so
many are below a percentile as stand at a higher position among all.
"""

import math

from fairtrial.judge.checks.uneven_connections import TAIL, hidden_by_turns, unanswered_share
from fairtrial.judge.metrics import Metric, percentile_in
from fairtrial.judge.metrics.metric import times_behind
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.histogram import position_of, read_histogram
from fairtrial.record.model import TrialRecord

LEAST_GROUPS = 2
"""Groups of answers that are expected above a percentile. With fewer, one trial in seven or more has none, and how many
answers are in one is not known: all that are slow seem to be one group."""


def tail_reach(metric: Metric, trial: TrialRecord) -> float:
    """By both together, as `answers_together` says."""
    return (1 + answers_together(metric, trial)) * (1 + turns_reach(metric, trial)) - 1


def turns_reach(metric: Metric, trial: TrialRecord) -> float:
    """By how much turns may have lowered a percentile of a closed load, as a share of it; 0 for other metrics."""
    pair, engine = percentile_in(metric.name), metric.window(trial)
    if pair is None or engine is None or float(pair[1]) > TAIL:
        return 0.0
    hidden = hidden_by_turns(engine, float(pair[1]))
    in_turns = hidden / (1 - hidden) if hidden < 1 else math.inf
    return max(in_turns, _beside_those_that_hang(metric, trial, engine, pair))


def _beside_those_that_hang(metric: Metric, trial: TrialRecord, engine: EngineSummary, pair: tuple[str, str]) -> float:
    """The same by requests that had waited for longer than others when a closed load ended."""
    times = times_behind(metric, trial, pair[0])
    if engine.waiting is not None or not unanswered_share(engine) or times is None or not times.count:
        return 0.0
    hung = min(1.0, (engine.oldest_in_flight_seconds or 0.0) / engine.window_seconds)
    histogram = read_histogram(times.hdr_base64)
    value = histogram.at(float(pair[1]))
    return histogram.at(100 * hung + (1 - hung) * float(pair[1])) / value - 1 if value > 0 else 0.0


def answers_together(metric: Metric, trial: TrialRecord) -> float:
    """By answers that came together, as a share of the trial's value: 0.1 where a percentile may be a tenth higher.

    0 for other metrics, and where it is not known how slow answers came; infinite with fewer than LEAST_GROUPS groups.
    """
    pair, engine = percentile_in(metric.name), metric.window(trial)
    if pair is None or engine is None:
        return 0.0
    times = times_behind(metric, trial, pair[0])
    if times is None or not times.hdr_base64:
        return 0.0
    percentile = float(pair[1])
    # A pause holds up as many journeys as requests, however few journeys there are beside their requests.
    together = _together(engine, percentile, engine.answers if metric.read_journey is not None else times.count)
    if together <= 1:
        return 0.0
    if times.count * (1 - percentile / 100) < LEAST_GROUPS * together:
        return math.inf
    histogram = read_histogram(times.hdr_base64)
    value = histogram.at(percentile)
    return histogram.at_position(position_of(percentile, histogram.count, together)) / value - 1 if value > 0 else 0.0


def _together(engine: EngineSummary, percentile: float, answers: int) -> float:
    """How many of so many answers above a percentile came together, by the next lower one that is known; 1: unknown.

    Of answers of one request among others it is their part of a group: if a share p of events with the index I is drawn
    by chance, their number has the variance p² times that of all plus p (1 - p) times their mean, which is an index of
    1 + p (I - 1).
    """
    indices = {float(name): index for name, index in engine.tail_dispersion.items() if index is not None}
    below = [each for each in indices if each <= percentile]
    if not below or not engine.answers:
        return 1.0
    return 1 + min(1.0, answers / engine.answers) * (indices[max(below)] - 1)
