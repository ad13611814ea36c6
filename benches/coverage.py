"""Reruns the simulated error rates of docs/statistics.md: `python benches/coverage.py --help`."""

import argparse
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benches.document import table  # noqa: E402
from fairtrial.docs.pages import replace_part  # noqa: E402
from fairtrial.experiment.model import FIRST_BLOCKS  # noqa: E402
from fairtrial.experiment.slices import Slices  # noqa: E402
from fairtrial.judge.statistics.looks import level_at, level_of_rest, plan_looks  # noqa: E402
from fairtrial.judge.statistics.planning import MOST_BLOCKS  # noqa: E402
from fairtrial.judge.statistics.scalability import Law  # noqa: E402
from fairtrial.judge.statistics.student import LEVEL  # noqa: E402
from fairtrial.judge.statistics.ties import blocks_for_ranks  # noqa: E402
from tests.judge.checks.test_not_stationary import found_in_runs  # noqa: E402
from tests.judge.statistics import cause_worlds, error_rates, failing_worlds, tail_worlds  # noqa: E402
from tests.judge.statistics import sliced_worlds as worlds_of_slices  # noqa: E402
from tests.judge.statistics.simulation import DEVIATIONS, FIGURES, RATIOS, UNSYMMETRIC  # noqa: E402

PAGES = (ROOT / "docs/statistics.md", ROOT / "benches/error_rates.md")
BLOCKS = (3, 5, 10, 20, 40)
LAWS = (Law(1000, 0.05, 0.0005), Law(1000, 0.02, 0.00002), Law(1000, 0.2, 0.0), Law(1000, 0.0, 0.001))
SCATTERS = {"0.5%": 0.005, "2%": 0.02, "5%": 0.05}
HONEST = (0.93, 0.97)
MARGIN = 0.05


def percent(count: float, of: int) -> str:
    return f"{100 * count / of:.1f}"


def by_blocks(head: str, rows: Iterable[str], cell: Callable[[str, int], str]) -> str:
    """A row for each of `rows`, a column for each of BLOCKS."""
    return table(
        [head, *(f"{blocks} blocks" for blocks in BLOCKS)],
        [[row, *(cell(row, blocks) for blocks in BLOCKS)] for row in rows],
    )


def covered(head: str, rows: Iterable[str], held: Callable[[str, int, int], int], repetitions: int) -> str:
    """The share of intervals that hold the truth; bold where it is not what the interval says."""

    def cell(name: str, blocks: int) -> str:
        share = held(name, blocks, repetitions) / repetitions
        text = f"{100 * share:.1f}"
        return text if HONEST[0] <= round(share, 3) <= HONEST[1] else f"**{text}**"

    return by_blocks(head, rows, cell)


def figures(repetitions: int) -> str:
    return covered("deviations of a figure", FIGURES, error_rates.figures_held, repetitions)


def ratios(repetitions: int) -> str:
    return covered("deviations of either side", RATIOS, error_rates.ratios_held, repetitions)


def false_upheld(repetitions: int) -> str:
    def cell(name: str, blocks: int) -> str:
        return ", ".join(percent(each, repetitions) for each in error_rates.wrongly_upheld(name, blocks, repetitions))

    return by_blocks("deviations of either side (at least, at most)", UNSYMMETRIC, cell)


def equal_stacks(repetitions: int) -> str:
    return by_blocks(
        "deviations of either",
        DEVIATIONS,
        lambda name, blocks: percent(error_rates.equal_stacks_differ(name, blocks, repetitions), repetitions),
    )


def projections(repetitions: int) -> str:
    def cell(name: str, blocks: int) -> str:
        return percent(sum(error_rates.decided_as_projected(name, blocks, repetitions)), repetitions)

    return by_blocks("deviations of either side", [*DEVIATIONS, *UNSYMMETRIC], cell)


def unpaired(repetitions: int) -> str:
    return by_blocks(
        "deviations of either",
        DEVIATIONS,
        lambda name, blocks: percent(error_rates.unpaired_coverage(name, blocks, repetitions), repetitions),
    )


