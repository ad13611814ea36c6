"""Journeys of a workload file: requests that one user sends one after the other."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

Request = TypeVar("Request")


@dataclass(frozen=True)
class Step:
    """A request of the mix, as far as journeys go."""

    journey: str | None
    """whose step it is; None: of none"""
    keys: frozenset[str]
    """those that it sets itself"""


def by_user(requests: Iterable[Request], journey_of: Callable[[Request], str | None]) -> Iterator[list[Request]]:
    """What one user sends: the steps of each journey, or a single request, in the order of the file."""
    steps: list[Request] = []
    for request in requests:
        if steps and (journey_of(request) is None or journey_of(request) != journey_of(steps[0])):
            yield steps
            steps = []
        steps.append(request)
    yield steps


def assert_journeys(requests: Mapping[str, Step]) -> None:
    """The steps of each journey stand together, and set what steps can have.

    Args:
        requests: those of the mix by name, in the order of the file.

    Raises:
        ValueError: it is not so; the message begins with the key.
    """
    journeys: set[str] = set()
    before: str | None = None
    for name, step in requests.items():
        journey = step.journey
        if journey is None and "take" in step.keys:
            raise ValueError(f"requests.{name}.take: only later steps can use it: name its `journey`, and theirs")
        if journey is not None:
            if journey != before and journey in journeys:
                raise ValueError(f"requests.{name}.journey: write it right below the other steps of {journey}")
            if journey == before and "weight" in step.keys:
                raise ValueError(f"requests.{name}.weight: a journey's is that of its first step: leave it out")
            journeys.add(journey)
        before = journey
