"""What a contender gains by staying just inside each tolerance, tried on the checks.

The tables are in docs/proof.md and benches/error_rates.md.

`python benches/tolerances.py --help`. Each row finds the largest offence that its check lets pass, on a record, and
says what it buys.
"""

import argparse
import math
import sys
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benches.document import table  # noqa: E402
from fairtrial.docs.pages import replace_part  # noqa: E402
from fairtrial.judge.checks.stale import least_share_found  # noqa: E402
from fairtrial.judge.claims.tail_reach import turns_reach  # noqa: E402
from fairtrial.judge.metrics import find_metric  # noqa: E402
from fairtrial.lab.trial.capacity import OFFERED_SHARE  # noqa: E402
from fairtrial.record.engine_summary import ConnectionAnswers, Picks  # noqa: E402
from fairtrial.record.model import ExperimentRecord, TrialRecord  # noqa: E402
from fairtrial.record.proof import Ledger  # noqa: E402
from fairtrial.record.slices import Slicing  # noqa: E402
from tests.builders import TrialBuilder, a_trial, an_experiment, times, uniform_picks  # noqa: E402
from tests.builders.figures import a_slice  # noqa: E402
from tests.judge.checks.findings import found  # noqa: E402
from tests.judge.checks.test_faster_than_possible import answered, waiting  # noqa: E402
from tests.judge.checks.test_work_done import seeing, with_keys  # noqa: E402
from tests.tools.load.measurements import hdr  # noqa: E402

PAGES = {"tolerances": ROOT / "docs/proof.md", "turns": ROOT / "benches/error_rates.md"}
EXPERIMENT = an_experiment("a").record()
ANSWERS = 100_000
PERCENTILES = ("50", "90", "99")


@dataclass(frozen=True)
class Tolerance:
    """What stays just inside of a threshold.

    Attributes:
        threshold: the check and its key.
        attempt: what the contender does, and how much of it.
        gains: what it has of it, as the record shows it.
        then: what becomes of that.
    """

    threshold: str
    attempt: str
    gains: str
    then: str


def lets_pass(check: str, trial: TrialRecord, record: ExperimentRecord = EXPERIMENT, metric: str = "goodput") -> bool:
    """Whether a check leaves this metric of the trial, and says nothing that stands in a verdict."""
    findings = found(check, record, [trial])
    return not any(
        not each.examined or (each.severity == "refusal" and (each.refuses_trial or each.takes(metric)))
        for each in findings
    )


def largest(passes: Callable[[float], bool], low: float, high: float) -> float:
    """The largest value that passes, where the lower pass."""
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return low


def percent(share: float) -> str:
    return f"{100 * share:.1f}%" if share >= 0.001 else f"{100 * share:.1g}%"


def early_answers() -> Tolerance:
    """Answers to a call of 50 ms, before it is over."""
    record = waiting(call=0.05)
    early = largest(lambda share: lets_pass("faster-than-possible", answered(200, 0.05 * (1 - share)), record), 0, 0.5)
    gain = 1 / (1 - early) - 1
    return Tolerance(
        "faster-than-possible `share`", f"answers after {percent(1 - early)} of the delay", percent(gain), "left"
    )


def errors_for_the_slowest() -> Tolerance:
    """Of lognormal times, what p99 is if so many of the slowest answers are errors."""

    def with_errors(share: float) -> TrialRecord:
        return a_trial().serving(ANSWERS).erring(status_5xx=round(share * 3 * ANSWERS)).record()

    def left(name: str) -> Callable[[float], bool]:
        return lambda share: lets_pass("errors", with_errors(share), metric=f"response_time_p{name}")

    words = []
    for name in ("50", "99", "99.9"):
        share = largest(left(name), 0, 0.01)
        quantile = NormalDist().inv_cdf
        gain = math.exp(quantile(float(name) / 100) - quantile(float(name) / 100 - share)) - 1
        words.append(f"p{name} {percent(gain)}")
    return Tolerance(
        "errors `share`, `near`",
        "errors at once for the slowest of lognormal times (σ = 1)",
        ", ".join(words),
        "percentiles that may gain more are taken away",
    )


