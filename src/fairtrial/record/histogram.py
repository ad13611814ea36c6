"""Reads HdrHistogram's V2 encoding: the counts behind the engine's percentiles.

The package on PyPI is not used, because it needs `pbr` and `setuptools` at run time, and reading takes forty lines.

The encoding is big-endian: an outer cookie and the length of a zlib stream; in it a cookie, the length of the counts,
an offset (unused), significant digits, lowest and highest value, a ratio (unused); then counts as ZigZag LEB128, where
a negative number stands for that many empty buckets. Format:
https://github.com/HdrHistogram/HdrHistogram/blob/master/src/main/java/org/HdrHistogram/AbstractHistogram.java
"""

import base64
import math
import struct
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

COMPRESSED, PLAIN = 0x1C849304, 0x1C849303
HEADER = ">IIIIQQd"
COOKIE_BASE = 0xFFFFFF0F
"""Masks the bits for the word size, which V2 does not use."""
NANO = 1e-9
MOST_BYTES = 8 << 20
MOST_PLACES = 1 << 23
"""Room for 64 bits of five digits. A record may come from elsewhere: a few bytes of it could stand for far more."""
MOST_DIGITS = 5
"""As HdrHistogram has it."""


@dataclass(frozen=True)
class Bucket:
    """The number of times from `low_seconds` (inclusive) to `high_seconds` (exclusive)."""

    low_seconds: float
    high_seconds: float
    count: int

    @property
    def middle_seconds(self) -> float:
        return (self.low_seconds + self.high_seconds) / 2


@dataclass(frozen=True)
class Histogram:
    """The buckets that are not empty, in ascending order, exact to the encoding's significant digits."""

    buckets: Sequence[Bucket]

    @cached_property
    def _cumulative(self) -> list[int]:
        return list(accumulate(bucket.count for bucket in self.buckets))

    @property
    def count(self) -> int:
        return self._cumulative[-1] if self.buckets else 0

    @property
    def mean_seconds(self) -> float:
        return sum(bucket.middle_seconds * bucket.count for bucket in self.buckets) / self.count

    @property
    def deviation_seconds(self) -> float:
        """The standard deviation of the times (not of their mean)."""
        mean = self.mean_seconds
        return math.sqrt(
            sum((bucket.middle_seconds - mean) ** 2 * bucket.count for bucket in self.buckets) / self.count
        )

    def at(self, percentile: float, bounds_from: float = math.inf) -> float:
        """The median-unbiased estimate of a percentile (0 to 100) in seconds. Undefined for an empty histogram.

        Args:
            bounds_from: seconds from which on times are lower bounds, as in `at_position`.
        """
        return self.at_position(position_of(percentile, self.count), bounds_from)

    def at_position(self, position: float, bounds_from: float = math.inf) -> float:
        """Seconds at a position among the ordered times, from 1: between two neighbours on a straight line.

        Args:
            bounds_from: seconds from which on times are lower bounds. What leans on one is one, and is as large.
        """
        position = min(max(position, 1.0), float(self.count))
        low = self._highest_in(self._index(math.floor(position)))
        if position.is_integer():
            return low
        high = self._highest_in(self._index(math.floor(position) + 1))
        return high if high >= bounds_from else low + (high - low) * (position % 1)

    def through(self, percentile: float) -> tuple[float, int]:
        """The shortest time that `percentile` of the times do not exceed, in seconds, and how many do not."""
        index = self._index(max(1, math.ceil(round(percentile / 100 * self.count, 6))))
        return self._highest_in(index), self._cumulative[index]

    def count_up_to(self, seconds: float) -> int:
        """How many times do not exceed `seconds`. A time counts as the middle of its bucket."""
        index = bisect_right(self.buckets, seconds, key=lambda bucket: bucket.middle_seconds)
        return self._cumulative[index - 1] if index else 0

    def _index(self, rank: int) -> int:
        return min(bisect_left(self._cumulative, rank), len(self.buckets) - 1)

    def _highest_in(self, index: int) -> float:
        return self.buckets[index].high_seconds - NANO


