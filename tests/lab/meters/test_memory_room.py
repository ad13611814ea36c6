"""When no more is started beside what is up."""

import pytest

from fairtrial.lab.meters.memory_room import MemoryRoom, available_and_total


@pytest.mark.parametrize(
    ("available", "expected"),
    [([80, 80], False), ([80, 43], False), ([80, 42], True), ([80, 90], False), ([4, 4], True)],
)
def test_the_room_is_full_when_what_is_up_would_not_fit_a_second_time(available: list[int], expected: bool) -> None:
    """A twentieth is left in any case; memory that others give back counts for nothing."""
    readings = iter(available)
    assert MemoryRoom(lambda: (next(readings), 100)).is_full() is expected


def test_what_is_available_here_is_a_part_of_all() -> None:
    available, total = available_and_total()
    assert 0 < available <= total
