"""A rate that is not the requests over the seconds."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.contradictions.model import Contradiction, ContradictionKind
from fairtrial_cross_examine.in_words import grouped, rate, time
from fairtrial_cross_examine.model import Figure, PrintedOutput, PrintedRun


def examine(kind: ContradictionKind, evidence: PrintedOutput) -> Iterator[Contradiction]:
    """Where the three figures exclude each other by more than their rounding."""
    for run in evidence.runs:
        seconds = run.rate_seconds or run.seconds
        if run.requests is None or seconds is None or run.rate_per_second is None:
            continue
        computed = run.requests.over(seconds)
        if computed is None or computed.agrees_with(run.rate_per_second, kind.threshold("share")):
            continue
        says = (
            f"{grouped(run.requests.value)} requests in {seconds.value:g} s are {rate(computed.value)}, but "
            f"{rate(run.rate_per_second.value)} is printed."
        )
        fitting = run.requests.over(run.rate_per_second)
        true_seconds = _without_leading_zeros(run, seconds, kind.threshold("share"))
        if true_seconds is not None:
            says += (
                f" With {true_seconds:.6f} s they agree: ab 2.0 prints seconds and microseconds without the zeros that "
                f"belong between them, so that {true_seconds:.6f} became {seconds.value:g}."
            )
        elif fitting is not None:
            says += f" The rate belongs to {time(fitting.value)}."
        yield kind.contradiction(
            [run.name],
            says,
            {
                "requests": grouped(run.requests.value),
                "seconds": f"{seconds.value:g} s",
                "requests / seconds": rate(computed.value),
                "printed rate": rate(run.rate_per_second.value),
            },
        )


def _without_leading_zeros(run: PrintedRun, seconds: Figure, share: float) -> float | None:
    """The seconds that ab 2.0 meant, where these fit the rate: it prints `%ld.%03ld` of seconds and microseconds."""
    if run.tool != "ab" or seconds.within <= 0 or run.requests is None or run.rate_per_second is None:
        return None
    whole_seconds = int(seconds.value)
    printed_digits = round((seconds.value - whole_seconds) / (2 * seconds.within))
    true_seconds = whole_seconds + printed_digits / 1e6
    computed = run.requests.over(true_seconds)
    fits = computed is not None and computed.agrees_with(run.rate_per_second, share)
    return true_seconds if fits and abs(true_seconds - seconds.value) > seconds.within else None


KIND = ContradictionKind(
    name="rate",
    title="A rate that is not requests over seconds",
    formula="rate = requests / seconds",
    thresholds={
        "share": Threshold(
            0.001,
            "share of the rate",
            "beyond the rounding of the printed digits: tools stop their clock a moment before or after they count",
        ),
    },
    ask="Which of the three figures is the measured one, and where do the other two come from?",
    examine=examine,
)