def unseen_wrong_bodies() -> Tolerance:
    """One body of 16 is compared: wrong ones of which none is met, with 5%."""
    share = 1 - 0.05 ** (16 / ANSWERS)
    return Tolerance(
        "errors `wrong_share`",
        f"{percent(share)} wrong bodies in {ANSWERS:,} answers, none of which is compared",
        percent(share),
        "left",
    )


def skipped_work() -> Tolerance:
    """Answers from memory that nothing is paid for."""

    def skipping(share: float) -> TrialRecord:
        done = round(ANSWERS * (1 - share))
        ledger = Ledger(done={"reads": done, "rows_read": done}, verified=ANSWERS, answers=ANSWERS)
        return a_trial().record().model_copy(update={"ledger": ledger})

    share = largest(lambda share: lets_pass("ledger", skipping(share)), 0, 0.5)
    return Tolerance(
        "ledger `share`",
        f"{percent(share)} of the answers without their work",
        f"{percent(1 / (1 - share) - 1)} at most",
        "left; in a short trial also the work of what was in flight at the end",
    )


def memory_behind_answers() -> Tolerance:
    """Answers from memory, paid with work that costs nothing."""
    most = largest(lambda answers: not lets_pass("stale", seeing(round(answers))), 0, 1000)
    share = least_share_found(math.ceil(most))
    return Tolerance(
        "stale `share`",
        f"memory behind {percent(share)} of the answers, which one trial run in 20 does not show",
        f"{percent(1 / (1 - share) - 1)} at most",
        "with fewer answers about changed rows, *not examined* stands in the sentence",
    )


def unread_keys() -> Tolerance:
    """Hits paid with other keys."""
    unread = largest(lambda share: lets_pass("keys-unread", with_keys(round(2000 * (1 - share)), 10**7)), 0, 0.5)
    return Tolerance(
        "keys-unread `share`",
        f"{percent(unread)} of the keys from memory, paid with other keys",
        f"{percent(1 / (1 - unread) - 1)} at most",
        "left",
    )


def rows_left_out() -> Tolerance:
    """Rows that are never asked for, spread over the table."""

    def picking(share: float) -> TrialRecord:
        picks = uniform_picks(3 * ANSWERS * 10).model_dump()
        picks["pairs"] = round(picks["pairs"] / (1 - share))
        return a_trial().picking(Picks(**picks)).record()

    left_out = largest(lambda share: lets_pass("picks-uniform", picking(share)), 0, 0.5)
    return Tolerance(
        "picks-uniform `effective_share`",
        f"{percent(left_out)} of the rows never read",
        f"{percent(left_out / (1 - left_out))} more from a cache that cannot hold all",
        "left; the warning stands in the sentence",
    )


def late_writes() -> Tolerance:
    """Acknowledged writes that are made after the load."""
    late = largest(
        lambda writes: lets_pass("work-after-the-run", a_trial().settling(0.1, round(writes)).record()), 0, 99
    )
    beyond = round(late) - 16
    return Tolerance(
        "work-after-the-run `writes`",
        f"{beyond} writes after the load, beyond those in flight",
        f"{percent(beyond / ANSWERS)} of {ANSWERS:,}",
        "left; the ledger asks for 98% by the end of the load, whatever their number",
    )


def busy_while_idle() -> Tolerance:
    """A server that takes a processor from those that are measured in turn with it."""

    def idle(processors: float) -> TrialRecord:
        slicing = {"planned_rounds": 12, "rule": "quiet", "slices": [a_slice(1, 0.0, kept=True)], "idle_seconds": 10.0}
        slices = Slicing.model_validate(slicing | {"idle_cpu_seconds": 10 * processors})
        return a_trial().record().model_copy(update={"slices": slices})

    processors = largest(lambda each: lets_pass("busy-while-idle", idle(each)), 0, 0.5)
    return Tolerance(
        "busy-while-idle `processors`",
        f"{percent(processors)} of a processor in the slices of the others",
        f"{percent(processors / (1 - processors))} at most, over them",
        "in the interval of a ratio",
    )


