"""How a problem is told."""

from rich.console import Console
from rich.text import Text

from fairtrial.base.problem import Problem


def complain(problem: Problem) -> None:
    """Say on standard error what is wrong and what to do."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(Text.assemble(("error: ", "bold red"), problem.reason))
    if problem.remedy:
        console.print(Text.assemble(("remedy: ", "bold"), problem.remedy))
