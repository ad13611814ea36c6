"""What the judge makes of a `[why]`, from a record alone, and how the reports say it."""

import io
import re
from itertools import pairwise, product
from typing import Any

import pytest
from rich.console import Console

from fairtrial.experiment.contenders import Contender
from fairtrial.experiment.why import Why
from fairtrial.judge.causes import PRECISION, validate_why
from fairtrial.judge.claims import SentNames
from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.judge.statistics.causes import Causes
from fairtrial.record.proof import Ledger
from fairtrial.report.causes import answer_sentence, beside_notes, causes_chart
from fairtrial.report.html import html_text
from fairtrial.report.markdown import markdown_text
from fairtrial.report.terminal import print_result
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.builders.experiment import ExperimentBuilder
from tests.lines import passage

FACTORS = {"driver": {"env": {"DRIVER": "async"}}, "pool": {"env": {"DB_POOL": "16"}}}
WHY: dict[str, Any] = {"from": "a", "to": "b", "factors": FACTORS}
RATES = {"a": 1000.0, "a:with-driver": 1400.0, "a:with-pool": 1150.0, "a:with-driver-and-pool": 1680.0, "b": 1840.0}
WOBBLE = (1.0, 1.02, 0.98, 1.01, 0.99, 1.015, 0.985, 1.0)


def asking(why: dict[str, Any], blocks: int = 8) -> ExperimentBuilder:
    return an_experiment(*map(str, Why.model_validate(why).stacks), blocks=blocks).but(why=why)


def judged(experiment: ExperimentBuilder, rates: dict[str, float], wobble: float = 1.0) -> Result:
    def make(name: str, block: int) -> TrialBuilder:
        own = 1 + wobble * ((block * 3 + 2 * len(name)) % 7 - 3) / 500
        return a_trial().serving(rates[name] * WOBBLE[block % 8] * own)

    record = experiment.record()
    return judge(record, trials_of(record, make), interrupted=False)


def printed(result: Result, *, answer: str | None = None, verbose: bool = False, width: int = 100) -> str:
    file = io.StringIO()
    console = Console(file=file, width=width, legacy_windows=False)
    print_result(result, console, verbose=verbose, answer=answer)
    return file.getvalue()


def test_the_ratio_is_divided_among_its_factors(snapshot: object) -> None:
    result = judged(asking(WHY), RATES)
    causes = result.causes
    assert causes is not None and causes.reason is None and causes.blocks == 8
    assert causes.ratio == pytest.approx(1.84, rel=0.01)
    shares = [part.share for part in causes.parts]
    assert shares == pytest.approx([0.552, 0.229, 0.070, 0.149], abs=0.02)
    assert answer_sentence(causes) == snapshot
    assert Result.model_validate_json(result.model_dump_json()) == result


def test_the_reports_say_it(snapshot: object) -> None:
    experiment = asking(WHY)
    result = judged(experiment, RATES)
    assert result.causes is not None
    answer = answer_sentence(result.causes)
    text = printed(result, answer=answer)
    assert text.startswith("Goodput on b was 1.84 times") and " ".join(text.split()).count(answer) == 1
    assert text[text.index("part ") : text.index("shares are")] == snapshot
    for verbose in (False, True):
        assert answer in " ".join(printed(result, verbose=verbose).split())
    page = html_text(result, experiment.record(), trials_of(experiment.record(), a_trial()))
    assert answer in page and 'id="chart-causes"' in page and '<section id="why">' in page
    assert "### Why" in markdown_text(result)


def test_each_of_several_steps_has_its_part(snapshot: object) -> None:
    why = {"from": "a", "steps": ["a:slower"], "to": "b"}
    result = judged(asking(why), {"a": 1000.0, "a:slower": 800.0, "b": 600.0})
    causes = result.causes
    assert causes is not None and causes.reason is None
    assert [part.factors for part in causes.parts] == [["a:slower"], ["b"]]
    assert [part.share for part in causes.parts] == pytest.approx([0.437, 0.563], abs=0.02)
    text = " ".join(printed(result, verbose=True, width=200).split())
    assert passage(text, "steps: a:slower", "b (from a:slower)") == snapshot
    assert "not explained" not in text
    assert passage(text, "a step's part", "one before it") == snapshot


