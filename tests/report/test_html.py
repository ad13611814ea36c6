import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from fairtrial.judge.judging import judge
from fairtrial.record.processes import Readiness
from fairtrial.report import charts, columns
from fairtrial.report.grouping import checks_of, grouped_findings
from fairtrial.report.html import html_text
from fairtrial.report.page import json_for_html
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.report.scene import HOSTILE, judged

LOADING = {"src", "href", "srcset", "data", "action", "poster", "background", "formaction", "ping", "xlink:href"}


class Reader(HTMLParser):
    """Elements with their attributes, and the text of each script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.inside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.texts.append((self.inside[-1] if self.inside else "", data))

    def text_in(self, tag: str) -> list[str]:
        return [text for where, text in self.texts if where == tag]


@pytest.fixture(scope="module")
def page() -> str:
    return html_text(*judged())


@pytest.fixture(scope="module")
def reader(page: str) -> Reader:
    return Reader(page)


def test_nothing_is_loaded_from_anywhere(reader: Reader) -> None:
    loading = [{name: attributes[name] for name in LOADING & attributes.keys()} for _, attributes in reader.elements]
    assert not [each for each in loading if each and not (each.get("href") or "").startswith("#")]
    assert {tag for tag, _ in reader.elements}.isdisjoint({"link", "img", "iframe", "object", "embed", "base", "form"})
    assert not any("url(" in style or "@import" in style for style in reader.text_in("style"))


def test_the_policy_forbids_everything_but_the_pages_own_script(reader: Reader) -> None:
    (policy,) = [
        attributes["content"] or ""
        for tag, attributes in reader.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy and "unsafe-eval" not in policy
    data, script = reader.text_in("script")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'; style-src 'unsafe-inline'" in policy
    assert set(json.loads(data)) == {"goodput", "percentiles", "claim-claim-1", "claim-claim-2"}


def test_each_check_that_found_something_is_explained_on_the_page(page: str, reader: Reader) -> None:
    """With its thresholds; a link leads there."""
    links = {attributes["href"] for tag, attributes in reader.elements if tag == "a"}
    places = {f"#{attributes['id']}" for tag, attributes in reader.elements if tag == "dt" and "id" in attributes}
    assert links == places == {f"#check-{name}" for name in checks_of(grouped_findings(judged()[0]))}
    assert "#check-errors" in places and "<code>share</code> 0.001 (" in page


def test_there_are_only_the_pages_own_scripts_and_no_handlers(reader: Reader) -> None:
    assert [tag for tag, _ in reader.elements].count("script") == 2
    assert not [name for _, attributes in reader.elements for name in attributes if name.startswith("on")]


def test_hostile_text_is_shown_and_not_obeyed(page: str) -> None:
    assert HOSTILE not in page and "\x1b" not in page
    assert "\\x1b[2J&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;" in page


def test_every_text_of_the_record_is_escaped() -> None:
    record = (
        an_experiment("a", "b")
        .but(title=HOSTILE, summary=HOSTILE, versions={HOSTILE: HOSTILE})
        .claiming("a", "b", at_least=0.1, text=HOSTILE, source=HOSTILE)
        .record()
    )
    host = record.host.model_copy(update={"cpu_model": HOSTILE, "system": HOSTILE})
    stack = record.stacks[0].model_copy(update={"title": HOSTILE, "framework": HOSTILE})
    record = record.model_copy(update={"host": host, "stacks": [stack, record.stacks[1]], "engine_version": HOSTILE})
    trials = trials_of(
        record,
        lambda name, block: (
            a_trial() if name == "a" else a_trial().failing("build", HOSTILE, HOSTILE).but(measured=False)
        ),
    )
    text = html_text(judge(record, trials, interrupted=False), record, trials)
    reader = Reader(text)
    assert "\x1b" not in text
    assert [tag for tag, _ in reader.elements].count("script") == 2
    assert "img" not in {tag for tag, _ in reader.elements}


def test_no_text_stands_in_backquotes() -> None:
    """The reason of a trial, its remedy, what was asked, and what checks look at."""
    record = an_experiment("a", "b").claiming("a", "b", at_least=0.1, text="`a` is fast").record()
    failing = a_trial().failing("build", "`make` failed", "install `make`")
    trials = trials_of(record, lambda name, block: a_trial() if name == "a" else failing)
    reader = Reader(html_text(judge(record, trials, interrupted=False), record, trials))
    texts = [text for where, text in reader.texts if where not in ("script", "style")]
    assert not [text for text in texts if "`" in text]
    assert reader.text_in("code").count("make") >= 2


def test_what_a_reader_needs_is_there_without_the_script(page: str) -> None:
    text = re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    text = " ".join(re.sub(r"<[^>]+>", " ", text).split())
    for words in (
        "One row at random",
        "load: closed, 16 connections, keep-alive",
        "✓ upheld",
        "✗ refuted",
        "~ undecided",
        "2 of 5 trials refused: errors",
        "install Bun",
        "A Processor @ 2.10GHz",
        "they share a processor",
        "drawn with seed 7",
        "--version: 1.2.3",
        "Block 5",
        "The charts are drawn by the script in this file",
        "Source: a study, which gives 2.1",
    ):
        assert words in text


def test_a_place_waits_for_every_chart(page: str, reader: Reader) -> None:
    places = {attributes["id"] for _, attributes in reader.elements if "id" in attributes}
    assert {f"chart-{name}" for name in json.loads(reader.text_in("script")[0])} <= places


def test_long_windows_are_drawn_second_by_second() -> None:
    charts = json.loads(Reader(html_text(*judged(window=6.0))).text_in("script")[0])
    assert len(charts["seconds"]["data"]["values"]) == 3 * 5 * 6


def test_a_chart_of_a_large_result_has_a_line_for_each_stack_and_not_every_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(columns, "MOST_TRIALS", 10)
    monkeypatch.setattr(charts, "MOST_SECONDS", 10)
    drawn = json.loads(Reader(html_text(*judged(window=6.0))).text_in("script")[0])["seconds"]["data"]["values"]
    assert len({each["name"] for each in drawn}) == 3 and len(drawn) == 3 * 3
    assert {each["second"] for each in drawn} == {1, 3, 5}


def test_a_result_without_figures_has_no_charts_and_no_script() -> None:
    record = an_experiment("a").record()
    page = html_text(judge(record, [], interrupted=True), record, [])
    assert "<script" not in page
    assert "Interrupted." in page


def test_json_cannot_end_its_element() -> None:
    text = json_for_html({"a": "</script><!-- & \u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script><!-- & \u2028"}


def test_start_and_memory_have_a_table_where_they_were_measured(page: str) -> None:
    assert "Start and memory" not in page
    record = an_experiment("a", "b").record()
    ready = Readiness(start_up_seconds=0.25, rss_bytes=2**20)
    trials = [trial.model_copy(update={"readiness": ready}) for trial in trials_of(record, a_trial())]
    text = html_text(judge(record, trials, interrupted=False), record, trials)
    assert "Start and memory" in text
    assert 'data-label="start-up s">0.250' in text and 'data-label="memory ready MiB">1.00' in text
    assert 'data-label="first answer ms">–' in text


def test_of_very_many_trials_those_are_shown_that_ask_for_a_look() -> None:
    names = [f"contender-{number}" for number in range(26)]
    record = an_experiment(*names, blocks=40).record()

    def make(name: str, block: int) -> TrialBuilder:
        return a_trial().erring(status_5xx=5000) if (name, block) == (names[7], 3) else a_trial()

    trials = trials_of(record, make)
    text = html_text(judge(record, trials, interrupted=False), record, trials)
    rows = Reader(text[text.index("<h2>Trials</h2>") :])
    (refused,) = (each.index for each in trials if each.condition.startswith(names[7] + "/") and each.block == 3)
    shown = [row.strip() for row in rows.text_in("td") if row.strip().isdigit()]
    assert shown[:2] == [str(refused), "3"] and rows.text_in("summary")[0].startswith(names[7])
    assert [tag for tag, _ in rows.elements].count("details") == 1
    assert "<code>result.json</code> has all" in text
