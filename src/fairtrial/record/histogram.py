"""HdrHistogram's V2 encoding, read: the counts behind the engine's percentiles.

Written here rather than taken from PyPI: reading takes forty lines, and the package there brings `pbr` and `setuptools`
along at run time.

The encoding is big-endian: an outer cookie and the length of a zlib stream; in it a cookie, the length of the counts,
an offset (unused), significant digits, lowest and highest value, a ratio (unused); then counts as ZigZag LEB128, where
a negative number stands for that many empty places. Format:
https://github.com/HdrHistogram/HdrHistogram/blob/master/src/main/java/org/HdrHistogram/AbstractHistogram.java
"""

import base64
import math
import struct
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

COMPRESSED, PLAIN = 0x1C849304, 0x1C849303
COOKIE_BASE = 0xFFFFFF0F
"""Without the bits that tell the size of a word, which V2 does not use."""
NANO = 1e-9


@dataclass(frozen=True)
class Bucket:
    """So many times from `low_seconds` up to, but not at, `high_seconds`."""

    low_seconds: float
    high_seconds: float
    count: int

    @property
    def middle_seconds(self) -> float:
        return (self.low_seconds + self.high_seconds) / 2


@dataclass(frozen=True)
class Histogram:
    """Buckets that are not empty, the shortest times first; exact to the encoding's significant digits."""

    buckets: Sequence[Bucket]

    @cached_property
    def _running(self) -> list[int]:
        return list(accumulate(bucket.count for bucket in self.buckets))

    @property
    def count(self) -> int:
        return self._running[-1] if self.buckets else 0

    @property
    def mean_seconds(self) -> float:
        return sum(bucket.middle_seconds * bucket.count for bucket in self.buckets) / self.count

    @property
    def deviation_seconds(self) -> float:
        """The standard deviation of these times themselves."""
        mean = self.mean_seconds
        return math.sqrt(sum((each.middle_seconds - mean) ** 2 * each.count for each in self.buckets) / self.count)

    def at(self, percentile: float) -> float:
        """Seconds that `percentile` (0 to 100) of the times do not exceed; the histogram is not empty."""
        return self.through(percentile)[0]

    def through(self, percentile: float) -> tuple[float, int]:
        """The same seconds, and how many times do not exceed them."""
        wanted = max(1, math.ceil(round(percentile / 100 * self.count, 6)))
        place = min(bisect_left(self._running, wanted), len(self.buckets) - 1)
        return self.buckets[place].high_seconds - NANO, self._running[place]

    def count_up_to(self, seconds: float) -> int:
        """How many times do not exceed `seconds`, by the middles of their buckets."""
        place = bisect_right(self.buckets, seconds, key=lambda bucket: bucket.middle_seconds)
        return self._running[place - 1] if place else 0


def read_histogram(hdr_base64: str) -> Histogram:
    """Decode the engine's `hdr_base64`: nanoseconds, as seconds. An empty text is an empty histogram.

    Raises:
        ValueError: it is not HdrHistogram V2, compressed.
    """
    if not hdr_base64:
        return Histogram(())
    content = base64.b64decode(hdr_base64, validate=True)
    cookie, length = struct.unpack_from(">II", content)
    if cookie & COOKIE_BASE != COMPRESSED & COOKIE_BASE:
        raise ValueError("not a compressed HdrHistogram V2")
    inner = zlib.decompress(content[8 : 8 + length])
    cookie, length, _, digits, lowest, _, _ = struct.unpack_from(">IIIIQQd", inner)
    if cookie & COOKIE_BASE != PLAIN & COOKIE_BASE:
        raise ValueError("not an HdrHistogram V2")
    return Histogram(list(_buckets(_numbers(inner[40 : 40 + length]), digits, lowest)))


def _numbers(content: bytes) -> Iterator[int]:
    """ZigZag LEB128, at most nine bytes each; the ninth carries eight bits."""
    place = 0
    while place < len(content):
        value = shift = 0
        while True:
            byte = content[place]
            place += 1
            if shift == 56:
                value |= byte << shift
                break
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        yield (value >> 1) ^ -(value & 1)


def _buckets(numbers: Iterator[int], digits: int, lowest: int) -> Iterator[Bucket]:
    """Places in order: the first `2 × half` are `unit` wide, each further `half` twice as wide as the one before."""
    unit_bits = int(math.log2(max(lowest, 1)))
    half_bits = max(math.ceil(math.log2(2 * 10**digits)), 1) - 1
    half = 1 << half_bits
    place = 0
    for number in numbers:
        if number < 0:
            place -= number
            continue
        if number:
            doubling = max((place >> half_bits) - 1, 0)
            within = place if place < 2 * half else (place & (half - 1)) + half
            width = 1 << (doubling + unit_bits)
            yield Bucket(within * width * NANO, (within + 1) * width * NANO, number)
        place += 1