def ties(repetitions: int) -> str:
    return by_blocks(
        "deviations of each",
        DEVIATIONS,
        lambda name, blocks: percent(error_rates.told_apart(name, blocks, repetitions), repetitions),
    )


def ties_of_starts(repetitions: int) -> str:
    blocks = (3, 4, 5, 6, 8, 10, 20)
    rows = [
        [
            f"{contenders}, {slow:.0%} of starts",
            *(
                percent(error_rates.ranked_by_starts(contenders, slow, each, repetitions), repetitions)
                if each >= blocks_for_ranks(contenders)
                else "–"
                for each in blocks
            ),
        ]
        for contenders in (2, 4, 7, 14)
        for slow in (0.1, 0.4, 0.5)
    ]
    return table(["contenders, slow by half", *(f"{each} blocks" for each in blocks)], rows)


def equivalence(repetitions: int) -> str:
    def cell(name: str, blocks: int) -> str:
        verdicts = error_rates.at_the_margin(name, blocks, repetitions)
        return f"{percent(verdicts['upheld'], repetitions)}, {percent(verdicts['refuted'], repetitions)}"

    return by_blocks("deviations of either (upheld, refuted)", DEVIATIONS, cell)


def answers(repetitions: int) -> str:
    """Of claims that equality may answer, how many are answered wrongly, by where the truth and the bound are."""
    plans = ([5], [10], [20], [40], plan_looks(5, 40))

    def cell(name: str, plan: list[int], world: str) -> str:
        verdicts = error_rates.answers(name, world, plan, repetitions)
        return percent(sum(verdicts[each] for each in error_rates.ANSWERS[world][2]), repetitions)

    rows = [
        [name, ", ".join(map(str, plan)), *(cell(name, plan, world) for world in error_rates.ANSWERS)]
        for name in ("normal", "Student t, 3 degrees", "lognormal, sigma 1", "one slow start in ten, against none")
        for plan in plans
    ]
    return table(["deviations of either side", "looks at", *error_rates.ANSWERS], rows)


def orders(repetitions: int) -> str:
    """Of claims that three contenders are in order, how many are answered wrongly."""

    def cell(world: str, blocks: int) -> str:
        verdicts = error_rates.order_answers(world, blocks, repetitions)
        return percent(sum(verdicts[each] for each in error_rates.ORDERS[world][1]), repetitions)

    return by_blocks("three contenders", error_rates.ORDERS, cell)


def shown_equal(repetitions: int) -> str:
    """Of claims that one of two equals is ahead, how many are answered by *equal*."""
    world = next(iter(error_rates.ANSWERS))
    rows = [
        [
            f"{100 * scatter:g}%",
            *(
                percent(
                    error_rates.answers("normal", world, [each], repetitions, scatter / math.sqrt(2))["equal"],
                    repetitions,
                )
                for each in BLOCKS[1:]
            ),
        ]
        for scatter in (0.01, 0.02, 0.04, 0.06)
    ]
    return table(["the ratio scatters by", *(f"{each} blocks" for each in BLOCKS[1:])], rows)


def looks(repetitions: int) -> str:
    plans = (plan_looks(3, 24), plan_looks(5, 40))

    def cells(name: str, plan: list[int]) -> list[str]:
        levels = [level_at(look + 1, plan) for look in range(len(plan))]
        naive = [0.95] * len(plan)
        return [percent(error_rates.decided(name, plan, each, repetitions), repetitions) for each in (levels, naive)]

    head = ["deviations of either"]
    for plan in plans:
        numbers = ", ".join(map(str, plan))
        head += [f"looks at {numbers}", "95% at each"]
    return table(head, [[name, *(cell for plan in plans for cell in cells(name, plan))] for name in DEVIATIONS])


def steps(repetitions: int) -> str:
    def cell(name: str, blocks: int) -> str:
        held = (error_rates.steps_held(SCATTERS[name], blocks, repetitions, widened=each) for each in (False, True))
        return ", ".join(percent(each, repetitions) for each in held)

    return by_blocks("starts scatter by (without the step, with it)", SCATTERS, cell)