def rates_that_were_not_kept() -> Tolerance:
    """A search for the capacity counts a rate of which so little is missing."""
    return Tolerance(
        "capacity, what was offered",
        f"{percent(1 - OFFERED_SHARE)} of the rate is not answered in the window",
        percent(1 / OFFERED_SHARE - 1),
        "left",
    )


def clients_that_are_gone() -> Tolerance:
    """Connects that are refused, so that fewer clients share the server."""

    def gone(share: float) -> TrialBuilder:
        return a_trial().but(window=30.0).serving(16_000 * (1 - share)).taking(0.001).erring(connect=16)

    times = largest(lambda share: lets_pass("clients-gone", gone(share).record(), metric="response_time_p50"), 0, 0.5)
    return Tolerance(
        "clients-gone `warn`, `refuse`",
        f"{percent(times)} of the clients' time gone by failed connects (`local_ports`)",
        f"{percent(times / (1 - times))} of a percentile; of goodput nothing, which counts the whole window",
        "from then on percentiles are taken away",
    )


def passed_over() -> Tolerance:
    """Connections that have just more than a tenth of an even share."""

    def starving(number: int) -> TrialRecord:
        share = ANSWERS // 64
        least = share // 10 + 1
        others = (ANSWERS - number * least) // (64 - number)
        quick_us = (64 - number) * 80
        text = hdr(*[quick_us] * (others * (64 - number)), *[round(quick_us * others / least)] * (number * least))
        histogram = times(ANSWERS, 1e-6 * quick_us).model_copy(update={"hdr_base64": text, "percentiles": {}})
        squares = (64 - number) * others**2 + number * least**2
        even = ANSWERS**2 / 64 / squares
        spread = {"connections": 64, "least": least, "most": others, "without": 0, "evenness": even}
        answers = ConnectionAnswers.model_validate(spread | {"evenness_in_slices": even, "slice_seconds": 0.01})
        trial = a_trial().serving(ANSWERS / 8).but(window=8.0, connections=64).record()
        assert trial.engine is not None
        engine = trial.engine.model_copy(update={"response_time": histogram, "connection_answers": answers})
        return trial.model_copy(update={"engine": engine})

    number = max(each for each in range(1, 6) if lets_pass("uneven-connections", starving(each)))
    reach = turns_reach(find_metric("response_time_p99"), starving(number))
    return Tolerance(
        "uneven-connections `least`",
        f"{number} of 64 connections have a tenth of an even share, which p99 does not show",
        f"{percent(number / (64 - number))} of a percentile",
        f"{percent(reach)} in the interval of a claim; more shows in p99",
    )


ROWS: Sequence[Callable[[], Tolerance]] = (
    early_answers,
    errors_for_the_slowest,
    unseen_wrong_bodies,
    skipped_work,
    memory_behind_answers,
    unread_keys,
    rows_left_out,
    late_writes,
    busy_while_idle,
    rates_that_were_not_kept,
    clients_that_are_gone,
    passed_over,
)


def rounded(microseconds: int) -> int:
    """To three digits, as histograms have long times."""
    return microseconds if microseconds < 2000 else round(float(f"{microseconds:.3g}"))


