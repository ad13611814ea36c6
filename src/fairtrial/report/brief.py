"""Findings as a terminal has room for them: one entry for each check, whomever it is about, and what differs as a
range."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fairtrial.base.formatting import count, enumeration
from fairtrial.base.printable import printable
from fairtrial.judge.checks.model import Finding, Severity
from fairtrial.judge.model import Outcome, Result
from fairtrial.report.columns import in_order
from fairtrial.report.grouping import ORDER, obstacles

MOST_TEXTS = 4
"""So many different texts of an entry are given, and so many remedies."""
MOST_CHARACTERS = 400
"""The characters of a text at most. A longer one is an answer's body or a log, which the report has."""

UNDERLINES = re.compile(r"[\s^~]+")

NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
RANGE = rf"(?<![\w.]){NUMBER}(?: to {NUMBER})?"
"""A number, or a range of them. Digits within a word, as those of `p99` and `status_5xx`, are no number."""


@dataclass(frozen=True)
class Brief:
    """The findings of one check with one severity, or why trials have no figures, whomever it is about."""

    word: Severity | Outcome
    check: str
    """empty: no check gives the reason"""
    where: str
    """`in 3 of 25 trials: go-nethttp (2), rust-axum (1)`, `the experiment`, `claim twice-as-fast`"""
    texts: Sequence[str]
    remedies: Sequence[str]


@dataclass(frozen=True)
class _Part:
    """Something that was found at one place."""

    place: str
    """the contender of a trial; else in words"""
    trial: int | None
    text: str
    remedy: str


def brief_findings(result: Result) -> list[Brief]:
    """One entry for each severity and check, the gravest first: all refusals and warnings, and the notes that ask for
    something."""
    groups: dict[tuple[Severity, str], list[_Part]] = {}
    for place, finding in all_findings(result):
        if not is_left_out(finding):
            part = _Part(place, finding.trial, finding.evidence, finding.remedy)
            groups.setdefault((finding.severity, finding.check), []).append(part)
    in_turn = sorted(groups.items(), key=lambda item: ORDER[item[0][0]])
    return [_brief(result, severity, check, parts) for (severity, check), parts in in_turn]


def brief_obstacles(result: Result) -> list[Brief]:
    """One entry for each outcome and reason, by the reason's first line, of trials that have no figures for another
    reason than a check."""
    groups: dict[tuple[Outcome, str], list[_Part]] = {}
    for each in obstacles(result):
        trials: Sequence[int | None] = each.trials or [None]
        for trial in trials:
            part = _Part(each.contender, trial, each.reason, each.remedy)
            reason = re.sub(NUMBER, "", each.reason.partition("\n")[0])
            groups.setdefault((each.outcome, reason), []).append(part)
    return [_brief(result, outcome, "", parts) for (outcome, _), parts in groups.items()]


def is_left_out(finding: Finding) -> bool:
    """Whether the terminal does without the text of a finding: a note that asks for nothing, or of a check that could
    not look."""
    return finding.severity == "note" and (finding.asks_nothing or not finding.examined)


def where_explained(findings: Iterable[Finding]) -> str:
    """The command that explains the check of the gravest refusal or warning; empty where there is none."""
    grave = (finding for finding in findings if finding.severity != "note")
    gravest = min(grave, key=lambda finding: ORDER[finding.severity], default=None)
    return "" if gravest is None else f"fairtrial explain {gravest.check} says more"


def all_findings(result: Result) -> Iterator[tuple[str, Finding]]:
    """Each finding with its place: the experiment, a claim, or the contender of its trial."""
    yield from (("the experiment", finding) for finding in result.findings)
    yield from ((f"claim {claim.id}", finding) for claim in result.claims for finding in claim.findings)
    for condition in in_order(result.conditions):
        for trial in condition.trials:
            yield from ((condition.contender, finding) for finding in trial.findings)


def _brief(result: Result, word: Severity | Outcome, check: str, parts: Sequence[_Part]) -> Brief:
    names = [condition.contender for condition in result.conditions]
    total = sum(len(condition.trials) for condition in result.conditions)
    return Brief(
        word,
        check,
        _where(parts, total),
        _first_of(merged([_both_ends(part.text) for part in parts], names)),
        _first_of(merged([printable(part.remedy) for part in parts if part.remedy], names)),
    )


def _both_ends(text: str) -> str:
    """Its first line, which is the lab's, and as many of its last as there is room for: the end of a log has the cause.

    Lines that only underline the one above, as Python's do, are left out.
    """
    first, *log = [line for line in text.splitlines() if not UNDERLINES.fullmatch(line)] or [""]
    last, rest = log[-1:], log[:-1]
    while rest and len("\n".join([first, "…", rest[-1], *last])) <= MOST_CHARACTERS:
        last.insert(0, rest.pop())
    return printable("\n".join([first, *(["…"] if rest else []), *last]), MOST_CHARACTERS)


def _where(parts: Sequence[_Part], total: int) -> str:
    trials = dict.fromkeys((part.place, part.trial) for part in parts if part.trial is not None)
    words = [enumeration(dict.fromkeys(part.place for part in parts if part.trial is None))]
    if len(trials) == total > 1:
        words.append(f"in all {total} trials")
    elif trials:
        names = enumeration(f"{place} ({number})" for place, number in Counter(place for place, _ in trials).items())
        words.append(f"in {len(trials)} of {count(total, 'trial')}: {names}")
    return "; ".join(filter(None, words))


def _first_of(texts: Sequence[str]) -> list[str]:
    more = len(texts) - MOST_TEXTS
    return list(texts) if more <= 0 else [*texts[:MOST_TEXTS], f"… and {more} more like it, in the report"]


def merged(texts: Sequence[str], names: Sequence[str] = ()) -> list[str]:
    """Texts, those as one that differ only in numbers and in which of `names` they name: `3 to 12` stands for numbers,
    and `a, b` for names."""
    exactly = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    token = re.compile(rf"(?<![\w-])(?P<name>{exactly})(?![\w-])|{RANGE}" if names else f"(?P<name>(?!))|{RANGE}")
    alike: dict[str, list[list[str]]] = {}
    for text in texts:
        skeleton = token.sub(lambda match: "\0" if match["name"] is None else "\1", text)
        alike.setdefault(skeleton, []).append([match.group() for match in token.finditer(text)])
    return [_filled(skeleton, rows) for skeleton, rows in alike.items()]


def _filled(skeleton: str, rows: Sequence[Sequence[str]]) -> str:
    """The skeleton with what stands in its gaps, in all of the texts that have it."""
    columns = iter(list(zip(*rows, strict=True)))
    return re.sub("[\0\1]", lambda gap: (_range if gap[0] == "\0" else _names)(next(columns)), skeleton)


def _range(numbers: Sequence[str]) -> str:
    ends = {end for number in numbers for end in number.split(" to ")}
    ordered = sorted(ends, key=lambda number: float(number.replace(",", "")))
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"


def _names(names: Sequence[str]) -> str:
    return enumeration(dict.fromkeys(names))
