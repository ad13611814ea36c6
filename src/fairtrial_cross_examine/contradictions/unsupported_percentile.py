"""Percentiles that rest on fewer than ten slower answers: the maximum under another name."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial.judge.statistics.support import SAMPLES_ABOVE, samples_needed, supports_percentile
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, time
from fairtrial_cross_examine.model import PrintedOutput


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """One contradiction for each run, with all of its percentiles that have too few answers above them."""
    for run in evidence.runs:
        sample = run.sample
        if sample is None or not run.of_requests:
            continue
        rare = [
            (percent, figure)
            for percent, figure in run.times.ordered()
            if percent > 50 and not supports_percentile(int(sample), percent)
        ]
        if not rare:
            continue
        percentiles = ", ".join(f"p{percent:g} {time(figure.value)}" for percent, figure in rare)
        first = rare[0][0]
        above = sample * (100 - first) / 100
        says = (
            f"{percentiles}: above p{first:g} of {grouped(sample)} answers lie {above:.3g}; it needs "
            f"{samples_needed(first):,} answers for ten."
        )
        if len(rare) > 1:
            says += f" p{rare[-1][0]:g} needs {samples_needed(rare[-1][0]):,}."
        figures = {"answers": grouped(sample)}
        figures |= {f"answers that p{percent:g} needs": f"{samples_needed(percent):,}" for percent, _ in rare}
        yield kind.contradiction([run.name], says, figures)


KIND = ContradictionKind(
    name="unsupported-percentile",
    title="Percentiles that the sample does not support",
    formula="answers × (100 - percentile) / 100 ≥ 10",
    thresholds={
        "answers": Threshold(
            float(SAMPLES_ABOVE),
            "slower answers",
            "as everywhere in Fairtrial: what ten slower answers make of p99 lies, 95 times in 100, between p98.4 and "
            "p99.6 (H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition, section 7.1)",
        ),
    },
    ask="Which percentiles hold in a second run? Run long enough, or leave them out.",
    examine=examine,
)
