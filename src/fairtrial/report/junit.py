"""The result as JUnit XML: a test case for each claim and for each condition, as CI systems show them.

A claim that is refuted or equal is a failure, and a refused condition is an error. Undecided claims and conditions that
were not run are skipped, with the reason. Only elements that both Jenkins and Surefire read are used: testsuites,
testsuite, testcase, failure, error, skipped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

from fairtrial.base.printable import printable
from fairtrial.judge.model import Result


@dataclass(frozen=True)
class JunitCase:
    """One test case; `fault` is None if it passed."""

    group: str
    name: str
    fault: Literal["failure", "error", "skipped"] | None
    message: str
    text: str


def junit_text(result: Result) -> str:
    """The result as a test suite with the name of the experiment."""
    cases = []
    for claim in result.claims:
        fault: Literal["failure", "skipped"] | None = None
        message = claim.verdict if claim.reason is None else f"{claim.verdict}: {claim.reason}"
        if claim.verdict in ("refuted", "equal"):
            fault = "failure"
        elif claim.verdict == "undecided":
            fault = "skipped"
        cases.append(JunitCase("claims", claim.id, fault, message, claim.sentence))
    for condition in result.conditions:
        reason = condition.reason or ""
        kind: Literal["error", "skipped"] | None = None
        if condition.outcome != "valid":
            kind = "error" if condition.outcome == "refused" else "skipped"
        message = f"{condition.outcome}: {reason}" if reason else condition.outcome
        cases.append(JunitCase("conditions", condition.contender, kind, message, reason))
    return suite_text(result.name, result.started_at, cases)


def suite_text(name: str, started_at: str, cases: Sequence[JunitCase]) -> str:
    """A test suite of these cases as XML.

    Args:
        started_at: RFC 3339.
    """
    suite = ElementTree.Element("testsuite", name=printable(name), timestamp=started_at[:19], tests=str(len(cases)))
    for attribute, fault in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.fault == fault for case in cases)))
    for case in cases:
        group = printable(f"{name}.{case.group}")
        element = ElementTree.SubElement(suite, "testcase", classname=group, name=printable(case.name), time="0")
        if case.fault is not None:
            fault_element = ElementTree.SubElement(element, case.fault, message=printable(case.message, 300))
            fault_element.text = printable(case.text)
        elif case.text:
            ElementTree.SubElement(element, "system-out").text = printable(case.text)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