def test_a_step_that_does_not_run_by_itself_is_told_with_what_leaves_it_out(snapshot: object) -> None:
    steps = [f"a:s{place}" for place in range(1, 5)]
    why = {"from": "a:v1", "steps": steps, "to": "a:head", "titles": {name: f"{name} 1 to 2" for name in steps}}
    record = asking(why).record()
    contender = Contender(folder=".", command=["x"], refs=["v1", "s1", "s2", "s3", "s4", "HEAD"])
    experiment = record.experiment.model_copy(update={"contenders": {"a": contender}})
    record = record.model_copy(update={"experiment": experiment})

    def reason(*failing: str) -> str:
        def make(name: str, block: int) -> TrialBuilder:
            return a_trial().failing("start", "it ended", by_contender=True) if name in failing else a_trial()

        causes = judge(record, trials_of(record, make), interrupted=False).causes
        assert causes is not None and causes.reason is not None
        return answer_sentence(causes)

    assert reason("a:s2") == snapshot
    assert reason("a:s3") == snapshot
    assert "may not run" not in reason("a:v1", "a:s2"), "nothing runs"
    assert "may not run" not in reason("a:head"), "the end has to run"


MEMORY = {"a": 100, "a:with-driver": 120, "a:with-pool": 101, "a:with-driver-and-pool": 121, "b": 121}
"""MiB: the driver takes 1.2 times as much, the pool 1% more."""
CPU_PER_ANSWER = "server CPU time per 1,000 requests"
OTHERS = {CPU_PER_ANSWER, "the kernel's share of server CPU time", "bytes of an answer"}


def holding(memory: dict[str, int], why: dict[str, Any]) -> Causes:
    def make(name: str, block: int) -> TrialBuilder:
        wobble = 1 + ((block * 3 + 2 * len(name)) % 7 - 3) / 500
        return a_trial().serving(RATES[name] * wobble).but(rss=round(memory[name] * wobble * 2**20))

    record = asking(why).record()
    causes = judge(record, trials_of(record, make), interrupted=False).causes
    assert causes is not None and causes.ratio is not None
    return causes


def test_what_else_a_part_changed_stands_beside_it(snapshot: object) -> None:
    """Each has all of a processor, so that it takes the less time for an answer, the more answers it gives."""
    causes = holding(MEMORY, WHY)
    beside = [{each.metric: each.ratio for each in part.beside} for part in causes.parts]
    assert [each["peak memory"] for each in beside] == pytest.approx([1.2, 1.01, 0.998, 1.0], rel=0.004)
    assert [each[CPU_PER_ANSWER] for each in beside] == pytest.approx(
        [1 / part.ratio for part in causes.parts], rel=0.02
    )
    memory = causes.parts[0].beside[-1]
    assert memory.interval is not None and memory.interval[0] < 1.2 < memory.interval[1]
    assert list(beside_notes(causes)) == snapshot, "not the pool's 1%"


STATEMENTS = {
    "a": 10_000,
    "a:with-driver": 30_000,
    "a:with-pool": 10_000,
    "a:with-driver-and-pool": 30_000,
    "b": 30_000,
}
"""The driver puts BEGIN and COMMIT around each."""


def test_statements_that_a_driver_adds_stand_beside_its_part() -> None:
    record = asking(WHY).record()
    trials = []
    for trial in trials_of(record, lambda name, block: a_trial().serving(RATES[name] * WOBBLE[block - 1])):
        name = next(each.contender for each in record.conditions if each.id == trial.condition)
        ledger = Ledger(done={"statements": STATEMENTS[name], "reads": 10_000}, verified=10_000, answers=10_000)
        trials.append(trial.model_copy(update={"ledger": ledger}))
    causes = judge(record, trials, interrupted=False).causes
    assert causes is not None
    assert [part.beside[2].metric for part in causes.parts] == ["statements per request"] * 4
    assert [part.beside[2].ratio for part in causes.parts] == pytest.approx([3, 1, 1, 1])
    notes = [note for note in beside_notes(causes) if "statements" in note]
    assert len(notes) == 1 and notes[0].startswith("with driver:") and "statements per request × 3.00" in notes[0]


def test_the_figure_that_is_asked_for_does_not_stand_beside_itself() -> None:
    """Nor does one that some of the trials do not have."""
    asked = holding(MEMORY, WHY | {"metric": "peak_rss"})
    assert {each.metric for part in asked.parts for each in part.beside} == OTHERS
    not_read = holding(MEMORY | {"b": 0}, WHY)
    assert {each.metric for part in not_read.parts for each in part.beside} == OTHERS


def test_wide_shares_and_more_factors_are_told_with_their_minutes(snapshot: object) -> None:
    advice = holding(MEMORY, WHY).advice
    assert advice == snapshot
    wide = judged(asking(WHY), RATES, wobble=9).causes
    assert wide is not None and wide.widest_share is not None and wide.widest_share > PRECISION
    first, _ = wide.advice
    assert re.search(r"About \d+ minutes \(`--minutes \d+`, \d+ blocks\) ", first)
    assert re.sub(r"\d+", "N", first) == snapshot
    assert first.endswith("10 points on either side.")
    assert first in printed(judged(asking(WHY), RATES, wobble=9), verbose=True, width=200)


