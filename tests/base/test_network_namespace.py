"""A network of one's own holds nothing but loopback, for the thread that entered it."""

import socket
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from fairtrial.base.loopback import listens
from fairtrial.base.network_namespace import NETWORK_OF_THREAD, network_namespace, why_no_network_namespace
from tests.machine.needs import needs

needs_rights = needs("network-namespace")


def in_a_thread(do: Callable[[], None]) -> None:
    """So that this test's own thread stays where it is, also where no way leads back."""
    failures: list[BaseException] = []

    def attempt() -> None:
        try:
            do()
        except BaseException as error:
            failures.append(error)

    thread = Thread(target=attempt)
    thread.start()
    thread.join()
    for failure in failures:
        raise failure


def here() -> str:
    return str(Path(NETWORK_OF_THREAD).readlink())


@needs_rights
def test_neither_side_reaches_the_other_and_loopback_works() -> None:
    before = here()

    def separated() -> None:
        with socket.create_server(("127.0.0.1", 0)) as outside:
            port = outside.getsockname()[1]
            assert listens(port)
            with network_namespace():
                assert here() != before
                assert not listens(port)
                with socket.create_server(("0.0.0.0", port)):
                    assert listens(port)
                    in_a_thread(lambda: None if here() != before else pytest.fail("what it starts is elsewhere"))
                with pytest.raises(OSError, match="unreachable"):
                    socket.create_connection(("192.0.2.1", 80), timeout=5)
                assert [name for _, name in socket.if_nameindex()] == ["lo"]

    in_a_thread(separated)
    assert here() == before


@needs_rights
def test_to_ask_for_the_right_changes_nothing() -> None:
    before = here()
    assert why_no_network_namespace() is None
    assert here() == before
