"""Claims on synthetic trials: what each contender does in each block, and the verdict."""

from collections.abc import Callable
from typing import Any

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of

WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99)


def served(rates: dict[str, float]) -> Callable[[str, int], TrialBuilder]:
    """Trials around these rates; whole blocks wobble by 2%, and each contender in its own way by less."""

    def make(name: str, block: int) -> TrialBuilder:
        own = 1 + ((block + 2 * len(name)) % 5 - 2) / 500
        rate = rates[name] * WOBBLE[block % 5] * own
        return a_trial().serving(rate)

    return make


def verdict(
    kind: str,
    make: Callable[[str, int], TrialBuilder | None],
    *stacks: str,
    sweep: tuple[float, ...] = (),
    blocks: int = 5,
    **keys: Any,
) -> ClaimResult:
    """On one claim of this kind about trials as `make(contender, block)` makes them."""
    record = an_experiment(*stacks, blocks=blocks).sweeping(*sweep).stating(kind, **keys).record()
    return judge(record, trials_of(record, make), interrupted=False).claims[0]
