"""Answers of the load, compared with those that the reference gave before the first trial."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.catalog.workloads.model import Comparable
from fairtrial.engine.plan import Request
from fairtrial.engine.reference import CompareAnswers
from fairtrial.experiment.workload_file.rows import line_of_row
from fairtrial.experiment.workload_file.secrets import Secrets
from fairtrial.lab.equality.answer import GivenAnswer, KeptAnswer, read_answers
from fairtrial.lab.equality.difference import difference
from fairtrial.record.comparison import ComparedAnswers, Difference, EqualAnswers
from fairtrial.record.engine_summary import Comparison, UnequalAnswer

MOST_DIFFERENCES = 10
"""That are recorded of one trial, or of one contender before the load."""


@dataclass(frozen=True)
class ReferenceAnswers:
    """Answers of the reference, and the rules by which the load is compared with them."""

    file: Path
    key: str = field(repr=False)
    seed: int
    instances: int
    comparable: Comparable
    secrets: Sequence[Mapping[str, str]] = field(repr=False)
    """texts of its answers that nobody may see"""

    def compared(self, requests: Sequence[Request]) -> list[Request]:
        """The requests of a load, of which some are compared."""
        return [
            request.model_copy(update={"compared": True}) if request.name in self.comparable.under_load else request
            for request in requests
        ]

    def plan(self) -> CompareAnswers:
        """The engine's part of the comparison."""
        return CompareAnswers(
            file=str(self.file),
            key=self.key,
            normalisation=self.comparable.normalisation,
            seed=self.seed,
            instances=self.instances,
        )

    def of_runs(self, comparisons: Sequence[Comparison], secrets: Mapping[str, str]) -> EqualAnswers:
        """The outcome for the answers of one trial.

        Args:
            secrets: those of the trial.
        """
        compared: Counter[str] = Counter()
        unequal: Counter[str] = Counter()
        for each in (request for comparison in comparisons for request in comparison.requests):
            compared[each.name] += each.compared
            unequal[each.name] += each.unequal
        unequal_answers = [answer for comparison in comparisons for answer in comparison.unequal_answers]
        return EqualAnswers(
            requests={name: ComparedAnswers(compared=compared[name], unequal=unequal[name]) for name in compared},
            differences=self._differences(
                smallest_first(unequal_answers)[:MOST_DIFFERENCES], Secrets(*self.secrets, secrets)
            ),
        )

    def _differences(self, answers: Sequence[UnequalAnswer], secrets: Secrets) -> list[Difference]:
        if not answers:
            return []
        references = read_answers(self.file, {(each.request, each.instance) for each in answers})
        return [self._difference(each, references[each.request, each.instance], secrets) for each in answers]

    def _difference(self, answer: UnequalAnswer, reference: KeptAnswer, secrets: Secrets) -> Difference:
        given_answer = GivenAnswer(status=answer.status, content_type=answer.content_type, body=answer.body)
        return described(
            reference, difference(given_answer, reference, self.comparable.normalisation), self.comparable, secrets
        )


def smallest_first(answers: Sequence[UnequalAnswer]) -> list[UnequalAnswer]:
    """The shortest bodies first, of each request in turn: every request that differs is shown."""
    of_request: Counter[str] = Counter()
    turns = []
    for answer in sorted(answers, key=lambda each: len(each.body)):
        turns.append((of_request[answer.request], answer))
        of_request[answer.request] += 1
    return [answer for _, answer in sorted(turns, key=lambda each: each[0])]


def described(reference: KeptAnswer, what: str, comparable: Comparable, secrets: Secrets) -> Difference:
    """A difference as it is recorded: without secrets, and printable.

    Args:
        reference: the reference's answer.
        what: the smallest excerpt that shows it.
    """
    places = [
        f"{comparable.row_files[name].file.name}, line {line_of_row(comparable.row_files[name].file, place)}"
        for name, place in reference.rows.items()
    ]
    return Difference(
        request=reference.request,
        instance=reference.instance,
        asked=printable(secrets.hidden(reference.asked.removesuffix(" HTTP/1.1")), 200),
        row="; ".join(places),
        what=printable(secrets.hidden(what), 300),
    )
