"""How even answers were over connections in several windows: connections of one window are not those of the next."""

from collections.abc import Sequence

from fairtrial.record.engine_summary import ConnectionAnswers, EngineSummary


def pooled_connection_answers(windows: Sequence[EngineSummary]) -> ConnectionAnswers | None:
    """The least and the most of any window, and the mean evenness, weighted by answers; None if one is not known."""
    parts = [(each.connection_answers, each.answers) for each in windows]
    spreads = [spread for spread, _ in parts if spread is not None]
    if len(spreads) < len(parts):
        return None
    return ConnectionAnswers(
        connections=spreads[0].connections,
        least=min(spread.least for spread in spreads),
        most=max(spread.most for spread in spreads),
        without=max(spread.without for spread in spreads),
        evenness=_mean([(spread.evenness, answers) for spread, answers in parts if spread is not None]),
        evenness_in_slices=_mean(
            [(spread.evenness_in_slices, answers) for spread, answers in parts if spread is not None]
        ),
        slice_seconds=spreads[0].slice_seconds,
    )


def _mean(weighted: Sequence[tuple[float | None, int]]) -> float | None:
    pairs = [(value, weight) for value, weight in weighted if value is not None]
    weights = sum(weight for _, weight in pairs)
    return sum(value * weight for value, weight in pairs) / weights if weights else None
