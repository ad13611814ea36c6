"""Options of workloads: what is refused and how that is said, and what programs are told of them."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads import implied_work, options_of, pick_workload, task_switching, workloads
from fairtrial.catalog.workloads.model import ProgramWorkload
from fairtrial.experiment.model import DatasetOptions

WRONG = [
    ("plaintext", {"size": 3}, "size"),
    ("survey-insert", {"mode": "bulk"}, "mode"),
    ("survey-insert", {"index": "perhaps"}, "index"),
    ("query-mix", {"long_milliseconds": 0}, "long_milliseconds"),
    ("query-mix", {"short_per_long": -1}, "short_per_long"),
    ("fan-out", {"delay_milliseconds": 10_001}, "delay_milliseconds"),
    ("fan-out", {"pool": 0}, "pool"),
    ("transaction-mix", {"weights": []}, "weights"),
    ("transaction-mix", {"weights": ["light", "featherlight"]}, "weights.1"),
    ("transaction-batch", {"weight": "featherlight"}, "weight"),
    ("transaction-batch", {"units": 0}, "units"),
    ("query-batch", {"pool": 257}, "pool"),
    ("call-batch", {"concurrency": 0}, "concurrency"),
    ("task-creation", {"tasks": "many"}, "tasks"),
    ("task-switching", {"tasks": 1}, "tasks"),
    ("query-chain", {"short_per_long": 1001}, "short_per_long"),
    ("stream", {"events": 1001}, "events"),
    ("stream", {"pause_milliseconds": 0}, "pause_milliseconds"),
    ("matching-mix", {"matches_per_1000": 1001}, "matches_per_1000"),
    ("matching-mix", {"matches": []}, "matches"),
    ("matching-mix", {"matches": ["similar", "friends"]}, "matches.1"),
]


@pytest.mark.parametrize(("name", "options", "key"), WRONG)
def test_a_wrong_option_is_named_with_those_there_are(name: str, options: dict[str, object], key: str) -> None:
    workload = pick_workload(name)
    with pytest.raises(Problem) as refused:
        options_of(workload, options)
    assert refused.value.reason.startswith(f"[options] {key}: ")
    known = ", ".join(workload.options.model_fields) or "none"
    assert f"workload {name} has these options: {known};" in (refused.value.remedy or "")


def test_a_misspelt_workload_is_told_from_those_there_are() -> None:
    with pytest.raises(Problem, match="random-item") as refused:
        pick_workload("random-itm")
    assert "did you mean random-item?" in refused.value.reason


PROGRAMS = {
    "call-batch": (
        {"calls": 45, "delay_milliseconds": 20, "concurrency": 10},
        45,
        0.1,
        {"CALLS": "45", "CONCURRENCY": "10"},
    ),
    "query-batch": (
        {"long_queries": 7, "short_per_long": 2, "long_milliseconds": 50, "pool": 3},
        21,
        0.15,
        {"LONG_QUERIES": "7", "SHORT_PER_LONG": "2", "LONG_MILLISECONDS": "50", "DB_POOL": "3", "CONCURRENCY": "3"},
    ),
    "task-creation": ({"tasks": 12}, 12, 0.0, {"TASKS": "12"}),
    "task-switching": ({"tasks": 3, "switches": 12}, 12, 0.0, {"TASKS": "3", "SWITCHES": "12"}),
    "transaction-batch": (
        {"weight": "heavy", "units": 9, "pool": 2},
        9,
        0.0,
        {"WEIGHT": "heavy", "UNITS": "9", "DB_POOL": "2"},
    ),
}
"""Options of each job; its operations, the least seconds that it takes, and the variables that its program gets."""


def test_every_job_is_below() -> None:
    assert sorted(PROGRAMS) == [name for name, kind in workloads().items() if isinstance(kind, ProgramWorkload)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_job_by_its_options(name: str) -> None:
    given, operations, least_seconds, environment = PROGRAMS[name]
    workload = pick_workload(name)
    assert isinstance(workload, ProgramWorkload)
    options = options_of(workload, given)
    assert workload.operations(options) == operations
    assert workload.least_seconds(options) == pytest.approx(least_seconds)
    assert implied_work(workload, options).least_seconds == workload.least_seconds(options)
    assert workload.environment(options) == environment


def test_tasks_beyond_the_pool_share_its_connections() -> None:
    workload = pick_workload("query-batch")
    assert isinstance(workload, ProgramWorkload)
    options = options_of(workload, {"long_queries": 7, "pool": 3, "tasks": 100})
    assert (workload.environment(options)["DB_POOL"], workload.environment(options)["CONCURRENCY"]) == ("3", "100")
    assert workload.least_seconds(options) == pytest.approx(0.3)
    fewer = options_of(workload, {"long_queries": 7, "pool": 3, "tasks": 2})
    assert workload.least_seconds(fewer) == pytest.approx(0.4)


def test_a_job_of_the_lab_s_own_has_a_table_and_has_to_have_done_something() -> None:
    workload = pick_workload("query-batch")
    assert isinstance(workload, ProgramWorkload)
    alone, beside = (options_of(workload, {"background": background}) for background in (False, True))
    assert (workload.background(alone), workload.work(alone).background_commits) == (None, 0)
    assert workload.data(DatasetOptions(), beside).tables == [workload.background(beside)]
    assert workload.operations(beside) * workload.work(beside).background_commits == pytest.approx(1)


def test_calls_that_are_not_delayed_take_no_least_time() -> None:
    workload = pick_workload("call-batch")
    assert implied_work(workload, options_of(workload, {"delay_milliseconds": 0})).least_seconds == 0


def test_only_tasks_meet_at_the_barrier() -> None:
    programs = [kind for kind in workloads().values() if isinstance(kind, ProgramWorkload)]
    assert [kind.name for kind in programs if kind.barrier_tasks] == ["task-creation", "task-switching"]
    assert [kind.name for kind in programs if kind.last_token] == ["task-switching"]


def test_the_last_token_is_what_two_tasks_make_of_it_in_turn() -> None:
    def step(token: int, number: int) -> int:
        return ((token ^ (token >> 15)) * 0x2C1B3C6D + number) % 2**32

    options = options_of(pick_workload("task-switching"), {"tasks": 2, "switches": 3})
    assert isinstance(options, task_switching.Options)
    first = 4_000_000_000
    assert task_switching.last_token(options, first) == step(step(step(first, 0), 1), 0)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_options_of_a_check_are_options_of_the_job(name: str) -> None:
    workload = pick_workload(name)
    assert isinstance(workload, ProgramWorkload)
    assert len(workload.check_options) >= 1
    for options in workload.check_options:
        assert workload.operations(options_of(workload, dict(options))) <= 1000


def test_a_check_of_units_is_of_every_weight() -> None:
    workload = pick_workload("transaction-batch")
    assert isinstance(workload, ProgramWorkload)
    weights = {options["weight"] for options in workload.check_options}
    assert weights == {"very-light", "light", "moderate", "heavy", "very-heavy"}


def test_a_batch_of_surveys_has_eight_rows_unless_told_otherwise() -> None:
    workload = pick_workload("survey-insert")
    assert workload.environment(options_of(workload, {})) == {"BATCH_SIZE": "8"}


def test_the_pool_of_fan_out_is_told_to_the_stack() -> None:
    workload = pick_workload("fan-out")
    assert workload.environment(options_of(workload, {"pool": 64})) == {"UPSTREAM_POOL": "64"}