def one_sided_load(repetitions: int) -> str:
    def cell(share: float, blocks: int) -> str:
        counts = (error_rates.one_sided_load(share, blocks, repetitions, widened=each) for each in (False, True))
        return ", ".join(percent(each, repetitions) for each in counts)

    return table(
        ["others beside one side (without the share, with it)", *(f"{blocks} blocks" for blocks in BLOCKS)],
        [[f"{share:.0%}", *(cell(share, blocks) for blocks in BLOCKS)] for share in (0.02, 0.05, 0.09)],
    )


def sliced_worlds(
    repetitions: int, designs: Sequence[worlds_of_slices.Design] = ("slices", "slices in order", "whole windows")
) -> str:
    """Equal conditions in slices, in slices of a fixed order, and in whole windows."""

    def cell(name: str, design: worlds_of_slices.Design) -> str:
        of = worlds_of_slices.outcomes(worlds_of_slices.FAILING[name], design, repetitions, Slices())
        judged = len(of.intervals)
        if not judged:
            return "no figures"
        without = f", {percent(repetitions - judged, repetitions)} without figures" if judged < repetitions else ""
        counts = ", ".join(percent(each, judged) for each in (of.covered(1.0), of.slower(1 - MARGIN)))
        return f"{counts}, ±{100 * of.reach:.1f}%{without}"

    head = "equal conditions (interval holds 1, found slower by 5%, reach)"
    rows = [[name, *(cell(name, each) for each in designs)] for name in worlds_of_slices.FAILING]
    return table([head, *designs], rows)


def grouped_worlds(repetitions: int) -> str:
    """Equal conditions in slices that are in one group in every block, in some, and in none."""
    return sliced_worlds(repetitions, ("slices", "groups drawn", "groups apart"))


def stationary_runs(repetitions: int) -> str:
    """Of honest runs, how many have a warning, and how many a warning or a note."""
    rows = []
    for trials, seconds in ((24, 12), (50, 12), (50, 30)):
        found = [{each.severity for each in run} for run in found_in_runs(trials, seconds, repetitions)]
        counts = (sum("warning" in each for each in found), sum(map(bool, found)))
        rows.append([str(trials), str(seconds), ", ".join(percent(each, repetitions) for each in counts)])
    return table(["trials of a run", "seconds of a window", "runs warned of, warned of or noted"], rows)


def run_again(repetitions: int) -> str:
    """Of claims whose truth is their bound, how many are upheld in one run at least."""
    runs = (1, 2, 3, 5, 10, 20)
    shares = [percent(error_rates.upheld_once(number, 10, repetitions), repetitions) for number in runs]
    return table(["runs of one experiment", *map(str, runs)], [["*upheld* at least once, of 100", *shares]])


def single_runs(repetitions: int) -> str:
    """Of comparisons of nothing between two single runs, how many name a change."""
    rows = (1, 5, 10, 15)
    return table(
        ["whole runs are taken to scatter by", "1 row", *(f"{count} rows" for count in rows[1:])],
        [
            [
                f"{spread:.0%}",
                *(percent(error_rates.single_runs_differ(each, spread, repetitions), repetitions) for each in rows),
            ]
            for spread in (0.0, 0.05)
        ],
    )


def clock(repetitions: int) -> str:
    """What a gap of 10% is decided in, by how long there is time, and how the looks are planned."""
    rows, full = [], [5, 10, 20, 40]
    for spread in (0.05, 0.08):
        gap = math.log(1.1) / spread
        for fitting in (5, 6, 8, 10, 20, 40):
            looks = [look for look in full if look < fitting]
            fixed = [level_at(look + 1, full, last_share=None) for look in range(len(full))]
            rest = 0.95 if fitting == 5 else level_of_rest(max(looks, default=0), full, last_share=None)
            at_its_level = [look for look in full if look <= fitting]
            plans = [
                (at_its_level, fixed[: len(at_its_level)]),
                ([*looks, fitting], [*fixed[: len(looks)], rest]),
            ]
            powers = [percent(error_rates.decided("normal", *plan, repetitions, gap), repetitions) for plan in plans]
            planned, mean = error_rates.decided_in_time("normal", "blocks of one length", 5, fitting, repetitions, gap)
            once = error_rates.decided("normal", [fitting], [0.95], repetitions, gap)
            cells = [*powers, f"{percent(planned, repetitions)}, {mean:.1f}", percent(once, repetitions)]
            rows.append([f"{100 * spread:.0f}%", f"{fitting} blocks", *cells])
    head = ["deviation of the ratio", "time for", "looks at 5, 10, 20, 40", "and the rest spent at the end"]
    return table([*head, "planned from the clock, mean blocks", "one look, at the end"], rows)


