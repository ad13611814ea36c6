"""Names with several addresses, and more connections than one source has ports for: against real servers."""

import socket
from collections.abc import Callable

import pytest

from fairtrial.lab.meters.network import local_ports
from tests.command_line import Finished
from tests.tools.load.conftest import Target

Serve = Callable[..., Target]
Call = Callable[..., Finished]


def test_connections_take_turns_over_all_addresses_of_a_name(
    call: Call, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = serve()
    port = first.address.rpartition(":")[2]
    second = serve("--listen", f"127.0.0.2:{port}")
    infos = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, int(port))) for ip in ("127.0.0.1", "127.0.0.2")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: infos)
    url = f"http://two.example:{port}/"
    one = call("load", url, "-n", "20", "-c", "4", "-v")
    assert f" address 127.0.0.1:{port} transfer " in " ".join(one.out.split()), one.err
    both = call("load", url, "-n", "20", "-c", "4", "-v", "--addresses", "all")
    in_turn = f" address 127.0.0.1:{port} and 127.0.0.2:{port}, in turn transfer "
    assert in_turn in " ".join(both.out.split()), both.err
    # One connection before each load goes to each address that it uses.
    assert (first.stop()["connections"], second.stop()["connections"]) == (1 + 4 + 1 + 2, 1 + 2)


def test_addresses_and_a_unix_socket_exclude_each_other(call: Call) -> None:
    finished = call("load", "http://localhost/", "--unix", "socket", "--addresses", "all")
    assert (finished.status, "exclude each other" in finished.err) == (2, True)


def test_too_many_connections_for_one_source_are_warned_of_before_the_load(call: Call, serve: Serve) -> None:
    try:
        target = serve("--listen", "[::1]:0")
    except ValueError:
        return  # no IPv6 here
    ports = ((local_ports() or 0) + 1) // 2
    # They think for longer than the load lasts, so that few are opened.
    few = ("--think", "600s", "--warmup", "0", "-d", "0.6s")
    finished = call("load", f"http://{target.address}/", "-c", str(ports + 1), *few)
    warning = f"{ports + 1:,} connections to {target.address} come from one source address"
    assert f"warning: {warning}" in " ".join(finished.err.split())
    assert "ports-crowded: " + warning in " ".join(finished.out.split())
