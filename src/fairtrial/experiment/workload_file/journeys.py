"""Journeys of a workload file: requests that one user sends one after the other."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

Request = TypeVar("Request")


@dataclass(frozen=True)
class JourneyStep:
    """A request of the mix, as far as journeys go."""

    journey: str | None
    """whose step it is; None: of none"""
    keys: frozenset[str]
    """those that it sets itself"""


def by_user(requests: Iterable[Request], journey_of: Callable[[Request], str | None]) -> Iterator[list[Request]]:
    """The requests of one user: the steps of each journey, or a single request, in the order of the file."""
    steps: list[Request] = []
    for request in requests:
        if steps and (journey_of(request) is None or journey_of(request) != journey_of(steps[0])):
            yield steps
            steps = []
        steps.append(request)
    yield steps


def assert_journeys(requests: Mapping[str, JourneyStep]) -> None:
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


def assert_renewals(requests: Mapping[str, tuple[str | None, str | None, bool]], setup: Mapping[str, str]) -> None:
    """Each `renew` names who takes a value for this request: an earlier step, or a setup request of each connection.

    Args:
        requests: of those of the mix by name, in the order of the file: `renew`, `journey`, and whether they take a
            value.
        setup: of the setup requests that take a value, `per`.

    Raises:
        ValueError: it is not so; the message begins with the key.
    """
    for steps in by_user(requests.items(), lambda each: each[1][1]):
        takers = {name for name, per in setup.items() if per == "connection"}
        for name, (renew, _, takes) in steps:
            if renew is not None and renew not in takers:
                hint = (
                    'its value is everybody\'s: write per = "connection" there'
                    if renew in setup
                    else ("name an earlier step of its journey, or a setup request, with `take`")
                )
                raise ValueError(f"requests.{name}.renew: {renew} takes no value for it: {hint}")
            if takes:
                takers.add(name)
