"""Commands that tests run are forked from a process that has imported the lab."""

import sys
from collections.abc import Callable
from multiprocessing.connection import Connection

from fairtrial.base.strict import Strict
from tests.forked_command import IMPORTED_ONCE, forks

EXPECTED = [
    *IMPORTED_ONCE,
    "fairtrial.lab.conduct",
    "distributed.cli.dask_scheduler",
    "distributed.cli.dask_worker",
    "httpcore",
]


def test_the_lab_is_imported_once() -> None:
    """Otherwise each of hundreds of commands imports it anew, and nothing but the suite's time tells."""
    assert told_by_a_fork(_tell_imported) == EXPECTED


def test_its_models_are_built_once() -> None:
    assert told_by_a_fork(_tell_unbuilt) == []


def told_by_a_fork(tell: Callable[[Connection], None]) -> list[str]:
    reads, writes = forks().Pipe(duplex=False)
    process = forks().Process(target=tell, args=(writes,))
    process.start()
    writes.close()
    told: list[str] = reads.recv()
    process.join()
    return told


def _tell_imported(end: Connection) -> None:
    end.send([name for name in EXPECTED if name in sys.modules])


def _tell_unbuilt(end: Connection) -> None:
    end.send([model.__name__ for model in Strict.__subclasses__() if not model.__pydantic_complete__])