def test_steps_have_no_further_factors() -> None:
    causes = judged(
        asking({"from": "a", "steps": ["a:slower"], "to": "b"}), {"a": 1e3, "a:slower": 8e2, "b": 6e2}
    ).causes
    assert causes is not None and causes.advice == []


def test_the_waterfall_leads_from_one_to_the_whole_ratio() -> None:
    causes = judged(asking(WHY), RATES).causes
    chart = causes_chart(causes)
    assert causes is not None and chart is not None
    rows = chart["data"]["values"]
    assert [row["name"] for row in rows] == ["driver", "pool", "both together", "not explained", "all (b)"]
    assert rows[0]["begin"] == 1 and rows[-2]["end"] == pytest.approx(causes.ratio)
    assert all(before["end"] == after["begin"] for before, after in pairwise(rows[:-1]))
    assert causes_chart(None) is None


def test_equals_have_no_shares() -> None:
    """The near miss: all is as it was but the difference."""
    causes = judged(asking(WHY), dict.fromkeys(RATES, 1000.0)).causes
    assert causes is not None and causes.ratio == pytest.approx(1, abs=0.02)
    assert "not told from 1" in (causes.reason or "") and all(part.share is None for part in causes.parts)
    assert answer_sentence(causes).endswith("whose share could be named.")
    assert "× 1" in printed(judged(asking(WHY), dict.fromkeys(RATES, 1000.0)))


def test_a_ratio_too_close_to_one_for_so_many_parts_is_told_from_one_all_the_same() -> None:
    names = ["a", "a:with-driver", "a:with-pool", "a:with-driver-and-pool", "bb"]
    rates = dict(zip(names, (1000.0, 1002.0, 1002.0, 1003.0, 1009.0), strict=True))
    causes = judged(asking(WHY | {"to": "bb"}), rates).causes
    assert causes is not None and causes.interval is not None and causes.interval[0] > 1
    assert "not far enough from 1" in (causes.reason or "")
    assert causes.advice[0].startswith("About ") and "would tell shares" in causes.advice[0]
    told = judged(asking(WHY), RATES).causes
    assert told is not None and not any("would tell shares" in each for each in told.advice), "the near miss"


def test_a_refused_trial_leaves_no_answer() -> None:
    record = asking(WHY).record()
    trials = trials_of(record, lambda name, _block: a_trial().serving(RATES[name]))
    first = trials[0]
    assert first.engine is not None
    engine = first.engine.model_copy(update={"errors": {**first.engine.errors, "reset": 100_000}})
    failing = first.model_copy(update={"engine": engine})
    causes = judge(record, [failing, *trials[1:]], interrupted=False).causes
    assert causes is not None and causes.ratio is None and causes.parts == []
    assert "was refused (errors" in (causes.reason or "") and "is not known" in answer_sentence(causes)


def made(builders: dict[str, TrialBuilder], why: dict[str, Any] = WHY) -> Result:
    """By condition; who is not named is as above."""
    record = asking(why).record()

    def make(name: str, block: int) -> TrialBuilder:
        return builders.get(name, a_trial().serving(RATES[name])).serving(RATES[name] * WOBBLE[block - 1])

    return judge(record, trials_of(record, make), interrupted=False)


def test_a_side_that_can_do_more_withholds_the_answer(snapshot: object) -> None:
    """As a claim on the same conditions: nobody knows what an idle contender could do."""
    idle = a_trial().but(server_cpu=0.3)
    causes = made({"b": idle}).causes
    assert causes is not None and causes.ratio is None and causes.parts == []
    assert passage(causes.reason or "", "own-limit withholds", "can do more") == snapshot
    assert "To decide it" in answer_sentence(causes)
    claimed = asking(WHY).claiming("b", "a", at_least=1e-9, at_most=1e9).record()
    trials = trials_of(claimed, lambda name, _: (idle if name == "b" else a_trial()).serving(RATES[name]))
    assert "own-limit withholds it" in (judge(claimed, trials, interrupted=False).claims[0].reason or "")
    times = made({"b": idle}, WHY | {"metric": "response_time_p50"}).causes
    assert times is not None and times.ratio is not None, "the near miss: of times it is no limit"