def default_plan(repetitions: int) -> str:
    """What the plan of a run without `blocks` decides, and after how many blocks, beside fixed numbers of them."""

    def cells(deviations: str, gap: float) -> Iterable[str]:
        for fitting in (20, 60):
            count, mean = error_rates.decided_in_time(
                deviations, "blocks of one length", FIRST_BLOCKS, fitting, repetitions, gap
            )
            yield f"{percent(count, repetitions)}, {mean:.1f}"
        for blocks in (5, 12):
            yield percent(error_rates.decided(deviations, [blocks], [LEVEL], repetitions, gap), repetitions)

    return table(
        [
            "deviations of either",
            "from the bound",
            "time for 20 blocks, mean",
            "time for 60, mean",
            "fixed 5",
            "fixed 12",
        ],
        [
            [name, f"{gap:g} deviations", *cells(name, gap)]
            for name in ("normal", "one slow start in ten")
            for gap in (0, 0.5, 1, 2, 5)
        ],
    )


def clock_errors(repetitions: int) -> str:
    def cell(deviations: str, time: str, fitting: float) -> str:
        count, _ = error_rates.decided_in_time(deviations, time, 5, fitting, repetitions)
        return percent(count, repetitions)

    fittings = (5, 6, 9.5, 20, 40)
    return table(
        ["deviations of either", "how long blocks take", *(f"time for {fitting:g}" for fitting in fittings)],
        [
            [deviations, time, *(cell(deviations, time, fitting) for fitting in fittings)]
            for deviations in ("normal", "lognormal, sigma 1", "one slow start in ten")
            for time in error_rates.TIMES
        ],
    )


def laws(repetitions: int) -> str:
    rows = []
    for law in LAWS:
        for blocks in BLOCKS[:3]:
            fits, held = error_rates.law_held(law, blocks, repetitions)
            peaks = held["peaks"]
            cells = [percent(held[name], fits) for name in ("λ", "σ", "κ")]
            inside = percent(held["N*"], peaks) if peaks > repetitions / 2 else "—"
            rows.append([f"{law.contention:g}", f"{law.coherency:g}", str(blocks), *cells, inside])
    return table(["σ", "κ", "blocks", "λ", "σ", "κ", "N*, if inside"], rows)


def shapes(repetitions: int) -> str:
    noises = ("normal", "Student t, 3 degrees", "lognormal, sigma 1")
    return table(
        ["the curve", "the error", *(f"{noise}, {blocks} blocks" for noise in noises for blocks in (5, 10))],
        [
            [
                edge,
                EDGE_ERRORS[edge],
                *(
                    percent(error_rates.misjudged(edge, noise, blocks, repetitions), repetitions)
                    for noise in noises
                    for blocks in (5, 10)
                ),
            ]
            for edge in error_rates.EDGES
        ],
    )


EDGE_ERRORS = {
    edge: f"“{shape}” {verdict}"
    for (edge, (_, _, verdict)), shape in zip(
        error_rates.EDGES.items(),
        (
            *("rises", "rises", "rises", "flat", "flat", "peak", "peak", *["rises and falls"] * 3, "leads", "leads"),
            *["diminishing returns"] * 2,
        ),
        strict=True,
    )
}


