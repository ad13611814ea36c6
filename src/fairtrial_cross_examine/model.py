"""Printed results: figures with the rounding that their digits allow, one run of a tool, and ratios between runs."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict

LoadKind = Literal["closed", "open"]
"""`closed`: each client sends its next request when its last one is answered; `open`: requests start at a rate."""
SHORTEST_SHARE = 0.9
LONGEST_SHARE = 1.5
STOPPING_SECONDS = 2.0
"""Of the planned time: tools wait for the last answers, some up to a time-out of 2 s."""
Statistic = Literal["only", "mean", "median", "best", "chosen"]
"""Which of several runs is printed; `chosen`: one of them, without a rule that is said."""


class Figure(Strict):
    """A printed figure in its base unit; the true value lies at most `within` of it, by the last digit printed."""

    value: float = Field(allow_inf_nan=False)
    within: float = Field(0.0, ge=0, allow_inf_nan=False)

    @property
    def low(self) -> float:
        return self.value - self.within

    @property
    def high(self) -> float:
        return self.value + self.within

    def times(self, other: "Figure | float") -> "Figure":
        """The product of two figures that are not negative."""
        factor = other if isinstance(other, Figure) else Figure(value=other)
        value = self.value * factor.value
        return Figure(value=value, within=max(self.high * factor.high - value, 0.0))

    def plus(self, other: "Figure | float") -> "Figure":
        """The sum of two figures."""
        term = other if isinstance(other, Figure) else Figure(value=other)
        return Figure(value=self.value + term.value, within=self.within + term.within)

    def over(self, other: "Figure | float") -> "Figure | None":
        """The quotient of two figures that are not negative; None if the divisor may be zero."""
        divisor = other if isinstance(other, Figure) else Figure(value=other)
        if divisor.low <= 0:
            return None
        value = self.value / divisor.value
        if not math.isfinite(self.high / divisor.low):
            return None
        return Figure(value=value, within=max(self.high / divisor.low - value, 0.0))

    def agrees_with(self, other: "Figure", share: float = 0.0) -> bool:
        """Whether both can be the same value, with `share` of the larger one as further room."""
        room = share * max(abs(self.value), abs(other.value))
        return abs(self.value - other.value) <= self.within + other.within + room


class RunTimes(Strict):
    """Response times as printed, in seconds; of hyperfine, the times of a command."""

    mean: Figure | None = None
    deviation: Figure | None = None
    minimum: Figure | None = None
    maximum: Figure | None = None
    percentiles: Mapping[str, Figure] = Field(default={}, description="by percentage as printed, such as `99.9`")
    sample: int | None = Field(None, description="how many times were recorded, where that is not the answers")

    @classmethod
    def of(cls, fields: Mapping[str, Figure | None], percentiles: Mapping[str, Figure | None]) -> "RunTimes":
        """Times by the names of their fields, and percentiles by percentage, without those that are None."""
        shares = {share: time for share, time in percentiles.items() if time is not None}
        return cls.model_validate({**fields, "percentiles": shares})

    def ordered(self) -> list[tuple[float, Figure]]:
        """The percentiles by percentage, the lowest first."""
        return sorted(((float(name), figure) for name, figure in self.percentiles.items()), key=lambda pair: pair[0])


class PrintedRun(Strict):
    """One run as it was printed. Whatever was not printed is None or empty."""

    name: str = Field("", description="what a user tells it by: the file with a number, or the name in a statement")
    source: str = Field("", description="the file")
    tool: str = ""
    contender: str | None = Field(None, description="what was measured, where several runs are of the same")
    url: str | None = None
    load: LoadKind | None = None
    connections: int | None = Field(None, ge=1, description="requests that can be under way at the same time")
    may_pause: bool = Field(False, description="whether its call lets clients pause, or begin one after another")
    pipelined: int | None = Field(None, ge=1, description="how many of these one connection sends at a time")
    constant_rate_per_second: Figure | None = Field(None, description="the rate that the load was to have")
    planned_seconds: Figure | None = Field(None, description="how long it was to last")
    seconds: Figure | None = None
    requests: Figure | None = Field(None, description="what the printed rate counts")
    answers: Figure | None = Field(None, description="requests that have a time, where these are not `requests`")
    rate_per_second: Figure | None = None
    rate_seconds: Figure | None = Field(None, description="the time that the rate is over, where it is not `seconds`")
    times: RunTimes = RunTimes()
    time_per_request_seconds: Figure | None = Field(None, description="printed as the time that one request takes")
    time_across_seconds: Figure | None = Field(None, description="printed as the time across all requests under way")
    failures: Mapping[str, int] = Field(default={}, description="answers that are no success and count in `requests`")
    unanswered: Mapping[str, int] = Field(default={}, description="requests without an answer, which have no time")
    unclear_failures: Mapping[str, int] = Field(default={}, description="failures that may have had an answer or not")
    unanswered_are_requests: bool = Field(False, description="whether `requests` counts those, too")
    dead_clients: int = Field(0, ge=0, description="clients that could not connect and did not try again")
    dropped_requests: int = Field(0, ge=0, description="requests that were due and never sent")
    document_bytes: Figure | None = Field(None, description="length of one body")
    bodies_bytes: Figure | None = Field(None, description="length of all bodies together")
    answer_bytes: Figure | None = Field(None, description="bytes of one answer, with its headers")
    all_bytes: Figure | None = Field(None, description="bytes of all answers together, with their headers")
    stored_bytes: Figure | None = Field(None, description="bytes that one request left behind")
    delay_seconds: Figure | None = Field(None, description="how long the server was said to wait before it answers")
    runs: int | None = Field(None, ge=1)
    statistic: Statistic | None = None
    not_read: Sequence[str] = Field((), description="figures that this tool prints, and that were not found")
    ambiguous: Sequence[str] = Field((), description="lines that stand more than once, with different figures")
    remarks: Sequence[str] = Field((), description="what its tool means by a figure, where that changes what is read")

    @property
    def has_figures(self) -> bool:
        """Whether it has any of those for which a load is measured."""
        times, counts = self.times, (self.failures, self.unanswered, self.unclear_failures)
        return any((self.requests, self.answers, self.rate_per_second, times.mean, times.percentiles, *counts))

    @property
    def requests_per_second(self) -> Figure | None:
        """By its requests and seconds; None where one of them is missing, or no time passed."""
        return None if self.requests is None or self.seconds is None else self.requests.over(self.seconds)

    @property
    def rate(self) -> Figure | None:
        """The printed one, or else that of its requests and seconds."""
        return self.rate_per_second or self.requests_per_second

    @property
    def timed_requests(self) -> Figure | None:
        """How many requests the printed times are of."""
        return self.answers or self.requests

    @property
    def timed(self) -> tuple[Figure, Figure] | None:
        """How many requests have a time, and in how many seconds; of a rate without seconds, those of one second."""
        if self.timed_requests is not None and self.seconds is not None:
            return self.timed_requests, self.seconds
        seconds = self.seconds or Figure(value=1.0)
        return None if self.rate_per_second is None else (self.rate_per_second.times(seconds), seconds)

    @property
    def sample(self) -> float | None:
        """How many times the percentiles rest on."""
        if self.times.sample is not None:
            return self.times.sample
        return None if self.timed_requests is None else self.timed_requests.high

    @property
    def took_another_time(self) -> bool:
        """Whether it lasted for another time than was planned, beyond what stopping a tool takes."""
        planned, took = self.planned_seconds, self.rate_seconds or self.seconds
        if planned is None or took is None:
            return False
        too_long = took.low > LONGEST_SHARE * planned.high and took.low > planned.high + STOPPING_SECONDS
        return too_long or took.high < SHORTEST_SHARE * planned.low

    @property
    def of_requests(self) -> bool:
        """Whether its times are those of requests; those of hyperfine are of whole commands."""
        return self.tool != "hyperfine"


class StatedRatio(Strict):
    """A ratio that was printed. With `of` and `to` it can be held against the two runs that it is about."""

    subject: str = Field(description="what it is about: ratios of one subject must not exclude each other")
    source: str
    factor: Figure
    of: str | None = None
    to: str | None = None
    measure: Literal["rate", "seconds"] = "rate"


class BoardRow(Strict):
    """One row of a published board, with what its own programs say of it."""

    board: str
    test: str
    contender: str
    run: PrintedRun
    explained: Mapping[str, str] = Field({}, description="by the kind of contradiction, what explains it here")
    untold: str = Field("", description="why it cannot stand even without a contradiction")
    traits: Mapping[str, str] = Field({}, description="of its contender, as the board has them: language, framework")


class UnreadRow(Strict):
    """A row of a published board of which nothing is read."""

    source: str
    row: str = Field(description="its test and contender, or its place in the file")
    why: str = Field(description="its key, and what is wrong with it")


class PrintedOutput(Strict):
    """All that was read: what the contradictions are looked for in."""

    runs: Sequence[PrintedRun] = ()
    ratios: Sequence[StatedRatio] = ()
    rows: Sequence[BoardRow] = Field((), description="of boards; there is nothing else then")
    unread_rows: Sequence[UnreadRow] = Field((), description="of boards, of which nothing is read")
    passed_over: Sequence[str] = Field((), description="files beside those of boards, of which nothing was read")
