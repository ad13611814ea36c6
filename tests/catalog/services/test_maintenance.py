"""What databases tell of the work that they do for themselves, between two readings of real servers."""

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import MaintenanceReading, RunningService
from fairtrial.catalog.services.mongodb.client import Forbidden, MongodbClient
from fairtrial.catalog.services.redis.client import RedisClient
from fairtrial.lab.meters.maintenance import MaintenanceWatch
from fairtrial.record.database import Maintenance
from tests.catalog.services.lab_client import lab_client
from tests.catalog.services.shared import Shared
from tests.catalog.services.somebody import Somebody
from tests.catalog.services.stacks_side import execute
from tests.machine.needs import needs
from tests.waiting import wait_for

COUNTED_WITHIN_SECONDS = 20.0


def told(service: RunningService, work: Callable[[], object], *counters: str) -> Maintenance:
    """What it tells of this work, once it has counted some of each; it may do that a moment later."""
    watch = MaintenanceWatch([service])
    watch.open()
    work()
    deadline = time.monotonic() + COUNTED_WITHIN_SECONDS
    while True:
        maintenance = watch.close()[service.identity.name]
        if all(maintenance.counted[counter] > 0 for counter in counters):
            return maintenance
        assert time.monotonic() < deadline, maintenance
        time.sleep(0.02)


@needs("postgresql")
def test_postgresql_tells_of_checkpoints_vacuum_and_analyses(shared: Shared) -> None:
    with shared.private("postgresql") as service:
        own = lab_client(service)

        def work() -> None:
            execute(service.url, "UPDATE units SET value = value + 1 WHERE id < 100")
            own.execute("VACUUM units", "ANALYZE units", "ANALYZE items", "CHECKPOINT")

        maintenance = told(service, work, "checkpoints", "pages", "vacuums", "analyses")
        assert maintenance.counted["checkpoints"] >= 1 and maintenance.counted["vacuums"] >= 1
        assert maintenance.counted["analyses"] >= 2
        assert maintenance.running == [] and maintenance.seconds > 0


@needs("postgresql")
def test_a_vacuum_that_is_under_way_at_an_end_of_the_window_is_seen(shared: Shared) -> None:
    """So slow that it is still there when the window closes."""
    with shared.private("postgresql") as service:
        own = lab_client(service)
        execute(service.url, "UPDATE units SET value = value + 1")
        with own.connection() as connection:
            pid = connection.info.backend_pid
            connection.execute("SET vacuum_cost_delay = 100")
            connection.execute("SET vacuum_cost_limit = 1")
            process = connection.pgconn
            process.send_query(b"VACUUM units")
            wait_for(
                lambda: "vacuum" in service.maintenance().running,  # type: ignore[attr-defined]
                "the vacuum runs",
                within_seconds=COUNTED_WITHIN_SECONDS,
            )
            watch = MaintenanceWatch([service])
            watch.open()
            maintenance = watch.close()["postgresql"]
            own.query("SELECT pg_terminate_backend(%s)", [pid])
    assert (maintenance.running, maintenance.counted["vacuums"]) == (["vacuum"], 0)


@needs("postgresql")
def test_a_login_that_may_only_use_its_database_sees_it_too(shared: Shared) -> None:
    somebody = Somebody(shared.empty("postgresql"))
    with somebody.loaded() as service:
        maintenance = told(service, lambda: execute(somebody.url, "ANALYZE items"), "analyses")
        assert {"checkpoints", "pages", "vacuums", "analyses"} == set(maintenance.counted)


@needs("mariadb")
def test_mariadb_tells_of_the_pages_that_it_flushes(shared: Shared) -> None:
    with shared.private("mariadb") as service:

        def work() -> None:
            execute(service.url, "UPDATE units SET value = value + 1")
            lab_client(service).execute(
                "SET GLOBAL innodb_max_dirty_pages_pct_lwm = 0", "SET GLOBAL innodb_max_dirty_pages_pct = 0"
            )

        assert set(told(service, work, "pages").counted) == {"pages", "waits_for_pages"}


