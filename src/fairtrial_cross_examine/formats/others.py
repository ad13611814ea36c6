"""What tools print in forms of which nothing is read: it is said by name."""

from collections.abc import Mapping

NOT_READ: Mapping[str, tuple[str, str]] = {
    r"^Percentage served,Time in ms$": ("ab", "the table of -e"),
    r"^starttime\s+seconds\s+ctime\s": ("ab", "the list of requests of -g"),
    r"^request-start,DNS,DNS\+dialup,": ("oha", "the list of requests as CSV"),
    r"^response-time,DNS\+dialup,DNS,": ("hey", "the list of requests of -o csv"),
    r"^metric_name,timestamp,metric_value,": ("k6", "the list of samples of --out csv"),
    r"^\"?timeStamp\"?,\"?elapsed\"?,\"?label\"?,": ("jmeter", "the list of samples"),
    r"^\"?Timestamp\"?,\"?User Count\"?,\"?Type\"?,": ("locust", "the history of its statistics"),
    r"^Date & Time, +Trans, +Elap Time,": ("siege", "its log of runs"),
    r"^(?:Type\s+)?Name\s+# reqs\s+# fails(?![\s\S]{0,20000}^(?:None )?(?:Aggregated|Total)\s)": (
        "locust",
        "the row of all",
    ),
    r"window\.templateArgs = |<title>(?:Locust_|Test Report for )": ("locust", "its report in HTML"),
    r"^Latencies:\n+Avg\s+Stdev\s+Min\s+Max$": ("rewrk", "its report"),
    r"^Statistics\s+Min\s+Mean\s+StdDev\s+Max$": ("plow", "its report"),
    r"\"endReason\"\s*:": ("ghz", "its report in JSON"),
    r"^Aggregated Function Time : count ": ("fortio", "its report"),
    r"^Nighthawk - A layer 7 protocol benchmarking tool": ("nighthawk", "its report"),
    r"^Time taken for tests\s+[\d.]+ seconds$": ("drill", "its report"),
    r"^number of transactions actually processed: ": ("pgbench", "its report"),
    r"^Bucket\s+#\s+%\s+Histogram$": ("vegeta", "the histogram of -type=hist"),
}
"""A pattern of the first line, and whose it is: the tool, and what it calls it."""
