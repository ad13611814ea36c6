"""The verdict on each row of a board: it stands, contradicts itself, or cannot be told."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial_cross_examine.contradictions import contradiction_kinds
from fairtrial_cross_examine.contradictions.model import Contradiction
from fairtrial_cross_examine.in_words import printed_name
from fairtrial_cross_examine.model import BoardRow, PrintedOutput, PrintedRun

Verdict = Literal["stands", "contradicts itself", "cannot be told"]

KINDS = ("clients-idle", "errors-as-throughput", "impossible-times", "mean-as-percentile", "too-much-time")
"""The contradictions that a row can have with itself. Others need what no board prints, or compare rows."""
LEAST_ORDERED = 3
"""Minimum, percentiles and maximum beside a mean from which on their order can have failed."""
ROOM = 1.1
"""Times the connections, from which on rate × mean is too much for a row to stand: seconds are whole in some files."""
TOO_FEW = "it has too few figures that could contradict each other"


class ExaminedRow(Strict):
    """One row of a board, as it was read, with its verdict."""

    board: str
    source: str
    test: str
    contender: str
    tool: str
    connections: int | None
    rate_per_second: float | None
    mean_seconds: float | None
    under_way: float | None = Field(description="rate × mean / connections")
    verdict: Verdict
    contradictions: list[str]
    says: str


def examine_rows(rows: Sequence[BoardRow]) -> tuple[list[ExaminedRow], list[Contradiction]]:
    """Each row with its verdict, and the contradictions of those that have one, by their kinds."""
    by_place = _contradictions_of(rows)
    examined, contradictions = [], []
    for place, row in enumerate(rows):
        own = [each for each in by_place[place] if each.kind not in row.explained]
        name = printed_name(f"{row.contender}, {row.test}")
        contradictions += [each.model_copy(update={"runs": [name]}) for each in own]
        verdict, says = _verdict(row, by_place[place], own)
        examined.append(_examined(row, verdict, list(dict.fromkeys(each.kind for each in own)), says))
    return examined, sorted(contradictions, key=lambda each: each.kind)


def _contradictions_of(rows: Sequence[BoardRow]) -> Mapping[int, Sequence[Contradiction]]:
    """The contradictions by the place of their row."""
    evidence = PrintedOutput(
        runs=[row.run.model_copy(update={"name": str(place)}) for place, row in enumerate(rows)],
    )
    by_place: dict[int, list[Contradiction]] = defaultdict(list)
    for name in KINDS:
        kind = contradiction_kinds()[name]
        for contradiction in kind.examine(kind, evidence):
            by_place[int(contradiction.runs[0])].append(contradiction)
    return by_place


def _verdict(
    row: BoardRow, contradictions: Sequence[Contradiction], own: Sequence[Contradiction]
) -> tuple[Verdict, str]:
    if own:
        return "contradicts itself", " ".join(each.says for each in own)
    kinds = [each.kind for each in contradictions]
    if (_under_way(row.run) or 0) > ROOM and row.run.load == "closed":
        kinds.append("too-much-time")  # more than there can be, yet not more than the tool may have made of it
    reasons = [*(row.explained[kind] for kind in kinds if kind in row.explained), *filter(None, [row.untold])]
    if reasons:
        return "cannot be told", "; ".join(dict.fromkeys(reasons))
    fits = [*_fit_by_product(row.run), *_fit_by_order(row.run)]
    return ("stands", "; ".join(fits)) if fits else ("cannot be told", TOO_FEW)


def _fit_by_product(run: PrintedRun) -> list[str]:
    share = _under_way(run)
    if run.load != "closed" or share is None or run.connections is None:
        return []
    return [f"rate × mean is {share * run.connections:,.4g} requests under way, of {run.connections:,}"]


def _fit_by_order(run: PrintedRun) -> list[str]:
    times = run.times
    ordered = [each for each in (times.minimum, times.maximum) if each is not None]
    if times.mean is None or len(ordered) + len(times.percentiles) < LEAST_ORDERED:
        return []
    return ["the mean fits the minimum, the percentiles and the maximum, and these their order"]


def _under_way(run: PrintedRun) -> float | None:
    """Answers a second × mean / connections; a rate may count less than all answers."""
    rate = run.requests_per_second or run.rate_per_second
    if rate is None or run.times.mean is None or run.connections is None:
        return None
    return rate.value * run.times.mean.value / run.connections


def _examined(row: BoardRow, verdict: Verdict, kinds: list[str], says: str) -> ExaminedRow:
    run = row.run
    return ExaminedRow(
        board=row.board,
        source=run.source,
        test=row.test,
        contender=row.contender,
        tool=run.tool,
        connections=run.connections,
        rate_per_second=None if run.rate is None else run.rate.value,
        mean_seconds=None if run.times.mean is None else run.times.mean.value,
        under_way=_under_way(run),
        verdict=verdict,
        contradictions=kinds,
        says=says,
    )