@needs("redis")
def test_redis_tells_of_its_snapshots(shared: Shared) -> None:
    with shared.private("redis") as service:
        assert told(service, lab_client(service).driver.bgsave, "snapshots").counted == {"snapshots": 1}


def test_redis_that_counts_no_forks_tells_of_what_it_saved() -> None:
    """Its time is none of the counts: a snapshot half an hour after the one before is a single one."""
    client = RedisClient("redis://127.0.0.1:1")
    answers: dict[str, Any] = {"persistence": {"rdb_last_save_time": 7, "aof_rewrite_in_progress": 1}, "stats": {}}
    client.driver = SimpleNamespace(info=answers.__getitem__)  # type: ignore[assignment]
    service: Any = SimpleNamespace(identity=SimpleNamespace(name="redis"), maintenance=client.maintenance)
    told = []
    for saved_at in (7, 1807, 1807):
        watch = MaintenanceWatch([service])
        watch.open()
        answers["persistence"]["rdb_last_save_time"] = saved_at
        told.append(watch.close()["redis"])
    assert [each.counted for each in told] == [{"snapshots": 0}, {"snapshots": 1}, {"snapshots": 0}]
    assert told[0].running == ["snapshot"]


@pytest.mark.parametrize(
    ("engine", "counted", "running"),
    [
        ({"transaction": {"transaction checkpoints": 4, "transaction checkpoint currently running": 1}}, 4, True),
        ({"transaction": {}, "checkpoint": {"total succeed number of checkpoints": 9, "progress state": 0}}, 9, False),
        ({}, None, False),
    ],
)
def test_mongodb_tells_of_its_checkpoints_where_its_version_has_them(
    engine: dict[str, Any], counted: int | None, running: bool
) -> None:
    client = MongodbClient("mongodb://127.0.0.1:1/x")
    client._open = SimpleNamespace(  # type: ignore[assignment]
        admin=SimpleNamespace(command=lambda _name: {"wiredTiger": engine} if engine else {}), close=lambda: None
    )
    reading = client.maintenance()
    if counted is None:
        assert reading is None
    else:
        assert reading is not None
        assert (reading.counted, bool(reading.running)) == ({"checkpoints": counted}, running)


@needs("mongodb")
def test_a_server_of_that_protocol_tells_or_is_left_out(shared: Shared) -> None:
    with shared.private("mongodb") as service:
        watch = MaintenanceWatch([service])
        watch.open()
        assert all(each.counted["checkpoints"] >= 0 for each in watch.close().values())


def test_a_service_that_cannot_be_asked_has_told_nothing() -> None:
    def refusing() -> None:
        raise Forbidden("mongodb refused a command of the lab's")

    service: Any = SimpleNamespace(identity=SimpleNamespace(name="mongodb"), maintenance=refusing)
    watch = MaintenanceWatch([service])
    watch.open()
    assert watch.close()["mongodb"].counted == {}
    with pytest.raises(Problem):
        service.maintenance()


def test_what_began_anew_in_the_window_is_not_told() -> None:
    """A server that was started again, or a table that was dropped, with what was counted of it."""
    readings = iter([{"checkpoints": 9, "vacuums": 4, "pages": 70}, {"checkpoints": 9, "vacuums": 3, "pages": 75}])
    service: Any = SimpleNamespace(
        identity=SimpleNamespace(name="postgresql"),
        maintenance=lambda: MaintenanceReading(next(readings), frozenset()),
    )
    watch = MaintenanceWatch([service])
    watch.open()
    assert watch.close()["postgresql"].counted == {"checkpoints": 0, "pages": 5}


def test_one_without_such_work_is_left_out() -> None:
    watch = MaintenanceWatch([SimpleNamespace(identity=SimpleNamespace(name="sqlite"))])  # type: ignore[list-item]
    watch.open()
    assert watch.close() == {}
