"""What the kernel tells of sockets: those at a port, and what is unread in them."""

import socket

import pytest

from fairtrial.lab.meters.sockets import kernel_socket, questions_about, sockets_at, unread_bytes

FAMILIES = {"127.0.0.1": socket.AF_INET, "::1": socket.AF_INET6}


@pytest.mark.parametrize("host", FAMILIES)
def test_what_is_unread_is_told_of_either_end_and_of_connections_that_nobody_accepted(host: str) -> None:
    with socket.create_server((host, 0), family=FAMILIES[host]) as server:
        port = server.getsockname()[1]
        clients = [socket.create_connection((host, port)) for _ in range(3)]
        accepted = [server.accept()[0] for _ in clients[:2]]
        clients[0].sendall(b"four")
        clients[2].sendall(b"to nobody")
        accepted[1].sendall(b"answer")
        requests, answers = list(sockets_at(source=port)), list(sockets_at(destination=port))
        with kernel_socket() as kernel:

            def unread(sockets: list[bytes]) -> list[int | None]:
                return unread_bytes(kernel, questions_about(sockets), len(sockets))

            assert sorted(map(int, filter(None, unread(requests)))) == [4, 9]
            assert [each for each in unread(answers) if each] == [6]
            accepted[0].recv(2)
            assert sorted(map(int, filter(None, unread(requests)))) == [2, 9]
            for each in (*clients, *accepted):
                each.close()
            assert set(unread(answers)) == {None}


def test_nothing_is_listed_at_a_port_of_nobody() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert list(sockets_at(source=server.getsockname()[1])) == []
