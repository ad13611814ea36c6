"""Several decisions that are right together at one level: Holm's step-down procedure.

Of n decisions at 95% each, at least one is wrong in up to 1 - 0.95^n of runs. Together: all n are tried at 1 - α/n.
Once m of them are taken, no more than n - m of the others can be wrong, and these are tried at 1 - α/(n - m); and so on
until no further one is taken.

Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979),
65-70.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

Case = TypeVar("Case")
Judged = TypeVar("Judged")


def step_down(
    cases: Sequence[Case],
    level: float,
    judge: Callable[[Case, float, int], Judged],
    is_decided: Callable[[Judged], bool],
) -> list[Judged]:
    """Judge all `cases`, so that their decisions hold together at `level`.

    Args:
        judge: is given a case, the level (0.995: 99.5%), and among how many open cases the error is divided.
        is_decided: whether what `judge` returned is a decision. Such a case is not judged again.

    Returns:
        What `judge` returned last for each case, in their order.
    """
    judged: dict[int, Judged] = {}
    open_cases = list(range(len(cases)))
    while open_cases:
        sharing = len(open_cases)
        now = {number: judge(cases[number], 1 - (1 - level) / sharing, sharing) for number in open_cases}
        judged |= now
        open_cases = [number for number in open_cases if not is_decided(now[number])]
        if len(open_cases) == sharing:
            break
    return [judged[number] for number in range(len(cases))]
