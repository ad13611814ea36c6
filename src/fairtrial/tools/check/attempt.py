"""The attempt at one contender of `fairtrial check`, and its outcome."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fairtrial.base.problem import Problem
from fairtrial.record.model import Clause


@dataclass
class ContractAttempt:
    """A contender that is tried, as far as that went."""

    contender: str
    """as the experiment or the command names it"""
    whose: str
    """as a problem names it"""
    clauses: list[Clause] = field(default_factory=list)
    problem: Problem | None = None
    """why it could not be tried, or not to the end"""

    @property
    def holds(self) -> bool:
        """Whether it was tried, and every clause holds."""
        return self.problem is None and all(clause.passed for clause in self.clauses)

    @contextmanager
    def noting_problems(self) -> Iterator[None]:
        """Keep a problem of what is done within, instead of raising it."""
        try:
            yield
        except Problem as problem:
            self.problem = Problem(f"{self.whose}: {problem.reason}", problem.remedy)