def test_a_plateau_of_any_two_conditions_withholds_the_answer(
    monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    monkeypatch.setitem(RATES, "a:with-driver-and-pool", 1405.0)
    causes = made({"a:with-driver": a_trial().but(server_cpu=0.6)}).causes
    assert causes is not None and causes.ratio is None
    assert passage(causes.reason or "", "plateau withholds", "all reach") == snapshot
    alike = made({}).causes
    assert alike is not None and alike.reason is None, "the near miss: an answer costs both the same"


@pytest.mark.parametrize("stated", [None, "the pool's ping is a statement"])
def test_unequal_work_withholds_the_answer_unless_the_file_says_why(stated: str | None) -> None:
    record = asking(WHY | {"unequal_work": stated}).record()
    trials = []
    for trial in trials_of(record, lambda name, block: a_trial().serving(RATES[name] * WOBBLE[block - 1])):
        reads = 30_000 if trial.condition.startswith("b/") else 10_000
        ledger = Ledger(done={"reads": reads}, verified=10_000, answers=10_000)
        trials.append(trial.model_copy(update={"ledger": ledger}))
    result = judge(record, trials, interrupted=False)
    causes = result.causes
    assert causes is not None and result.claims == []
    if stated is None:
        assert causes.ratio is None and "unequal-work withholds it" in (causes.reason or "")
    else:
        assert causes.reason is None and any(stated in remark for remark in causes.remarks)
        assert stated in " ".join(printed(result, verbose=True).split())


def test_what_separates_a_fraction_from_all_factors_together_is_explained_by_them() -> None:
    factors = {name: {"env": {name.upper(): "1"}} for name in "uvwxyz"}
    of = Why.model_validate({"from": "a", "factors": factors})
    rates = {str(ref): 1000.0 * 1.1 ** len(of.switched_in(ref.stack)) for ref in of.conditions}
    causes = judged(asking({"from": "a", "factors": factors}), rates).causes
    assert causes is not None and causes.parts[-1].kind == "more"
    assert "not explained" not in answer_sentence(causes) and "three or more together is" in answer_sentence(causes)
    causes = judged(asking({"from": "a", "to": "b", "factors": factors}), rates | {"b": 2000.0}).causes
    assert causes is not None and causes.parts[-1].kind == "not explained"


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("capacity", "measured only under loads of kind capacity"),
        ("overhead", "needs a baseline"),
        ("journeys", "has no journeys"),
        ("gudput", "goodput"),
    ],
)
def test_a_metric_that_is_not_measured_is_refused(metric: str, words: str) -> None:
    experiment = asking(WHY | {"metric": metric}).record().experiment
    with pytest.raises(ValueError, match=f"^why.metric: .*{words}"):
        validate_why(experiment, lambda _value: SentNames(["item"]))
    validate_why(asking(WHY).record().experiment, lambda _value: SentNames(["item"]))


def test_a_run_over_other_stacks_has_no_answer() -> None:
    assert judged(an_experiment("a", "b").but(why=WHY), RATES).causes is None
    assert judged(an_experiment("a", "b"), RATES).causes is None


def test_a_setting_is_a_factor() -> None:
    why = {"from": "a", "factors": {"load": {"setting": "load.connections", "values": [16, 4]}, **FACTORS}}
    rates = {f"{name} at {at}": rate * (2 if at == 4 else 1) for (name, rate), at in product(RATES.items(), (4, 16))}
    causes = judged(asking(why).sweeping(4, 16), rates).causes
    assert causes is not None and (causes.start, causes.end) == ("a at 16", "a:with-driver-and-pool at 4")
    assert [part.kind for part in causes.parts] == ["factor"] * 3 + ["pair"] * 3 + ["more"]
    assert causes.parts[0].ratio == pytest.approx(2, rel=0.01) and causes.factors["load"] == "load.connections 16 to 4"


def test_of_many_factors_a_fraction_is_tried_and_its_aliases_are_printed(snapshot: object) -> None:
    why = {"from": "a", "factors": {name: {"env": {name.upper(): "1"}} for name in "uvwxyz"}}
    of = Why.model_validate(why)
    names = [str(of.condition(run)) for run in (*of.design.runs, frozenset("uvwxyz"))]
    rates = {name: 1000.0 * (1.5 if "u" in name.split("-") else 1) for name in names}
    result = judged(asking(why), rates)
    causes = result.causes
    assert causes is not None and (causes.combinations, causes.resolution) == (16, "IV")
    assert causes.parts[0].share == pytest.approx(1, abs=0.05)
    text = " ".join(printed(result, verbose=True, width=200).split())
    assert "16 of 64 combinations (resolution IV)" in text
    assert passage(text, "u and v or w", "× 1") == snapshot


def test_it_can_be_about_another_metric() -> None:
    causes = judged(asking(WHY | {"metric": "response_time_p50"}), RATES).causes
    assert causes is not None and (causes.metric, causes.higher_is_better) == ("response time p50", False)
