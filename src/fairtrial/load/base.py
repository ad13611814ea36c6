"""The questions that every load answers, so that nobody has to ask of which kind it is."""

from typing import Self

from fairtrial.base.strict import Strict


class LoadBase(Strict):
    """A load of an experiment. Where a kind has no answer of its own, that of this class holds."""

    def describe(self) -> str:
        """The load in words, as printed beside every figure: `closed, 16 connections, keep-alive`."""
        raise NotImplementedError

    def lengths(self) -> str:
        """How long it is measured, in words."""
        raise NotImplementedError

    @property
    def planned_seconds(self) -> float:
        """How long a trial's load takes, as far as the plan tells."""
        raise NotImplementedError

    def shortened(self, *, warmup_seconds: float, window_seconds: float, requests: int) -> Self:  # noqa: ARG002
        """The load with a warm-up and a window, or a number of requests, of at most so much: for a quick run."""
        return self

    @property
    def offers_requests(self) -> bool:
        """Whether the load engine sends requests at all."""
        return False

    @property
    def is_open(self) -> bool:
        """Whether requests begin at rates that the load gives, whatever the answers do."""
        return False

    @property
    def is_stationary(self) -> bool:
        """Whether a window asks for the same from its begin to its end."""
        return True

    @property
    def can_be_sliced(self) -> bool:
        """Whether any moment of the window stands for all of it, so that it can be measured in slices."""
        return False

    @property
    def clients(self) -> int | None:
        """Clients of a closed load, each of which sends one request at a time; None where answers decide nothing."""
        return None

    @property
    def fixed_requests(self) -> int | None:
        """How many requests are sent in all; None where a time ends the load."""
        return None

    @property
    def loses_clients(self) -> bool:
        """Whether clients are lost on purpose: those whose connect finds no local port."""
        return False

    @property
    def offered_per_second(self) -> float | None:
        """The rate at which requests begin; None where answers decide it, it changes, or the trial searches for it."""
        return None

    @property
    def mean_per_second(self) -> float | None:
        """The mean rate of an open load over its window, which may change in it."""
        return self.offered_per_second

    @property
    def peak_per_second(self) -> float | None:
        """The highest rate of an open load in its window."""
        return self.offered_per_second

    @property
    def has_random_arrivals(self) -> bool:
        """Whether chance decides how many requests are due in the window."""
        return False

    @property
    def window_seconds(self) -> float | None:
        """How long one measured window lasts; None where a number of requests decides it."""
        return None
