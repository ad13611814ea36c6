"""The form of a contradiction, and `@contradiction_kind`: what makes a function a kind of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairtrial.base.printable import printable
from fairtrial.base.strict import Strict
from fairtrial.judge.checks.model import Threshold
from fairtrial_cross_examine.in_words import printed_name
from fairtrial_cross_examine.model import PrintedOutput


class Contradiction(Strict):
    """Something that printed figures refute, with the figures, how they are computed, and what to ask the author."""

    kind: str
    runs: list[str]
    says: str
    figures: Mapping[str, str]
    formula: str
    ask: str


Examine = Callable[["ContradictionKind", PrintedOutput], Iterator[Contradiction]]
"""A pure function: the same figures give the same contradictions."""


@dataclass(frozen=True)
class ContradictionKind:
    """A kind of contradiction: its name, what the output is held against, its thresholds, and what to ask."""

    name: str
    title: str
    formula: str
    thresholds: Mapping[str, Threshold]
    ask: str
    examine: Examine

    def contradiction(
        self, runs: Sequence[str], says: str, figures: Mapping[str, str], *, formula: str = "", ask: str = ""
    ) -> Contradiction:
        """A contradiction of this kind. What came from a file is made printable here.

        Args:
            runs: the names of the runs that it is about.
            says: one or two sentences with the figures that refute each other.
            figures: each figure by what it is, as text.
            formula: in place of the kind's own.
            ask: in place of the kind's own.
        """
        return Contradiction(
            kind=self.name,
            runs=[printed_name(run) for run in runs],
            says=printable(says),
            figures={printable(key): printable(value) for key, value in figures.items()},
            formula=formula or self.formula,
            ask=ask or self.ask,
        )

    def threshold(self, key: str) -> float:
        return self.thresholds[key].value


def contradiction_kind(
    name: str, *, title: str, formula: str, ask: str, **thresholds: Threshold
) -> Callable[[Examine], ContradictionKind]:
    """Make a function a kind of contradiction. It takes its own kind, and what was printed."""
    return lambda examine: ContradictionKind(name, title, formula, thresholds, ask, examine)
