"""What TCP carries over loopback, as the kernel hands it on (packet(7)), for some milliseconds.

It takes CAP_NET_RAW in the network of the calling thread, and CAP_NET_ADMIN for a buffer that is deep enough. Of each
packet one copy is taken, before its receiver gets it: who sends something because of what it received does so later,
and that is later in the buffer, too.
"""

import ctypes
import socket
import struct
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

SOL_PACKET, PACKET_STATISTICS, PACKET_IGNORE_OUTGOING = 263, 6, 23
"""include/linux/socket.h, include/uapi/linux/if_packet.h"""
STATISTICS = struct.Struct("II")
"""tpacket_stats: packets, and those that were dropped"""
SO_ATTACH_FILTER, SO_RCVBUFFORCE = 26, 33
"""include/uapi/asm-generic/socket.h"""
ETH_P_ALL = 0x0003
BUFFER_BYTES = 64 << 20
"""The kernel doubles it, and counts about a kilobyte for a small packet."""
MOST_PACKETS = 100_000
LONGEST_PACKET_BYTES = 65_535
FEWEST_HEADER_BYTES = 40

IP_HEADER, TCP_HEADER = struct.Struct("!BxH8x4s4s"), struct.Struct("!HHI4xB")
INSTRUCTION = struct.Struct("=HBBI")
"""sock_filter (include/uapi/linux/filter.h): code, how many to jump over if true and if false, operand."""
# Codes of bpf_common.h, by their names in Documentation/networking/filter.rst.
LDB, LDH, LDB_X, LDH_X, LDX_MSH = 0x30, 0x28, 0x50, 0x48, 0xB1
AND, RSH, ADD_X, TAX, JEQ, JGT_X, RET = 0x54, 0x74, 0x0C, 0x07, 0x15, 0x2D, 0x06
NOTHING = [(RET, 0, 0, 0)]

Instruction = tuple[int, int, int, int]
Flow = tuple[bytes, int, bytes, int]
"""Address and port of the sender, and of the receiver."""

SEQUENCE_NUMBERS = 1 << 32
GAP = b"\0"
"""Stands in a stream for what is missing: no text goes across it."""


class Dropped(Exception):
    """There was more than can be kept: what was kept has gaps."""


@dataclass(frozen=True)
class Packet:
    """One that carried data."""

    flow: Flow
    sequence: int
    data: bytes


@dataclass
class Stream:
    """What was sent in one direction of a connection, and with which packet, by its number among all."""

    data: bytearray = field(default_factory=bytearray)
    _offsets: list[int] = field(default_factory=list)
    _numbers: list[int] = field(default_factory=list)
    _next: int | None = None

    def add(self, number: int, packet: Packet) -> None:
        """Add the packet that comes next."""
        ahead = 0 if self._next is None else (packet.sequence - self._next) % SEQUENCE_NUMBERS
        sent_again = SEQUENCE_NUMBERS - ahead if ahead >= SEQUENCE_NUMBERS // 2 else 0
        new = packet.data[sent_again:]
        if not new:
            return
        if ahead and not sent_again:
            self.data += GAP
        self._offsets.append(len(self.data))
        self._numbers.append(number)
        self.data += new
        self._next = (packet.sequence + len(packet.data)) % SEQUENCE_NUMBERS

    def number_at(self, offset: int) -> int:
        """The number of the packet that carried the byte there."""
        return self._numbers[max(bisect_right(self._offsets, offset) - 1, 0)]

    def last_before(self, number: int) -> int | None:
        """The number of the last of its packets before one; None: there is none."""
        at = bisect_left(self._numbers, number)
        return self._numbers[at - 1] if at else None

    def carried(self, text: bytes, after: int, before: int) -> bool:
        """Whether all of a text was in packets between two, by their numbers."""
        begin, end = (self._offset_of(number) for number in (after + 1, before))
        return self.data.find(text, begin, end) >= 0

    def _offset_of(self, number: int) -> int:
        """Where the first packet begins that is not before one."""
        at = bisect_left(self._numbers, number)
        return self._offsets[at] if at < len(self._offsets) else len(self.data)


def streams_of(packets: Iterable[Packet]) -> dict[Flow, Stream]:
    """What was sent, by flow."""
    streams: dict[Flow, Stream] = {}
    for number, packet in enumerate(packets):
        streams.setdefault(packet.flow, Stream()).add(number, packet)
    return streams


def packets_on_loopback(port: int, from_ports: Sequence[int], seconds: float) -> list[Packet]:
    """The packets with data, of so many seconds, to and from a port and from others, in the order of cause and effect.

    IPv4 alone.

    Raises:
        OSError: the rights for it are missing.
        Dropped: there were more than can be kept.
    """
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0) as tap:
        tap.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
        _attach(tap, _filter(port, from_ports))
        tap.bind(("lo", ETH_P_ALL))
        time.sleep(seconds)
        _attach(tap, NOTHING)
        tap.setblocking(False)
        raw = list(_received(tap))
        _, dropped = STATISTICS.unpack(tap.getsockopt(SOL_PACKET, PACKET_STATISTICS, STATISTICS.size))
    if dropped or len(raw) == MOST_PACKETS:
        raise Dropped
    return [_packet(each) for each in raw if len(each) > FEWEST_HEADER_BYTES]


def _received(tap: socket.socket) -> Iterator[bytes]:
    for _ in range(MOST_PACKETS):
        try:
            yield tap.recv(LONGEST_PACKET_BYTES)
        except BlockingIOError:
            return


def _packet(raw: bytes) -> Packet:
    first, total_bytes, sender, receiver = IP_HEADER.unpack_from(raw)
    ip_bytes = (first & 0x0F) * 4
    sender_port, receiver_port, sequence, offset = TCP_HEADER.unpack_from(raw, ip_bytes)
    data = raw[ip_bytes + (offset >> 4) * 4 : total_bytes]
    return Packet((sender, sender_port, receiver, receiver_port), sequence, data)


def _attach(tap: socket.socket, program: Sequence[Instruction]) -> None:
    code = ctypes.create_string_buffer(b"".join(INSTRUCTION.pack(*each) for each in program))
    # sock_fprog: how many instructions, and where they are
    tap.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", len(program), ctypes.addressof(code)))


def _filter(port: int, from_ports: Sequence[int]) -> list[Instruction]:
    """A program for the kernel's filter, which begins at the IP header: TCP over IPv4, with data."""
    senders = [port, *from_ports]
    ports = len(senders)
    return [
        (LDB, 0, 0, 0),
        (AND, 0, 0, 0xF0),
        (JEQ, 0, ports + 14, 0x40),  # version 4
        (LDB, 0, 0, 9),
        (JEQ, 0, ports + 12, socket.IPPROTO_TCP),
        (LDX_MSH, 0, 0, 0),  # X: bytes of the IP header
        (LDB_X, 0, 0, 12),
        (AND, 0, 0, 0xF0),
        (RSH, 0, 0, 2),  # bytes of the TCP header
        (ADD_X, 0, 0, 0),
        (TAX, 0, 0, 0),
        (LDH, 0, 0, 2),  # bytes of the packet
        (JGT_X, 0, ports + 4, 0),
        (LDX_MSH, 0, 0, 0),
        (LDH_X, 0, 0, 2),
        (JEQ, ports + 2, 0, port),
        (LDH_X, 0, 0, 0),
        *((JEQ, ports - number, 0, sender) for number, sender in enumerate(senders)),
        *NOTHING,
        (RET, 0, 0, LONGEST_PACKET_BYTES),
    ]
