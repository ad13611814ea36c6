"""A ratio in the text that the figures, or another sentence, do not give."""

from collections import defaultdict
from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun, StatedRatio


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Ratios against the runs that they are about, and ratios of one subject against each other."""
    runs = {(run.source, run.name): run for run in evidence.runs}
    subjects: dict[tuple[str, str], list[StatedRatio]] = defaultdict(list)
    for ratio in evidence.ratios:
        subjects[ratio.source, ratio.subject].append(ratio)
        computed = _computed(ratio, runs)
        if computed is None or computed.agrees_with(ratio.factor, kind.threshold("share")):
            continue
        says = (
            f"{ratio.subject}: {ratio.factor.value:.3g} is stated, and the figures of {ratio.of} and {ratio.to} give "
            f"{computed.value:.3g}."
        )
        figures = {"stated": f"{ratio.factor.value:.3g}", "by the figures": f"{computed.value:.3g}"}
        yield kind.contradiction([str(ratio.of), str(ratio.to)], says, figures)
    for (_, subject), ratios in subjects.items():
        ordered = sorted(ratios, key=lambda ratio: ratio.factor.value)
        least, most = ordered[0].factor, ordered[-1].factor
        if not least.agrees_with(most, kind.threshold("share")):
            says = f"{subject}: {least.value:.3g} times as much is stated in one place, {most.value:.3g} in another."
            yield kind.contradiction([], says, {"one": f"{least.value:.3g}", "other": f"{most.value:.3g}"})


def _computed(ratio: StatedRatio, runs: dict[tuple[str, str], PrintedRun]) -> Figure | None:
    """The ratio of the two runs: of their rates, or of their seconds."""
    of, to = (runs.get((ratio.source, name or "")) for name in (ratio.of, ratio.to))
    if of is None or to is None:
        return None
    first, second = (run.rate_per_second if ratio.measure == "rate" else run.seconds for run in (of, to))
    return None if first is None or second is None else first.over(second)


KIND = ContradictionKind(
    name="stated-ratio",
    title="A ratio that the figures do not give",
    formula="ratio = figure of the one / figure of the other",
    thresholds={
        "share": Threshold(0.02, "share of the ratio", "beyond the rounding of the printed digits"),
    },
    ask="Which figures is the ratio of?",
    examine=examine,
)
