"""Whether a sample is large enough for a percentile."""

import math

SAMPLES_ABOVE = 10


def supports_percentile(samples: int, percentile: float) -> bool:
    """True if at least ten of `samples` times are expected above `percentile` (0 to 100, exclusive).

    How many of n samples lie above the true percentile q is binomial with mean n(1-q). At a mean of ten its standard
    deviation is 3.2, so what is printed as p99 lies, 95 times in 100, between the true p98.4 and p99.6:
    coarse, but still a statement about the tail. With a single sample above it, it would just be the maximum.

    Source: H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition (2003), section 7.1: distribution-free
    intervals for quantiles from the binomial distribution. Ten is this project's choice.
    """
    return samples * (100 - percentile) / 100 >= SAMPLES_ABOVE - 1e-9


def samples_needed(percentile: float) -> int:
    """The smallest sample that supports a percentile: 1,000 for p99."""
    return math.ceil(SAMPLES_ABOVE * 100 / (100 - percentile) - 1e-6)