def position_of(percentile: float, samples: int, together: float = 1.0) -> float:
    """Where among so many ordered samples, from 1, a percentile (0 to 100) is estimated as often too high as too low.

    With q the percentile's share, at q (n + 1/3) + 1/3, whatever the samples are drawn from: definition 8 of R. J.
    Hyndman and Y. Fan, The American Statistician 50 (1996), 361-365. The smallest sample that a share q does not exceed
    is too low more often than not: of p99 of 1,000 samples in 59 of 100. Not above `samples`, whatever they are.

    Args:
        together: how many samples have one cause, so that they are high or low together: the position is that of so
            many fewer samples, each of which counts as often.
    """
    share = percentile / 100
    return share * samples + together * (1 + share) / 3


def read_histogram(hdr_base64: str) -> Histogram:
    """Decode the engine's `hdr_base64`, and convert its nanoseconds to seconds. An empty text is an empty histogram.

    Raises:
        ValueError: it is not a compressed HdrHistogram V2.
    """
    if not hdr_base64:
        return Histogram(())
    encoded = unpacked(hdr_base64)
    return Histogram(list(_buckets(encoded.counts, encoded.digits, encoded.lowest)))


@dataclass(frozen=True)
class Encoded:
    """A histogram as its encoding has it."""

    digits: int
    lowest: int
    highest: int
    counts: Mapping[int, int]
    """by the place of a bucket among all that there could be, from 0, ascending; without the empty ones"""


def unpacked(hdr_base64: str) -> Encoded:
    """Take a text that is not empty out of its base64 and its compression.

    Raises:
        ValueError: it is not a compressed HdrHistogram V2.
    """
    try:
        content = base64.b64decode(hdr_base64, validate=True)
        cookie, length = struct.unpack_from(">II", content)
        if cookie & COOKIE_BASE != COMPRESSED & COOKIE_BASE:
            raise ValueError("not a compressed HdrHistogram V2")
        inner = zlib.decompressobj().decompress(content[8 : 8 + length], MOST_BYTES)
        cookie, length, _, digits, lowest, highest, _ = struct.unpack_from(HEADER, inner)
        if cookie & COOKIE_BASE != PLAIN & COOKIE_BASE or digits > MOST_DIGITS:
            raise ValueError("not an HdrHistogram V2")
        start = struct.calcsize(HEADER)
        return Encoded(digits, lowest, highest, dict(_counts(_numbers(inner[start : start + length]))))
    except (struct.error, zlib.error, IndexError) as error:
        raise ValueError(f"not a compressed HdrHistogram V2: {error}") from error


def _counts(numbers: Iterator[int]) -> Iterator[tuple[int, int]]:
    place = 0
    for number in numbers:
        if number < 0:
            place -= number
            if place > MOST_PLACES:
                raise ValueError("a histogram of more buckets than there can be")
            continue
        if number:
            yield place, number
        place += 1


def _numbers(content: bytes) -> Iterator[int]:
    """Decode ZigZag LEB128: at most nine bytes a number, of which the ninth has eight bits."""
    position = 0
    while position < len(content):
        value = shift = 0
        while True:
            byte = content[position]
            position += 1
            if shift == 56:
                value |= byte << shift
                break
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        yield (value >> 1) ^ -(value & 1)


def _buckets(counts: Mapping[int, int], digits: int, lowest: int) -> Iterator[Bucket]:
    """Buckets in order: the first `2 × half` are one unit wide, and each further `half` twice as wide as the last."""
    unit_bits = int(math.log2(max(lowest, 1)))
    half_bits = max(math.ceil(math.log2(2 * 10**digits)), 1) - 1
    half = 1 << half_bits
    for place, count in counts.items():
        doubling = max((place >> half_bits) - 1, 0)
        offset = place if place < 2 * half else (place & (half - 1)) + half
        width = 1 << (doubling + unit_bits)
        yield Bucket(offset * width * NANO, (offset + 1) * width * NANO, count)
