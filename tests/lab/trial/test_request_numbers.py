"""Several runs in one trial: nothing is asked twice, and what is stored is held against all of them."""

import sys

from fairtrial.engine.plan import GivenRows, Pick, Request
from fairtrial.lab.trial.request_numbers import acknowledged, continued, rows_left
from fairtrial.record.engine_summary import Acknowledgements, EngineSummary
from tests.builders import a_trial
from tests.command_line import Lab
from tests.lab.trial.test_cheats import CHEAT
from tests.machine.needs import needs

SEARCH = """kind = "capacity"
connections = 16
lowest_per_second = 20
highest_per_second = 80
precision = 0.5
warmup_seconds = 0.1
warmup_limit_seconds = 0.1
probe_seconds = 0.4
duration_seconds = 0.8
timeout_seconds = 5.0
[[load.objectives]]
name = "lax"
percentile = 50
within_milliseconds = 4_000"""


def run(**begun: tuple[int, list[tuple[int, int]]]) -> EngineSummary:
    engine = a_trial().record().engine
    assert engine is not None
    told = [
        Acknowledgements(request=name, begun=count, not_acknowledged=missed) for name, (count, missed) in begun.items()
    ]
    return engine.model_copy(update={"acknowledgements": told})


def test_the_numbers_of_the_next_run_begin_behind_those_before() -> None:
    own = Request(
        name="own",
        path="/{{sequence 1}}/{{{{sequence 1}}",
        headers=[("x-number", "{{sequence 10}}")],
        body="{{sequence 1}} {{nonce s-1 1}} {{uniform 1 9}}",
        template=True,
        acknowledge=True,
    )
    other = own.model_copy(update={"name": "other"})
    plain = Request(name="plain", path="/{{sequence 1}}", template=True)
    runs = [run(own=(5, []), other=(7, [])), run(own=(6, []), other=(7, []))]
    assert continued([own, plain], []) == [own, plain]
    moved, moved_other, same = continued([own, other, plain], runs)
    assert moved.path == "/{{sequence 12}}/{{{{sequence 1}}"
    assert moved.headers == [("x-number", "{{sequence 21}}")]
    assert moved.body == "{{sequence 12}} {{nonce s-1 12}} {{uniform 1 9}}"
    assert moved_other.body == "{{sequence 15}} {{nonce s-1 15}} {{uniform 1 9}}"
    assert same == plain


def test_acknowledgements_are_those_of_all_runs() -> None:
    told = acknowledged([run(own=(5, [(2, 3)])), run(own=(4, [(9, 9)]), other=(1, [(1, 1)]))])
    assert told.last_numbers == {"own": 9, "other": 1}
    assert told.not_acknowledged == {"own": {2, 3, 9}, "other": {1}}
    assert told.count == 6


@needs("postgresql")
def test_a_search_is_audited_over_all_its_probes(lab: Lab) -> None:
    faults = {"none": set[str](), "string": {"altered"}}
    stacks = [
        lab.stack(
            cheat, run=[sys.executable, "cheat.py", cheat], server=CHEAT, workload="survey-insert", service="postgresql"
        )
        for cheat in faults
    ]
    experiment = lab.experiment(*stacks, workload="survey-insert", service="postgresql", load=SEARCH)
    finished = lab.fairtrial("run", experiment, *lab.named(*stacks))
    assert [line["failure"] for line in finished.record[1:]] == [None, None], finished.out
    found = {
        line["condition"].partition("/")[0]: {fault["kind"] for fault in line["audit"]["faults"]}
        for line in finished.record[1:]
    }
    assert found == faults, finished.out
    for line in finished.record[1:]:
        assert len(line["capacity"]["probes"]) >= 3, finished.out
        last = sum(one["begun"] for one in line["engine"]["acknowledgements"])
        assert line["audit"]["acknowledged"] > last, "the probes before the last run are counted"
        assert line["audit"]["stored"] >= line["audit"]["acknowledged"]


def test_rows_that_were_taken_once_are_not_taken_by_the_next_run() -> None:
    engine = a_trial().record().engine
    assert engine is not None
    rows = {
        "users": GivenRows(pick=Pick(kind="once"), lines=["{}"] * 9, skip=1),
        "items": GivenRows(pick=Pick(kind="random"), lines=["{}"]),
    }
    runs = [engine.model_copy(update={"rows_used": {"users": used}}) for used in (2, 3)]
    assert {name: given.skip for name, given in rows_left(rows, runs).items()} == {"users": 6, "items": 0}
    assert rows_left(rows, []) == rows
