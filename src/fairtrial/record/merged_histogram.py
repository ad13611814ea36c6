"""Several histograms as one, in HdrHistogram's V2 encoding: their counts are added, bucket by bucket."""

import base64
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from fairtrial.record.histogram import COMPRESSED, HEADER, PLAIN, unpacked

WORD = 0x10
"""Set in the cookies of V2, where it stands for a word size that nothing reads."""


def merged_histogram(texts: Sequence[str]) -> str:
    """The `hdr_base64` of all times behind these; empty if there are none.

    Raises:
        ValueError: one is not a compressed HdrHistogram V2, or their buckets differ.
    """
    histograms = [unpacked(text) for text in texts if text]
    if not histograms:
        return ""
    first = histograms[0]
    if any((each.digits, each.lowest) != (first.digits, first.lowest) for each in histograms):
        raise ValueError("histograms whose buckets differ cannot be added")
    counts: Counter[int] = Counter()
    for histogram in histograms:
        counts.update(histogram.counts)
    payload = b"".join(_leb128(number) for number in _numbers(counts))
    highest = max(each.highest for each in histograms)
    inner = struct.pack(HEADER, PLAIN | WORD, len(payload), 0, first.digits, first.lowest, highest, 1.0) + payload
    squeezed = zlib.compress(inner)
    return base64.b64encode(struct.pack(">II", COMPRESSED | WORD, len(squeezed)) + squeezed).decode()


def _numbers(counts: Mapping[int, int]) -> Iterator[int]:
    """Counts in the order of their buckets; a negative number stands for that many empty ones."""
    place = 0
    for at in sorted(counts):
        if at > place:
            yield place - at
        yield counts[at]
        place = at + 1


def _leb128(number: int) -> bytes:
    """ZigZag LEB128: at most nine bytes, of which the ninth has eight bits."""
    value = (number << 1) ^ (number >> 63)
    output = bytearray()
    while value >= 0x80 and len(output) < 8:
        output.append(value & 0x7F | 0x80)
        value >>= 7
    output.append(value)
    return bytes(output)
