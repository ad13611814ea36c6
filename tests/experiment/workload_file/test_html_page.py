"""Pages of HTML that an answer must say the same as."""

from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.body_check import BodyCheck
from fairtrial.experiment.workload_file.html_page import LARGEST_PAGE_BYTES, HtmlPage, read_html_page
from fairtrial.experiment.workload_file.model import Expect
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
    ("body", "fault"),
    [
        (f"{ONE_LINE}{END}", None),
        (f"{ONE_LINE}\n  {END}<!-- 13 rows -->\n", None),
        (ONE_LINE.replace("1", "<b>1</b>") + END, "piece 5 of the page is <b>, not text 1"),
        (ONE_LINE.replace("&#60;b>", "<b>") + END, "piece 8 of the page is <b>, not text <b> "),  # it was not escaped
        (ONE_LINE.replace("&#60;", "&amp;lt;") + END, 'piece 8 of the page is text &lt;b> "it'),  # escaped twice
        (ONE_LINE.replace("it", "i t") + END, "piece 8 "),
        (ONE_LINE.replace("class=a", "class=b") + END, "piece 2 of the page is <table class='b' id='t'>, not <table c"),
        (f"{ONE_LINE}{END}<p>", "piece 12 of the page is <p>, not missing"),
        (f"{ONE_LINE}</td></tr>", "piece 11 of the page is missing, not </table>"),
        ("", "piece 1 of the page is missing, not <!doctype html>"),
        ("<" * 100_000, "100,000 characters, and the page that is expected"),
        (None, "not UTF-8"),
    ],
)
def test_a_page_is_compared_by_what_it_says(body: str | None, fault: str | None) -> None:
    found = BodyCheck(html=PAGE).fault(body)
    assert found is None if fault is None else found is not None and found.startswith(fault), found


def test_a_file_that_is_no_page_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    for content, words in ((b"nothing", "no tag"), (b"<p>\xff", "utf-8"), (b"<p>" * LARGEST_PAGE_BYTES, "than 1 MiB")):
        file.write_bytes(content)
        with pytest.raises(Problem, match=words) as raised:
            read_html_page(file, "requests.look.expect.html")
        assert raised.value.reason.startswith(f"requests.look.expect.html: {file}: ")
    with pytest.raises(Problem, match="No such file"):
        read_html_page(tmp_path / "missing.html", "requests.look.expect.html")


def test_a_page_stands_in_place_of_what_the_defaults_say_of_bodies() -> None:
    page, values = Expect(html="page.html"), Expect.model_validate({"json": {"/id": 1}})
    assert page.over(values).json_values is None
    assert values.over(page).html is None
    assert page.over(Expect(text="7")).text is None and Expect(text="7").over(page).html is None
    assert Expect(status=200).over(page).html == "page.html"
    assert page.looks_at_body
    with pytest.raises(ValueError, match="html: a page is compared as a whole"):
        Expect(html="page.html", text="7")


def test_a_workload_file_names_the_page_that_its_answers_are_held_against(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>13 rows</p>")
    file = tmp_path / "shop.workload.toml"
    file.write_text('[requests.look]\nget = "/"\nexpect.html = "page.html"\n[requests.other]\nget = "/other"\n')
    source = read_workload_file(file)
    assert list(source.checks) == ["look"]
    assert source.checks["look"].fault("<P> 13  rows</P>") is None
    assert source.checks["look"].fault("<p>12 rows</p>") == "piece 2 of the page is text 12 rows, not text 13 rows"

    (tmp_path / "page.html").write_text("<p>12 rows</p>")
    assert read_workload_file(file).sha256 != source.sha256
    (tmp_path / "page.html").write_text("12 rows")
    with pytest.raises(Problem, match=r"shop.workload.toml: requests.look.expect.html: .*page.html: it holds no tag"):
        read_workload_file(file)
