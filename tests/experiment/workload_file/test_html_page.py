"""Pages of HTML that an answer must say the same as."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.body_check import BodyCheck
from fairtrial.experiment.workload_file.expect import Expect
from fairtrial.experiment.workload_file.html_page import LARGEST_PAGE_BYTES, HtmlPage, read_html_page
from fairtrial.experiment.workload_file.read import read_workload_file

PAGE = HtmlPage(
    """<!doctype html>
<table class="a" id=t>
<tr><td>1</td><td>&lt;b&gt; "it's" — 4.33e+67</td></tr>
</table>
"""
)
ONE_LINE = "<!DOCTYPE HTML><TABLE id='t' class=a><tr><td>1</td><td>&#60;b> &quot;it&#x27;s&quot; &mdash; 4.33e&#43;67"
END = "</td></tr></table>"


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        (f"{ONE_LINE}{END}", True),
        (f"{ONE_LINE}\n  {END}<!-- 13 rows -->\n", True),
        (ONE_LINE.replace("1", "<b>1</b>") + END, False),
        (ONE_LINE.replace("&#60;b>", "<b>") + END, False),  # it was not escaped
        (ONE_LINE.replace("&#60;", "&amp;lt;") + END, False),  # escaped twice
        (ONE_LINE.replace("it", "i t") + END, False),
        (ONE_LINE.replace("class=a", "class=b") + END, False),
        (f"{ONE_LINE}{END}<p>", False),
        (f"{ONE_LINE}</td></tr>", False),
        ("", False),
        ("<" * 100_000, False),
        (None, False),
    ],
)
def test_a_page_is_compared_by_what_it_says(body: str | None, fits: bool, snapshot: object) -> None:
    fault = BodyCheck(html=PAGE).fault(body)
    assert (fault is None) == fits and fault == snapshot


def test_a_file_that_is_no_page_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    for content, words in ((b"nothing", "no tag"), (b"<p>\xff", "utf-8"), (b"<p>" * LARGEST_PAGE_BYTES, "than 1 MiB")):
        file.write_bytes(content)
        with pytest.raises(Problem, match=words) as raised:
            read_html_page(file, "requests.look.expect.html")
        assert raised.value.reason.startswith(f"requests.look.expect.html: {file}: ")
    with pytest.raises(Problem, match="No such file"):
        read_html_page(tmp_path / "missing.html", "requests.look.expect.html")


def test_a_page_stands_in_place_of_what_the_defaults_say_of_bodies(snapshot: object) -> None:
    page, values = Expect(html="page.html"), Expect.model_validate({"json": {"/id": 1}})
    assert page.over(values).json_values is None
    assert values.over(page).html is None
    assert page.over(Expect(text="7")).text is None and Expect(text="7").over(page).html is None
    assert Expect(status=200).over(page).html == "page.html"
    assert page.looks_at_body
    with pytest.raises(ValidationError) as error:
        Expect(html="page.html", text="7")
    assert [each["msg"] for each in error.value.errors()] == snapshot


def test_a_workload_file_names_the_page_that_its_answers_are_held_against(tmp_path: Path, snapshot: object) -> None:
    (tmp_path / "page.html").write_text("<p>13 rows</p>")
    file = tmp_path / "shop.workload.toml"
    file.write_text('[requests.look]\nget = "/"\nexpect.html = "page.html"\n[requests.other]\nget = "/other"\n')
    source = read_workload_file(file)
    assert list(source.checks) == ["look"]
    assert source.checks["look"].fault("<P> 13  rows</P>") is None
    assert source.checks["look"].fault("<p>12 rows</p>") == snapshot

    (tmp_path / "page.html").write_text("<p>12 rows</p>")
    assert read_workload_file(file).sha256 != source.sha256
    (tmp_path / "page.html").write_text("12 rows")
    with pytest.raises(Problem) as error:
        read_workload_file(file)
    assert str(error.value) == snapshot
