"""Progress events in words."""

from fairtrial.engine.progress import phase, recent_times


def test_the_phase(snapshot: object) -> None:
    warming = {"phase": "warmup", "elapsed_seconds": 3.21}
    assert phase(warming) == "warm-up, 3.2 s"
    assert phase(warming | {"rise": 0.123}) == snapshot
    assert phase(warming | {"rise": -0.2}) == "warm-up, 3.2 s"
    assert phase({"phase": "window"}) == "measuring"


def test_the_times_of_the_last_full_second() -> None:
    assert recent_times({"p50_seconds": 0.000162, "p99_seconds": 0.0049}) == "p50 0.162  p99 4.90 ms"
    assert recent_times({"p50_seconds": None, "p99_seconds": None}) == ""
    assert recent_times({}) == ""
