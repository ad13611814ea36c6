"""Idle processors stay awake during a run, and only then."""

import os
from pathlib import Path

import pytest

from fairtrial.lab import awake
from fairtrial.lab.awake import processors_awake
from tests.machine.needs import needs


def a_kernel(monkeypatch: pytest.MonkeyPatch, folder: Path, driver: str | None, *, takes_requests: bool = True) -> Path:
    """A kernel with this driver for idle processors, and the file that takes requests."""
    file, requests = folder / "current_driver", folder / "requests"
    if driver is not None:
        file.write_text(f"{driver}\n")
    if takes_requests:
        requests.touch()
    monkeypatch.setattr(awake, "IDLE_DRIVER", file)
    monkeypatch.setattr(awake, "REQUESTS", requests)
    return requests


@pytest.mark.parametrize(
    ("driver", "microseconds", "says"),
    [("haltpoll", 0, "stay awake"), ("intel_idle", 2, "wake within 2 µs"), ("acpi_idle", 2, "wake within 2 µs")],
)
def test_what_is_asked_of_a_driver(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, driver: str, microseconds: int, says: str
) -> None:
    requests = a_kernel(monkeypatch, tmp_path, driver)
    with processors_awake() as limit:
        assert limit.wakes_within_microseconds == microseconds
        assert limit.in_words == says
    assert requests.read_bytes() == microseconds.to_bytes(4, "little")


@pytest.mark.parametrize(
    ("driver", "takes_requests", "reason"),
    [(None, True, "no driver"), ("none", True, "no driver"), ("haltpoll", False, "is not there")],
)
def test_what_cannot_be_asked_is_left_alone_and_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, driver: str | None, takes_requests: bool, reason: str
) -> None:
    requests = a_kernel(monkeypatch, tmp_path, driver, takes_requests=takes_requests)
    with processors_awake() as limit:
        assert limit.wakes_within_microseconds is None
        assert reason in limit.in_words
    assert not takes_requests or requests.read_bytes() == b""


@needs("idle-limit")
def test_the_kernel_holds_the_request_as_long_as_the_context_lasts() -> None:
    def in_force() -> int:
        reader = os.open(awake.REQUESTS, os.O_RDONLY)
        try:
            return int.from_bytes(os.read(reader, 4), "little", signed=True)
        finally:
            os.close(reader)

    before = in_force()
    with processors_awake() as limit:
        assert in_force() == limit.wakes_within_microseconds
    assert in_force() == before
