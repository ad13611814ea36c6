from collections import Counter
from collections.abc import Iterator, Mapping

from fairtrial.base.formatting import count
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding, nothing_to_do
from fairtrial.record.comparison import EqualAnswers

CONFIDENCE = 0.95
NOT_STARTED = "see the log of the contender (`answers-` in the results folder), and let it start in each trial"


@check(
    "answers-differ",
    looks_at="answers to the same requests: before the first trial all of them, one after the other, and "
    "during the load those that change no state",
    remedy="make the contender answer as the reference does; what may differ between right answers is declared in "
    "[reference] of the workload file: values that change while others write are `volatile`",
    enough=Threshold(
        7000,
        "answers",
        "a field that is wrong in one answer of 1,000 is among 7,000 compared answers with a probability of 99.9% (1 "
        "- 0.999^7,000)",
    ),
)
def answers_differ(case: Case, *, enough: float) -> Iterator[Finding]:
    """Answers must be equal to those of the contender that the experiment names as its reference.

    A refusal for each trial with unequal answers, and for all trials of a contender whose answers differed before.

    And a note, or a warning, for each contender: how many answers were compared, and what would have been found.
    """
    reference = case.record.reference
    if reference is None:
        return
    for trial in case.trials:
        before = reference.conditions.get(trial.condition)
        if before is None or before.not_compared:
            reason = "nobody asked" if before is None else before.not_compared
            yield finding("refusal", f"nothing was compared before the load: {reason}", NOT_STARTED, trial=trial.index)
        for answers, when in ((before, "before the load"), (trial.equal_answers, "under load")):
            if answers is not None and answers.unequal:
                evidence = f"{what_differs(answers, when)}, of those of {reference.contender}"
                yield finding("refusal", evidence, trial=trial.index)
    for condition in case.record.conditions:
        under_load = [trial.equal_answers for trial in case.trials_of(condition.id)]
        compared = _compared(reference.conditions.get(condition.id), *under_load)
        if case.trials_of(condition.id):
            yield from _extent(case, condition.contender, compared, reference.under_load, enough)


def what_differs(answers: EqualAnswers, when: str) -> str:
    """The difference that is shown first, and how many answers differ: `look, …: /id is 8, not 7; WHEN 2 of 500 …`."""
    return f"{_first(answers)}; {_counted(answers, when)}"


def smallest_share(compared: int) -> float:
    """The smallest share of wrong answers of which one is among so many, with a probability of 95%; 1 if none were.

    If a share p of all answers is wrong, n answers are right with probability (1 - p)^n. Hanley, Lippman-Hand, "If
    nothing goes wrong, is everything all right?", JAMA 249 (1983), 1743-1745: about 3/n.
    """
    return 1 - (1 - CONFIDENCE) ** (1 / compared) if compared else 1.0


def _extent(
    case: Case, contender: str, compared: Mapping[str, int], under_load: list[str], enough: float
) -> Iterator[Finding]:
    own = case.record.own_workload
    names = list(own.requests) if own is not None else list(compared)
    few = [name for name in names if name in under_load and compared.get(name, 0) < enough]
    counts = ", ".join(
        f"{name} {compared.get(name, 0):,} (a share of {smallest_share(compared.get(name, 0)):.2g})" for name in names
    )
    yield finding(
        "warning" if any(not compared.get(name) for name in names) else "note",
        f"{contender}: compared answers, and the smallest share of wrong ones that would have been among them with "
        f"{CONFIDENCE:.0%}: {counts}",
        f"more blocks or a longer load compare more answers to {', '.join(few)}" if few else nothing_to_do(),
    )


def _compared(*parts: EqualAnswers | None) -> Counter[str]:
    compared: Counter[str] = Counter()
    for part in parts:
        if part is not None:
            compared.update({name: each.compared for name, each in part.requests.items()})
    return compared


def _first(answers: EqualAnswers) -> str:
    """The difference that is shown first, with what was asked."""
    if not answers.differences:
        return "answers differ"
    first = answers.differences[0]
    row = f" ({first.row})" if first.row else ""
    return f"{first.request}, instance {first.instance}, {first.asked}{row}: {first.what}"


def _counted(answers: EqualAnswers, when: str) -> str:
    parts = ", ".join(
        f"{each.unequal:,} of {count(each.compared, 'answer')} to {name}"
        for name, each in answers.requests.items()
        if each.unequal
    )
    return f"{when} {parts} differ"
