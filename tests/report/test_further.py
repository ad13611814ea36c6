"""JUnit XML and Markdown."""

import re
from xml.etree import ElementTree

from fairtrial.report.junit import junit_text
from fairtrial.report.markdown import claim_in_words, markdown_text
from tests.report.scene import judged


def test_junit_has_a_case_for_each_claim_and_condition() -> None:
    result, _, _ = judged()
    suite = ElementTree.fromstring(junit_text(result)).find("testsuite")
    assert suite is not None
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert len(cases) == len(result.claims) + len(result.conditions)
    assert int(suite.get("tests", "")) == len(cases)
    for claim in result.claims:
        tag = {"refuted": "failure", "undecided": "skipped", "upheld": "system-out"}[claim.verdict]
        element = cases[claim.id].find(tag)
        assert element is not None and claim.text in (element.text or "")
    refused, absent = cases["python-threads"].find("error"), cases["bun-serve"].find("skipped")
    assert refused is not None and "errors" in refused.get("message", "")
    assert absent is not None and "bun was not found" in absent.get("message", "")
    assert (suite.get("errors"), suite.get("failures")) == (
        "1",
        str(sum(c.verdict == "refuted" for c in result.claims)),
    )


def test_markdown_shows_published_beside_measured_and_obeys_no_server() -> None:
    result, _, _ = judged()
    text = markdown_text(result)
    row = next(line for line in text.splitlines() if "Rust serves half as much again" in line)
    assert "upheld" in row and "| 2.1 |" in row and "1.83 (" in row
    assert "### Findings" in text and "**refusal** errors" in text
    assert not re.search(r"(?<!\\)<", text) and "\x1b" not in text
    widths = {line.count(" | ") for line in text.splitlines() if line.startswith("| ") and "python" in line}
    assert len(widths) == 1


def test_a_published_zero_is_a_figure() -> None:
    result, _, _ = judged()
    published = [0.0, None, "none was lost"]
    words = [claim_in_words(result.claims[0].model_copy(update={"published": one})).published for one in published]
    assert words == ["0", "–", "none was lost"]


def test_text_cannot_break_a_table() -> None:
    result, _, _ = judged()
    claim = result.claims[0].model_copy(update={"text": "a | b\n<img src=x> *bold*"})
    text = markdown_text(result.model_copy(update={"claims": [claim]}))
    assert r"a \| b \<img src=x\> \*bold\*" in text
