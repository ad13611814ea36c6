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
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benches import tolerated_figures, tolerated_work  # noqa: E402
from benches.document import table  # noqa: E402
from benches.tolerance import Tolerance  # noqa: E402
from fairtrial.docs.pages import replace_part  # noqa: E402
from fairtrial.judge.claims.tail_reach import turns_reach  # noqa: E402
from fairtrial.judge.metrics import find_metric  # noqa: E402
from fairtrial.record.engine_summary import ConnectionAnswers  # noqa: E402
from fairtrial.record.model import TrialRecord  # noqa: E402
from tests.builders import a_trial, an_experiment, times  # noqa: E402
from tests.judge.checks.findings import found  # noqa: E402
from tests.tools.load.measurements import hdr  # noqa: E402

PAGES = {"tolerances": ROOT / "docs/proof.md", "turns": ROOT / "benches/error_rates.md"}
PERCENTILES = ("50", "90", "99")
ROWS = (*tolerated_figures.ROWS, *tolerated_work.ROWS)


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
        histogram = times(len(microseconds), 1e-3).model_copy(update={"hdr_base64": hdr(*microseconds)})
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


@cache
def rows() -> Sequence[Tolerance]:
    """All of the first table."""
    return [row() for row in ROWS]


def tolerances() -> str:
    """The first table."""
    return table(
        ["threshold", "just inside of it", "buys", "then"],
        [[each.threshold, each.attempt, each.gains, each.then] for each in rows()],
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
