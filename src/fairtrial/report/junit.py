"""The result as JUnit XML: a test case for each claim and for each condition, as CI systems show them.

A refuted claim is a failure, a refused condition an error; what is undecided or was not run is skipped, with its
reason. The form is the one that the readers of Jenkins and Surefire share: testsuites, testsuite, testcase, failure,
error, skipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from fairtrial.base.printable import printable
from fairtrial.judge.model import Result


@dataclass(frozen=True)
class Case:
    """One test case; `word` is None if it passed."""

    group: str
    name: str
    word: Literal["failure", "error", "skipped"] | None
    message: str
    text: str


def junit_text(result: Result) -> str:
    """One test suite, named as the experiment."""
    cases = []
    for claim in result.claims:
        word: Literal["failure", "skipped"] | None = None
        message: str = claim.verdict
        if claim.verdict == "refuted":
            word = "failure"
        elif claim.verdict == "undecided":
            word, message = "skipped", f"undecided: {claim.reason}"
        cases.append(Case("claims", claim.id, word, message, claim.sentence))
    for condition in result.conditions:
        reason = condition.reason or ""
        kind: Literal["error", "skipped"] | None = None
        if condition.outcome != "valid":
            kind = "error" if condition.outcome == "refused" else "skipped"
        told = f"{condition.outcome}: {reason}" if reason else condition.outcome
        cases.append(Case("conditions", condition.contender, kind, told, reason))
    return suite_text(result.name, result.started_at, cases)


def suite_text(name: str, started_at: str, cases: Sequence[Case]) -> str:
    """A suite of these cases as XML. `started_at`: RFC 3339."""
    suite = ElementTree.Element("testsuite", name=printable(name), timestamp=started_at[:19], tests=str(len(cases)))
    for attribute, word in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.word == word for case in cases)))
    for case in cases:
        group = printable(f"{name}.{case.group}")
        element = ElementTree.SubElement(suite, "testcase", classname=group, name=printable(case.name), time="0")
        if case.word is not None:
            told = ElementTree.SubElement(element, case.word, message=printable(case.message, 300))
            told.text = printable(case.text)
        elif case.text:
            ElementTree.SubElement(element, "system-out").text = printable(case.text)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