@dataclass(frozen=True)
class Turns:
    """Of so many connections some are served at a time, for so long, then the next; one processor, 80 µs an answer."""

    connections: int
    at_a_time: int
    turn_seconds: float

    def trial(self, seconds: float = 6.0) -> TrialRecord:
        """What a load engine would record of it."""
        answer_seconds = iter(80e-6 * np.random.default_rng(1).uniform(0.7, 1.3, round(seconds / 50e-6)))
        queue, sent_at = deque(range(self.connections)), [0.0] * self.connections
        now, first, turn_ends = 0.0, 0, self.turn_seconds
        taken: list[int] = []
        slices: Counter[int] = Counter()
        of_slice, pairs, by_chance = 0, 0.0, 0.0
        while now < seconds:
            if now >= turn_ends:
                first, turn_ends = (first + self.at_a_time) % self.connections, now + self.turn_seconds
            while (queue[0] - first) % self.connections >= self.at_a_time:
                queue.rotate(-1)
            connection = queue.popleft()
            now += next(answer_seconds)
            taken.append(round(1e6 * (now - sent_at[connection])))
            sent_at[connection] = now
            queue.append(connection)
            if of_slice != int(now / 0.01):
                count = slices.total()
                pairs += sum(each * (each - 1) for each in slices.values())
                by_chance += count * (count - 1) / self.connections
                of_slice = int(now / 0.01)
                slices.clear()
            slices[connection] += 1
        return self._recorded(taken, now, by_chance / max(pairs, by_chance / self.connections))

    def _recorded(self, microseconds: Sequence[int], seconds: float, evenness: float) -> TrialRecord:
        share = len(microseconds) // self.connections
        even = {"connections": self.connections, "least": share, "most": share, "without": 0, "evenness": 1.0}
        in_slices = {"evenness_in_slices": evenness, "slice_seconds": 0.01}
        histogram = times(len(microseconds), 1e-3).model_copy(update={"hdr_base64": hdr(*map(rounded, microseconds))})
        trial = (
            a_trial().serving(len(microseconds) / seconds).but(window=seconds, connections=self.connections).record()
        )
        assert trial.engine is not None
        changes = {
            "response_time": histogram.model_copy(update={"percentiles": {}}),
            "connection_answers": ConnectionAnswers.model_validate(even | in_slices),
        }
        return trial.model_copy(update={"engine": trial.engine.model_copy(update=changes)})


TURNS = (
    *(Turns(16, at_a_time, turn) for at_a_time in (15, 12, 9) for turn in (0.005, 0.02, 0.1)),
    *(Turns(64, at_a_time, turn) for at_a_time in (60, 48) for turn in (0.02, 0.1)),
    Turns(16, 1, 0.02),
)


def turned(turns: Turns, even: TrialRecord) -> list[str]:
    """A row of the second table: percentiles beside those of a server that takes connections in turn."""
    trial = turns.trial()
    record = an_experiment("a").but(connections=turns.connections).record()
    refusals = [each for each in found("uneven-connections", record, [trial]) if each.severity == "refusal"]
    gains = []
    for name in PERCENTILES:
        metric = find_metric(f"response_time_p{name}")
        fair, bought = metric.read(even), metric.read(trial)
        assert fair is not None and bought is not None
        gains.append(f"{fair / bought:.2f}")
    reach = 1 + turns_reach(find_metric("response_time_p50"), trial)
    then = "percentiles are taken away" if refusals else f"{reach:.2f} in the interval"
    if any(each.refuses_trial for each in refusals):
        then = "the trial is refused"
    words = [f"{turns.at_a_time} of {turns.connections}", f"{1e3 * turns.turn_seconds:g} ms"]
    return [*words, *gains, then]


def all_turns() -> str:
    """The second table."""
    even = {number: Turns(number, number, math.inf).trial() for number in (16, 64)}
    rows = [turned(each, even[each.connections]) for each in TURNS]
    return table(["at a time", "turns of", *(f"p{name}" for name in PERCENTILES), "then"], rows)


def tolerances() -> str:
    """The first table."""
    rows = [row() for row in ROWS]
    return table(
        ["threshold", "just inside of it", "buys", "then"],
        [[each.threshold, each.attempt, each.gains, each.then] for each in rows],
    )


TABLES: dict[str, Callable[[], str]] = {"tolerances": tolerances, "turns": all_turns}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="into the pages")
    options = parser.parse_args()
    for name, make in TABLES.items():
        text = make()
        print(text, end="\n\n")
        if options.write:
            page = PAGES[name]
            page.write_text(replace_part(page.read_text(encoding="utf-8"), name, text), encoding="utf-8")


if __name__ == "__main__":
    main()
