"""The result as JUnit XML: a test case for each claim and for each condition, as CI systems show them.

A refuted claim is a failure, a refused condition an error; what is undecided or was not run is skipped, with its
reason. The form is the one that the readers of Jenkins and Surefire share: testsuites, testsuite, testcase, failure,
error, skipped.
"""

from xml.etree import ElementTree

from fairtrial.judge.model import Result
from fairtrial.printable import printable


def junit_text(result: Result) -> str:
    """One test suite, named as the experiment."""
    suite = ElementTree.Element("testsuite", name=result.name, timestamp=result.started_at[:19])
    for claim in result.claims:
        case = _case(suite, f"{result.name}.claims", claim.id)
        if claim.verdict == "refuted":
            _say(case, "failure", "refuted", claim.sentence)
        elif claim.verdict == "undecided":
            _say(case, "skipped", f"undecided: {claim.reason}", claim.sentence)
        else:
            ElementTree.SubElement(case, "system-out").text = printable(claim.sentence)
    for condition in result.conditions:
        case = _case(suite, f"{result.name}.conditions", condition.contender)
        if condition.outcome == "refused":
            _say(case, "error", f"refused: {condition.reason}", condition.reason or "")
        elif condition.outcome == "not run":
            _say(case, "skipped", f"not run: {condition.reason}", condition.reason or "")
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, group: str, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=printable(group), name=printable(name), time="0")


def _say(case: ElementTree.Element, tag: str, message: str, text: str) -> None:
    ElementTree.SubElement(case, tag, message=printable(message, 300)).text = printable(text)
