"""Commands that tests run are forked from a process that has imported the lab."""

import sys
from multiprocessing.connection import Connection

from tests.forked_command import IMPORTED_ONCE, forks


def test_the_lab_is_imported_once() -> None:
    """Otherwise each of hundreds of commands imports it anew, and nothing but the suite's time tells."""
    reads, writes = forks().Pipe(duplex=False)
    process = forks().Process(target=_tell_imported, args=(writes,))
    process.start()
    writes.close()
    assert reads.recv() == [*IMPORTED_ONCE, "fairtrial.lab.conduct"]
    process.join()


def _tell_imported(end: Connection) -> None:
    end.send([name for name in [*IMPORTED_ONCE, "fairtrial.lab.conduct"] if name in sys.modules])
