"""What a user may ask for, whichever command line it came from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fairtrial.engine.plan import Driver

Arrival = Literal["constant", "poisson"]


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """One load on one URL. Times are seconds, rates requests per second; None is the default of its option.

    `body` and `expect_body` are texts, or `@FILE`. `seconds` and `requests` exclude each other;
    `steps` (rate and seconds of each) take the place of both.
    """

    url: str
    connections: int | None = None
    requests: int | None = None
    seconds: float | None = None
    rate: float | None = None
    arrival: Arrival | None = None
    ramp: tuple[float, float] | None = None
    steps: tuple[tuple[float, float], ...] | None = None
    think_seconds: float | None = None
    warmup_seconds: float = 0.0
    threads: int | None = None
    driver: Driver = "auto"
    method: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    template: bool = False
    timeout_seconds: float = 10.0
    expect_status: tuple[int, ...] = ()
    expect_body: str | None = None
    expect_length: int | None = None
    keep_alive: bool = True
    requests_per_connection: int | None = None
    pipeline: int = 1
    unix: Path | None = None
    insecure: bool = False
    ca_file: Path | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None
