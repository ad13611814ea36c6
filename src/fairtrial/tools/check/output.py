"""The output of `fairtrial check`: each clause as it is known, and a verdict for each contender."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.record.model import Clause
from fairtrial.tools.check.attempt import ContractAttempt


def print_clause(console: Console, clause: Clause, looked_at: str = "") -> None:
    """Print one clause, and what there is instead if it does not hold.

    Args:
        looked_at: what of an answer was looked at.
    """
    mark = ("✓ ", "green") if clause.passed else ("✗ ", "bold red")
    details = (f" ({looked_at})" if looked_at else "", "dim")
    evidence = (f": {clause.evidence}" if clause.evidence else "", "red")
    remedy = f"; {clause.remedy}" if clause.remedy else ""
    line = Text.assemble("  ", mark, f"{clause.name}: {clause.requirement}", details, evidence, remedy)
    console.print(line, soft_wrap=True)


def print_verdicts(console: Console, attempts: Sequence[ContractAttempt]) -> int:
    """Print how many clauses each contender breaks, and return the exit status.

    Raises:
        Problem: one could not be tried, or not to the end; it names all such.
    """
    problems = [attempt.problem for attempt in attempts if attempt.problem is not None]
    for attempt in attempts:
        if attempt.problem is None:
            broken, total = sum(not clause.passed for clause in attempt.clauses), len(attempt.clauses)
            verdict = f"{broken} of {total} clauses broken" if broken else f"all {total} clauses hold"
            console.print(Text(f"{attempt.contender}: {verdict}", style="bold red" if broken else "bold green"))
    if problems:
        raise Problem("\n".join(problem.reason for problem in problems), problems[0].remedy, NOTHING_RAN)
    return ALL_WELL if all(attempt.holds for attempt in attempts) else IN_DOUBT
