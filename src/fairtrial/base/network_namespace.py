"""A network namespace (network_namespaces(7)) with nothing in it but loopback.

A namespace belongs to threads. The thread that enters one takes along what it starts from then on, threads and
processes; threads that ran before stay where they are. The namespace ends with the last process in it.
"""

import fcntl
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

from fairtrial.base.namespaces import enter, leave_for_new

CLONE_NEWNET = 0x40000000
"""include/uapi/linux/sched.h"""
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1
"""netdevice(7)"""
INTERFACE = struct.Struct("16sH22x")
"""The beginning of ifreq (netdevice(7)): the interface's name and its flags."""
NETWORK_OF_THREAD = "/proc/thread-self/ns/net"
LEAST_PORT_FOR_ALL = "/proc/sys/net/ipv4/ip_unprivileged_port_start"
"""A file about the network of its reader: the least port that takes no right (ip-sysctl of the kernel)."""


def why_no_network_namespace() -> str | None:
    """Why this process may not have a network of its own, in the kernel's words; None if it may.

    It is tried, in a thread that ends with the namespace that it made.
    """
    reasons: list[str] = []

    def attempt() -> None:
        try:
            _separate()
        except OSError as error:
            reasons.append(error.strerror or str(error))

    thread = Thread(target=attempt)
    thread.start()
    thread.join()
    return reasons[0] if reasons else None


@contextmanager
def network_namespace() -> Iterator[None]:
    """Within, the calling thread and what it starts have a network of their own.

    It is for the main thread of the process: /proc/net shows that thread's network to all others.

    Raises:
        OSError: the rights for it are missing (`why_no_network_namespace`).
    """
    machines = os.open(NETWORK_OF_THREAD, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _separate()
        try:
            yield
        finally:
            with suppress(PermissionError):  # within a user namespace no way leads back to the machine's network
                enter(machines, CLONE_NEWNET)
    finally:
        os.close(machines)


def _separate() -> None:
    """Move the calling thread into a new network, make its loopback work, and let everybody have its ports.

    They are nobody else's: a program on port 80 then needs no right.
    """
    leave_for_new(CLONE_NEWNET)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        answer = fcntl.ioctl(any_socket, SIOCGIFFLAGS, INTERFACE.pack(b"lo", 0))
        _, flags = INTERFACE.unpack(answer)
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, INTERFACE.pack(b"lo", flags | IFF_UP))
    with suppress(OSError), open(LEAST_PORT_FOR_ALL, "w", encoding="ascii") as setting:
        setting.write("0")
