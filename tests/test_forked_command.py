"""Commands that tests run are forked from a process that has imported the lab."""

import sys
from multiprocessing.connection import Connection

from tests.forked_command import IMPORTED_ONCE, forks

EXPECTED = [*IMPORTED_ONCE, "fairtrial.lab.conduct", "distributed.cli.dask_scheduler", "distributed.cli.dask_worker"]


def test_the_lab_is_imported_once() -> None:
    """Otherwise each of hundreds of commands imports it anew, and nothing but the suite's time tells."""
    reads, writes = forks().Pipe(duplex=False)
    process = forks().Process(target=_tell_imported, args=(writes,))
    process.start()
    writes.close()
    assert reads.recv() == EXPECTED
    process.join()


def _tell_imported(end: Connection) -> None:
    end.send([name for name in EXPECTED if name in sys.modules])
