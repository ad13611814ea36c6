"""The wire: whether what was answered had been sent by the database or the cache before.

For some milliseconds of the hold audit's load, the lab reads along what stack and services send over loopback. A text
of each answer that no other one shows, as a name or a hash, stands in what the service sent for it, whatever protocol
that is: letters and digits are the same in all of them. Who answers from memory, and reads what it owes afterwards, has
the texts come after the answers.

What an honest server may have read before is as old as `TURNS` answers to each request in flight, or as the answer
before it on its connection: a row that was read ahead waits for the next request, which many threads of one processor
may take up late. Where the load says which row it asks for, nothing can be read before it does.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fairtrial.base.packets import Dropped, Packet, Stream, packets_on_loopback, streams_of
from fairtrial.record.hold_audit import Watch

TURNS = 8
"""A row that was read ahead waits at most for so many answers to each request in flight. An older one pays for none."""
ALONE_TURNS = 1
"""Where requests name their rows: one read may serve those that come until its result is there, and these are answered
together."""
WANTED_ANSWERS, MOST_ANSWERS = 1_000, 2_000
SHORTEST_SECONDS, LONGEST_SECONDS = 0.02, 2.0
TRIES = 3
"""Each for half as long, where more came than can be kept."""
BEGIN = re.compile(rb"HTTP/1\.1 ([0-9]{3}) ")
LOCATION = re.compile(rb"^location:[ \t]*([^\r\n]+)", re.IGNORECASE | re.MULTILINE)
ENCODED = re.compile(rb"^content-encoding:", re.IGNORECASE | re.MULTILINE)
RUN = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._ -]{10,}[A-Za-z0-9]")
"""Plain characters, which JSON, HTML and no protocol of a service write otherwise."""
COMMON_SHARE = 0.25
"""A text in so many answers is no row's."""
SENT_SHARE = 0.05
"""Of the answers, whose texts have to be found in what services sent at all: else they send it in another form."""


@dataclass(frozen=True)
class Tap:
    """Where to read along, and what the load says of its answers."""

    port: int
    """to which the load's connections go"""
    service_ports: Sequence[int]
    """to which the stack's go"""
    in_flight: int
    """requests, at most"""
    names_row: bool
    """whether each request says which row its answer shows, and none is sent before the last was answered"""

    def read_along(self, pace: float) -> "WireRecording":
        """What is sent for as long as enough answers take, at so many a second."""
        seconds = (WANTED_ANSWERS + TURNS * self.in_flight) / pace if pace else LONGEST_SECONDS
        seconds = min(max(seconds, SHORTEST_SECONDS), LONGEST_SECONDS)
        for _ in range(TRIES):
            try:
                return WireRecording(seconds, packets_on_loopback(self.port, self.service_ports, seconds))
            except Dropped:
                seconds /= 2
            except OSError as error:
                return WireRecording(why_not=f"the lab may not read along on loopback: {error.strerror or error}")
        return WireRecording(why_not="more is sent over loopback than the lab can keep")

    def compared(self, recording: "WireRecording") -> Watch:
        """Compare the answers that were seen with what services had sent before each of them."""
        seconds, packets = recording.seconds, recording.packets
        if recording.why_not:
            return Watch(why_not=recording.why_not)
        streams = streams_of(packets)
        service_streams = [stream for flow, stream in streams.items() if flow[1] in self.service_ports]
        request_streams = {flow: stream for flow, stream in streams.items() if flow[3] == self.port}
        answers = sorted(
            (
                answer
                for flow, stream in streams.items()
                if flow[1] == self.port
                for answer in _answers(stream, request_streams.get((flow[2], flow[3], flow[0], flow[1])))
            ),
            key=lambda answer: answer.number,
        )
        if not answers:
            return Watch(seconds=seconds, why_not="no plain answers over HTTP/1.1 were seen on loopback")
        texts = self._texts_of_their_own(answers)[:MOST_ANSWERS]
        unread = [each for each in texts if not _was_sent(service_streams, each.text, each.not_before, each.number)]
        later = sum(_was_sent(service_streams, each.text, each.number, len(packets)) for each in unread)
        ever = sum(_was_sent(service_streams, each.text, -1, len(packets)) for each in unread)
        if len(texts) - len(unread) + ever < SENT_SHARE * len(texts):
            reason = "what the services send does not have the texts of the answers: compressed, or in another form"
            return Watch(seconds=seconds, why_not=reason)
        return Watch(seconds=seconds, answers=len(texts), unread=len(unread), later=later)

    def _texts_of_their_own(self, answers: "Sequence[_Answer]") -> "list[_OwnText]":
        """Those with a text that no other shows at about that time, and from when on it may have been sent."""
        shown_by = Counter(text for answer in answers for text in set(answer.texts))
        room = TURNS * self.in_flight
        apart = ALONE_TURNS * self.in_flight if self.names_row else room
        own_texts, last_shown = list[_OwnText](), dict[bytes, int]()
        for number, answer in enumerate(answers):
            texts = [text for text in answer.texts if shown_by[text] <= max(COMMON_SHARE * len(answers), 1)]
            if not texts:
                continue
            text = max(texts, key=len)
            is_alone = number - last_shown.get(text, -apart) >= apart
            last_shown[text] = number
            turns_before = answers[number - room].number if number >= room else None
            not_before = answer.request_number if self.names_row else _earlier(turns_before, answer.previous_number)
            if is_alone and not_before is not None:
                own_texts.append(_OwnText(answer.number, not_before, text))
        return own_texts


@dataclass(frozen=True)
class WireRecording:
    """What was sent in so many seconds, or why that is not known, in words."""

    seconds: float = 0.0
    packets: Sequence[Packet] = ()
    why_not: str = ""


@dataclass(frozen=True)
class _Answer:
    number: int
    """of the packet in which it begins"""
    request_number: int | None
    """of the packet by which it was asked for; None: that was not seen"""
    previous_number: int | None
    """of the answer before it on its connection, or its own where that has no other; None: that was not seen"""
    texts: Sequence[bytes]


@dataclass(frozen=True)
class _OwnText:
    number: int
    not_before: int
    text: bytes


def _answers(stream: Stream, requests: Stream | None) -> "list[_Answer]":
    """Those that begin in a stream, with the texts of their bodies or addresses."""
    begins = list(BEGIN.finditer(stream.data))
    ends = [each.start() for each in begins[1:]] + [len(stream.data)]
    answers: list[_Answer] = []
    for begin, end in zip(begins, ends, strict=False):
        head, _, body = bytes(stream.data[begin.start() : end]).partition(b"\r\n\r\n")
        location = LOCATION.search(head)
        shows_a_row = begin[1].startswith((b"2", b"3")) and not ENCODED.search(head)
        number = stream.number_at(begin.start())
        request_number = requests.last_before(number) if requests is not None else None
        previous_number = answers[-1].number if answers else number if len(begins) == 1 else None
        texts = RUN.findall(location[1] if location else body) if shows_a_row else []
        answers.append(_Answer(number, request_number, previous_number, texts))
    return answers


def _earlier(number: int | None, other: int | None) -> int | None:
    """The earlier of two packets; None: one of them is not known."""
    return None if number is None or other is None else min(number, other)


def _was_sent(streams: Sequence[Stream], text: bytes, after: int, before: int) -> bool:
    return any(stream.carried(text, after, before) for stream in streams)