def machine_faults(repetitions: int) -> str:
    rows = []
    for chance in (0.01, 0.02):
        for blocks in (5, 20, 40):
            with_fault, decided, held = failing_worlds.machine_faults(chance, blocks, repetitions)
            lost, undecided = percent(with_fault, repetitions), percent(repetitions - decided, repetitions)
            complete = percent(failing_worlds.complete_with_spare(chance, blocks, repetitions), repetitions)
            rows.append([f"{100 * chance:.0f}%", str(blocks), lost, undecided, percent(held, decided), complete])
    head = ["chance of a fault", "blocks", "lost if one fault spoils the claim", "undecided, blocks left out"]
    return table([*head, "coverage of those decided", "all blocks judged, with spare ones"], rows)


def several_claims(repetitions: int) -> str:
    return table(
        ["claims", "each at 95%", '`claims_judged = "together"`'],
        [
            [
                str(claims),
                *(
                    percent(failing_worlds.wrong_among_claims(claims, judged, repetitions), repetitions)
                    for judged in ("each", "together")
                ),
            ]
            for claims in (3, 5, 10)
        ],
    )


def one_sided_drift(repetitions: int) -> str:
    def cell(name: str, blocks: int) -> str:
        return ", ".join(percent(each, repetitions) for each in failing_worlds.drifting(name, blocks, repetitions))

    return table(
        [
            "drift of one side (coverage, warned of, warned of or noted)",
            *(f"{blocks} blocks" for blocks in (5, 10, 20, 40)),
        ],
        [[name, *(cell(name, blocks) for blocks in (5, 10, 20, 40))] for name in failing_worlds.DRIFTS],
    )


def starts_apart(repetitions: int) -> str:
    def cell(name: str, blocks: int) -> str:
        return ", ".join(percent(each, repetitions) for each in failing_worlds.starts_apart(name, blocks, repetitions))

    return by_blocks("starts (warned of, found, both kinds there)", failing_worlds.MODES, cell)


def honest_starts(repetitions: int) -> str:
    def cell(name: str, blocks: int) -> str:
        counts = failing_worlds.honest_starts(name, blocks, repetitions)
        return ", ".join(percent(each, repetitions) for each in counts)

    return by_blocks("starts of five contenders (warned of, noted)", failing_worlds.HONEST_STARTS, cell)


def projections_by_kind(repetitions: int) -> str:
    def cell(kind: str, blocks: int) -> str:
        return percent(sum(failing_worlds.decided_by_kind(kind, blocks, repetitions)), repetitions)

    return by_blocks("kind of claim", failing_worlds.KINDS, cell)


METHODS: tuple[tail_worlds.Method, ...] = ("nearest rank", "unbiased", "with its reach")


def tails(repetitions: int) -> str:
    """Budgets at the true p99: how often each method upholds it wrongly, and how often it withholds the verdict."""

    def cell(together: int, answers: int, blocks: int, method: tail_worlds.Method) -> str:
        at_most, at_least, withheld = tail_worlds.budgets(together, answers, blocks, repetitions, method)
        counts = (at_most, at_least, withheld) if withheld else (at_most, at_least)
        return ", ".join(percent(each, repetitions) for each in counts)

    rows = [
        [f"{together}", f"{answers:,}", str(blocks), *(cell(together, answers, blocks, each) for each in METHODS)]
        for together in (1, 5, 20)
        for answers in (1000, 5000)
        for blocks in (5, 10, 40)
    ]
    return table(["slow together", "answers", "blocks", *METHODS], rows)


def tail_ratios(repetitions: int) -> str:
    def cell(blocks: int, method: tail_worlds.Method) -> str:
        return percent(tail_worlds.ratios_held((1000, 20_000), blocks, repetitions, method), repetitions)

    return table(
        ["1,000 answers against 20,000", *METHODS],
        [[f"{blocks} blocks", *(cell(blocks, each) for each in METHODS)] for blocks in (5, 10, 40)],
    )


