"""A slice on real processes: what the condition under load used, and what an idle one's services took beside it."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from fairtrial.engine.guard import Guarded
from fairtrial.lab.meters.slice_watch import Party, SliceWatch
from fairtrial.lab.placement import local_placement
from tests.builders import a_trial
from tests.waiting import wait_for

BURN = """
import sys, time
from pathlib import Path

folder, name, seconds = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
(folder / f"{name} is up").touch()
while not (folder / "go").exists():
    time.sleep(0.005)
until = time.process_time() + seconds
while time.process_time() < until:
    pass
(folder / f"{name} is done").touch()
time.sleep(60)
"""


@contextmanager
def burning(folder: Path, name: str, seconds: float, cpus: Sequence[int]) -> Iterator[int]:
    """The guard of a program that uses so much processor time when it is told to go."""
    command = [sys.executable, "-c", BURN, str(folder), name, str(seconds)]
    with (
        (folder / f"{name}.out").open("wb") as output,
        Guarded(command, folder=Path("/"), environment={}, output=output, cpus=cpus) as process,
    ):
        wait_for((folder / f"{name} is up").exists, f"{name} is up")
        yield process.pid


@pytest.mark.measures
def test_each_of_a_party_is_metered_apart_and_an_idle_one_s_database_is_foreign(engine: Path, tmp_path: Path) -> None:
    assert engine
    placement, summary = local_placement(), a_trial().record().engine
    assert summary is not None
    seconds = {"server": 0.1, "database": 0.2, "upstream": 0.1, "proxy": 0.3, "idle": 0.0, "its database": 0.3}
    with ExitStack() as running:
        guards = {
            name: running.enter_context(
                burning(tmp_path, name, each, placement.load_cpus if name == "proxy" else placement.server_cpus)
            )
            for name, each in seconds.items()
        }
        loaded = Party(*([guards[name]] for name in ("server", "database", "upstream", "proxy")))
        watch = SliceWatch(placement, loaded, [Party([guards["idle"]], [guards["its database"]])])
        watch.open()
        (tmp_path / "go").touch()
        for name in seconds:
            wait_for((tmp_path / f"{name} is done").exists, f"{name} is done")
        watch.close()
        meter = watch.result(summary)
    (idle,) = meter.idle
    assert meter.database is not None
    metered = {"server": meter.server.cpu_seconds, "database": meter.database.cpu_seconds}
    metered |= {"idle": idle.server, "its database": idle.services}
    for name, used in metered.items():
        assert seconds[name] - 0.02 <= used <= seconds[name] + 0.2, metered
    assert meter.machine.own_server_cpu_seconds >= 0.65, "those of both, and the upstream"
    of_engine = sum(thread.cpu_seconds for thread in summary.threads)
    assert meter.machine.own_load_cpu_seconds - of_engine >= 0.28, "the proxy is nobody foreign"
    share = 0.28 / len(placement.server_cpus) / meter.server.window_seconds
    assert meter.foreign_server_share >= share
