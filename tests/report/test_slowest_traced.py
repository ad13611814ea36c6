"""The trace ids of the slowest requests, from the record to the reports."""

from fairtrial.judge.judging import judge
from fairtrial.record.model import TrialRecord
from fairtrial.record.traced import TracedAnswer
from fairtrial.report.html import html_text
from tests.builders import a_trial, an_experiment, trials_of
from tests.report.scene import HOSTILE


def an_answer(seconds: float, name: str = "GET /items") -> TracedAnswer:
    return TracedAnswer(trace_id=f"{round(seconds * 1e6):032x}", response_seconds=seconds, name=name, status=200)


def traced(trial: TrialRecord, place: int) -> TrialRecord:
    """The trial with six traced answers, each trial's slower than those of the one before."""
    assert trial.engine is not None
    answers = [an_answer(place + each / 100) for each in range(6, 0, -1)]
    answers[0] = an_answer(answers[0].response_seconds, HOSTILE)
    engine = trial.engine.model_copy(update={"traced": 6, "slowest_traced": answers})
    return TrialRecord.model_validate_json(trial.model_copy(update={"engine": engine}).model_dump_json())


def test_the_page_has_the_ten_slowest_of_each_condition_and_obeys_no_record() -> None:
    record = an_experiment("a", "b").record()
    trials = trials_of(record, a_trial())
    of_a = [place for place, trial in enumerate(trials) if trial.condition == record.conditions[0].id]
    for place in of_a:
        trials[place] = traced(trials[place], place)
    page = html_text(judge(record, trials, interrupted=False), record, trials)
    section = page[page.index("Slowest traced requests") :].partition("</dl>")[0]
    assert section.count("<dt>") == 1 and section.count(", trace ") == 10
    slowest = of_a[-1] + 0.06
    assert f"{slowest * 1e3:,.0f} ms, trace {round(slowest * 1e6):032x}, " in section
    assert "GET /items, status 200" in section and HOSTILE not in page and "\x1b" not in section


def test_without_traced_requests_the_page_says_nothing_of_them() -> None:
    record = an_experiment("a").record()
    trials = trials_of(record, a_trial())
    assert "raced requests" not in html_text(judge(record, trials, interrupted=False), record, trials)
