"""Services around the trials of a sweep: each trial begins with the tables of its value."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services import pick_service
from fairtrial.catalog.services.model import RunningService, ServiceStart
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.model import DatasetOptions, Experiment
from fairtrial.experiment.reference import StackRef
from fairtrial.experiment.sweep import Sweep
from fairtrial.lab.placement import local_placement
from fairtrial.lab.trial.environment import Environment, contents_key, trial_environment
from fairtrial.lab.trial.events import Event, Preparing
from fairtrial.load.closed import ClosedLoad
from fairtrial.plan.make import make_plan
from fairtrial.plan.plan import Plan
from fairtrial.record.placement import Placement
from tests.command_line import Lab
from tests.lab.trial.test_cheats import CHEAT
from tests.machine.needs import needs
from tests.plan.plans import planned

SQLITE = pick_service("sqlite")


def a_plan(*rows: int) -> Plan:
    """One stack at each of these numbers of rows."""
    experiment = Experiment(
        name="x",
        title="x",
        workload="random-item",
        service="sqlite",
        stacks=[StackRef(name="x")],
        dataset=DatasetOptions(rows=rows[0]),
        load=ClosedLoad(),
        sweep=Sweep(parameter="dataset.rows", values=list(rows)) if len(rows) > 1 else None,
    )
    stack = Stack(
        name="x",
        folder=Path(),
        title="x",
        language="x",
        framework="x",
        server="x",
        concurrency="x",
        workloads=["random-item"],
        services=["sqlite"],
        run=["x"],
    )
    return make_plan(experiment, {"x": stack}, "x.toml")


@contextmanager
def brought_up(plan: Plan) -> Iterator[tuple[Environment, list[str]]]:
    prepared: list[str] = []

    def watcher(event: Event) -> None:
        if isinstance(event, Preparing):
            prepared.append(event.what)

    with trial_environment(plan, local_placement(), watcher) as services:
        yield services, prepared


def rows_in(url: str) -> int:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database:
        (count,) = database.execute("SELECT count(*) FROM items").fetchone()
    return int(count)


def test_each_point_has_its_own_tables_and_one_service_is_up_at_a_time() -> None:
    plan = a_plan(50, 70)
    few, many = plan.conditions
    with brought_up(plan) as (services, prepared):
        assert [words.rpartition(" with ")[2] for words in prepared] == ["50 rows", "70 rows"]
        first = services.service(few)
        assert rows_in(first.url) == 50
        second = services.service(many)
        assert rows_in(second.url) == 70
        assert not Path(first.url.removeprefix("sqlite:///")).exists(), "the other one is gone"
        assert [identity.name for identity in services.identities] == ["sqlite"]
    assert not Path(second.url.removeprefix("sqlite:///")).exists()


@pytest.mark.parametrize(("rows", "kept"), [((50,), True), ((50, 70), False)])
def test_where_points_differ_in_their_tables_no_trial_begins_with_what_another_left(
    rows: tuple[int, ...], kept: bool
) -> None:
    """The same value twice in turn begins anew as well: else it alone would have a warm cache."""
    plan = a_plan(*rows)
    condition = plan.conditions[0]
    with brought_up(plan) as (services, _):
        before = services.service(condition)
        services.after_trial(condition, changed=False)
        assert (services.service(condition) is before) is kept


def test_only_what_a_stack_may_have_changed_is_brought_back() -> None:
    """Rows that the lab lacks since tell whether a service was started anew."""
    plan = a_plan(50)
    (condition,) = plan.conditions
    with brought_up(plan) as (services, _), SQLITE.start(ServiceStart(plan.points[0].data.tables)) as cache:
        services.cache = cache
        database = services.service(condition)

        def rows_of_both_with_one_less() -> tuple[int, int]:
            for each in (database, cache):
                with closing(sqlite3.connect(each.url.removeprefix("sqlite:///"))) as connection, connection:
                    connection.execute("DELETE FROM items WHERE id = (SELECT max(id) FROM items)")
            return rows_in(database.url), rows_in(cache.url)

        assert rows_of_both_with_one_less() == (49, 49)
        services.as_loaded(database, changed=True)
        assert (rows_in(database.url), rows_in(cache.url)) == (49, 50), "no stack has met what was just brought up"
        services.touch(database)
        rows_of_both_with_one_less()
        services.as_loaded(database, changed=False)
        assert (rows_in(database.url), rows_in(cache.url)) == (48, 50), "a cache is never kept"
        services.after_trial(condition, changed=True)
        assert rows_in(database.url) == 50
        rows_of_both_with_one_less()
        services.after_trial(condition, changed=True)
        assert (rows_in(database.url), rows_in(cache.url)) == (49, 49)
        services.bring_back(database)
        assert rows_in(database.url) == 50, "who asks for that without a question gets it"


def test_points_with_equal_tables_share_a_service() -> None:
    experiment = a_plan(50).experiment.model_copy(update={"sweep": Sweep(parameter="load.connections", values=[1, 2])})
    plan = make_plan(experiment, {"x": a_plan(50).stacks[0]}, "x.toml")
    one, two = plan.conditions
    with brought_up(plan) as (services, prepared):
        assert len(prepared) == 1
        before = services.service(one)
        services.after_trial(one, changed=False)
        assert services.service(two) is before


def test_a_sweep_over_the_distance_of_a_service_shares_it() -> None:
    values = {"parameter": "services.postgresql.latency", "values": ["0ms", "1ms"]}
    conditions = planned(service="postgresql", dataset={"rows": 50}, sweep=values).conditions
    assert len({contents_key(condition) for condition in conditions}) == 1


def test_a_stack_gets_the_url_of_a_proxy_in_place_of_its_service() -> None:
    plan = a_plan(50)
    with brought_up(plan) as (services, _):
        running = services.service(plan.conditions[0])
        services.cache = running
        direct = services.stack_settings(plan.conditions[0], running)
        proxied = services.stack_settings(
            plan.conditions[0], running, urls={"sqlite": "by-proxy", "other": "not this one"}
        )
    assert {direct["DATABASE_URL"], direct["CACHE_URL"]} == {running.url}
    assert {proxied["DATABASE_URL"], proxied["CACHE_URL"]} == {"by-proxy"}


def test_what_cannot_be_brought_up_fails_the_points_on_it_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = a_plan(50, 70)

    def started(start: ServiceStart) -> AbstractContextManager[RunningService]:
        if start.tables[0].rows.count == 70:
            raise Problem("it does not fit", "try less")
        return SQLITE.start(start)

    refusing = replace(SQLITE, start=started)
    few, many = (replace(condition, service=refusing) for condition in plan.conditions)
    with brought_up(replace(plan, conditions=[few, many])) as (services, _):
        failure = services.failure(many)
        assert failure is not None and failure.reason == "it does not fit"
        assert services.failure(few) is None
        assert rows_in(services.service(few).url) == 50


def test_instances_share_the_processors_and_the_concurrency_budget() -> None:
    experiment = a_plan(50).experiment.model_copy(
        update={"instances": 3, "balancer": "nginx", "concurrency_budget": 8, "env": {"DB_POOL": "1"}}
    )
    plan = make_plan(experiment, {"x": a_plan(50).stacks[0]}, "x.toml")
    placement = Placement(load_cpus=[9], server_cpus=[0, 1, 2, 3], disjoint=True)
    with SQLITE.start(ServiceStart()) as service:
        services = Environment(plan, placement, lambda _rows, _of: None)
        told = [services.stack_settings(plan.conditions[0], service, instance) for instance in range(3)]
    names = ("MAX_CONCURRENCY", "WEB_CONCURRENCY", "MAX_THREADS", "DB_POOL")
    assert [tuple(one[name] for name in names) for one in told] == [
        ("3", "2", "2", "1"),
        ("3", "1", "3", "1"),
        ("2", "1", "2", "1"),
    ]


def test_a_sweep_over_the_rows_judges_each_trial_by_its_own(lab: Lab) -> None:
    names = [lab.stack("honest"), lab.stack("writer", "writes")]
    more = '[sweep]\nparameter = "dataset.rows"\nvalues = [3_000, 20_000]'
    finished = lab.fairtrial("run", lab.experiment(*names, blocks=2, more=more), *lab.named(*names))
    head, *lines = finished.record
    assert head["dataset"] is None
    assert {name.rpartition("/")[2]: one["rows"] for name, one in head["datasets"].items()} == {
        "3000": 3_000,
        "20000": 20_000,
    }
    found = {condition["contender"]: condition["outcome"] for condition in finished.result["conditions"]}
    assert found == {
        "honest at 3000": "valid",
        "honest at 20000": "valid",
        "writer at 3000": "refused",
        "writer at 20000": "refused",
    }, finished.out
    assert {line["condition"].split("/")[0] for line in lines if line["dataset_altered"]} == {"writer"}
    judged = lab.fairtrial("judge", finished.results or "")
    assert judged.status == finished.status, judged.err


@needs("postgresql")
def test_a_sweep_over_an_option_that_decides_the_tables(lab: Lab) -> None:
    """What is stored is audited in the table of each trial, which is indexed or not, as its value says."""
    described = "\nimport psycopg; url = os.environ['DATABASE_URL']; c = psycopg.connect(url).cursor(); "
    described += "c.execute(\"SELECT count(*) FROM pg_indexes WHERE tablename = 'surveys'\"); "
    described += "print('indexes', c.fetchone()[0], flush=True)\n"
    server = lab.folder / "cheat.py"
    server.write_text(CHEAT.read_text().replace("\nimport os\n", "\nimport os\n" + described, 1))
    names = []
    for cheat in ("none", "string"):
        run = [sys.executable, "cheat.py", cheat]
        names.append(lab.stack(cheat, run=run, server=server, workload="survey-insert", service="postgresql"))
    more = '[sweep]\nparameter = "options.index"\nvalues = [false, true]'
    experiment = lab.experiment(*names, workload="survey-insert", service="postgresql", seconds=1.0, more=more)
    finished = lab.fairtrial("run", experiment, *lab.named(*names))
    contenders = {condition["id"]: condition["contender"] for condition in finished.record[0]["conditions"]}
    lines = {contenders[line["condition"]]: line for line in finished.record[1:]}
    logs = {name: ((finished.results or lab.folder) / line["log"]).read_text() for name, line in lines.items()}
    indexes = {name: int(log.split("indexes ")[1].split()[0]) for name, log in logs.items()}
    assert indexes == {"none at false": 1, "none at true": 2, "string at false": 1, "string at true": 2}, finished.out
    for name, line in lines.items():
        audit = line["audit"]
        expected = {"altered"} if name.startswith("string") else set()
        assert {fault["kind"] for fault in audit["faults"]} == expected, finished.out
        assert audit["acknowledged"] > 0


@needs("postgresql")
def test_a_sweep_over_the_settings_of_a_database(lab: Lab) -> None:
    """The database itself tells the stack how it was brought up."""
    asked = "\nimport psycopg; c = psycopg.connect(os.environ['DATABASE_URL']).cursor(); "
    asked += "c.execute('SHOW synchronous_commit'); print('commit', c.fetchone()[0], flush=True)\n"
    server = lab.folder / "cheat.py"
    server.write_text(CHEAT.read_text().replace("\nimport os\n", "\nimport os\n" + asked, 1))
    run = [sys.executable, "cheat.py", "none"]
    name = lab.stack("none", run=run, server=server, workload="survey-insert", service="postgresql")
    more = '[sweep]\nparameter = "services.postgresql.variant"\nvalues = ["default", "relaxed"]'
    experiment = lab.experiment(name, workload="survey-insert", service="postgresql", more=more)
    finished = lab.fairtrial("run", experiment, *lab.named(name))
    head, *lines = finished.record
    contenders = {condition["id"]: condition["contender"] for condition in head["conditions"]}
    logs = {contenders[line["condition"]]: (finished.results or lab.folder) / line["log"] for line in lines}
    told = {name: log.read_text().split("commit ")[1].split()[0] for name, log in logs.items()}
    assert told == {"none at default": "on", "none at relaxed": "off"}, finished.out + finished.err
    assert sorted(service["variant"] for service in head["services"]) == ["default", "relaxed"]
