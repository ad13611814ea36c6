"""The output of `fairtrial check`: each clause as it is known, and a verdict for each contender."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from fairtrial.record.model import Clause


def print_clause(console: Console, clause: Clause, looked_at: str = "") -> None:
    """Print one clause, and what there is instead if it does not hold.

    Args:
        looked_at: what of an answer was looked at.
    """
    mark = ("✓ ", "green") if clause.passed else ("✗ ", "bold red")
    details = (f" ({looked_at})" if looked_at else "", "dim")
    evidence = (f": {clause.evidence}" if clause.evidence else "", "red")
    line = Text.assemble("  ", mark, f"{clause.name}: {clause.requirement}", details, evidence)
    console.print(line, soft_wrap=True)


def print_verdict(console: Console, contender: str, clauses: Sequence[Clause]) -> None:
    """Print how many clauses of a contender are broken."""
    broken, total = sum(not clause.passed for clause in clauses), len(clauses)
    verdict = f"{broken} of {total} clauses broken" if broken else f"all {total} clauses hold"
    console.print(Text(f"{contender}: {verdict}", style="bold red" if broken else "bold green"))