def causes(repetitions: int) -> str:
    """Two factors with all four combinations, six in a fraction; five and eight blocks."""
    rows = []
    for name, draw in cause_worlds.WORLDS.items():
        for factors, interactions in ((2, False), (2, True), (3, True), (6, True)):
            cells = []
            for blocks in (5, 8):
                held = cause_worlds.parts_held(cause_worlds.World(factors, interactions), draw, blocks, repetitions)
                share = percent(held.shares, held.with_shares) if held.with_shares else "–"
                cells += [percent(held.ratios, repetitions), share, percent(held.with_shares, repetitions)]
            rows.append([name, str(factors), "yes" if interactions else "no", *cells])
    blocks_head = [f"{words}, {blocks} blocks" for blocks in (5, 8) for words in ("parts", "shares", "has shares")]
    return table(["starts", "factors", "together", *blocks_head], rows)


def causes_at_looks(repetitions: int) -> str:
    """The same at the look at which a run ends: the first at which all shares are known, or the last."""
    rows, looks = [], plan_looks(FIRST_BLOCKS, MOST_BLOCKS)
    for name, draw in cause_worlds.WORLDS.items():
        for factors in (2, 3):
            world = cause_worlds.World(factors, with_interactions=True)
            held, ends = cause_worlds.parts_held_at_looks(world, draw, looks, repetitions)
            counts = [held.ratios, held.whole, held.with_shares]
            shares = percent(held.shares, held.with_shares)
            cells = [*(percent(each, repetitions) for each in counts), shares, f"{sum(ends) / repetitions:.1f}"]
            rows.append([name, str(factors), *cells])
    return table(["starts", "factors", "parts", "the ratio", "has shares", "shares", "mean blocks"], rows)


TABLES: dict[str, tuple[Callable[[int], str], int]] = {
    "figures": (figures, 10_000),
    "ratios": (ratios, 10_000),
    "false-upheld": (false_upheld, 10_000),
    "equal-stacks": (equal_stacks, 10_000),
    "ties": (ties, 10_000),
    "equivalence": (equivalence, 10_000),
    "answers": (answers, 1_000),
    "orders": (orders, 1_000),
    "shown-equal": (shown_equal, 1_000),
    "looks": (looks, 10_000),
    "clock": (clock, 4_000),
    "ties-of-starts": (ties_of_starts, 1_000),
    "steps": (steps, 1_000),
    "run-again": (run_again, 2_000),
    "one-sided-load": (one_sided_load, 1_000),
    "sliced-worlds": (sliced_worlds, 1_000),
    "grouped-worlds": (grouped_worlds, 1_000),
    "stationary-runs": (stationary_runs, 100),
    "tails": (tails, 1_000),
    "tail-ratios": (tail_ratios, 300),
    "default-plan": (default_plan, 2_000),
    "clock-errors": (clock_errors, 4_000),
    "scalability": (laws, 1_000),
    "shapes": (shapes, 2_000),
    "projections": (projections, 2_000),
    "unpaired": (unpaired, 10_000),
    "single-runs": (single_runs, 1_000),
    "machine-faults": (machine_faults, 2_000),
    "several-claims": (several_claims, 2_000),
    "one-sided-drift": (one_sided_drift, 1_000),
    "starts-apart": (starts_apart, 2_000),
    "honest-starts": (honest_starts, 500),
    "projections-by-kind": (projections_by_kind, 2_000),
    "causes": (causes, 2_000),
    "causes-at-looks": (causes_at_looks, 1_000),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulates how often the judge's statistics err.")
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--repetitions", type=int, help="of each cell [default: as the table says]")
    parser.add_argument("--write", action="store_true", help="put the tables into their pages")
    options = parser.parse_args()
    for name in options.tables:
        simulate, usual = TABLES[name]
        repetitions = options.repetitions or usual
        part = f"{simulate(repetitions)}\n\n({repetitions:,} repetitions a cell.)"
        print(f"\n{name}\n\n{part}", flush=True)
        if options.write:
            page = next(page for page in PAGES if f"<!-- {name} -->" in page.read_text())
            page.write_text(replace_part(page.read_text(), name, part))
    return 0


if __name__ == "__main__":
    sys.exit(main())
