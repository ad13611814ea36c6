"""`[services.NAME]`: how far a service is away."""

from typing import Any

import pytest

from fairtrial.experiment.model import ServiceOptions


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, None),
        ({"latency": "1 ms"}, "1 ms away"),
        ({"latency": "500us"}, "500 µs away"),
        ({"latency": "2 ms", "latency_distribution": "exponential"}, "2 ms away on average (exponential)"),
        ({"latency": "0 ms", "bandwidth_bytes_per_second": 12_500_000}, "0 ms away, at 12,500,000 bytes/s"),
    ],
)
def test_a_distance_is_said_as_it_was_written(options: dict[str, Any], words: str | None) -> None:
    read = ServiceOptions.model_validate(options)
    assert read.distance() == words
    assert ServiceOptions.model_validate_json(read.model_dump_json()) == read


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"latency": 1}, 'write a time such as "1 ms"'),
        ({"latency": "1 MiB"}, '"1 MiB" is not a time from 0 to 10 s'),
        ({"latency": "-1 ms"}, "is not a time"),
        ({"latency": "1 min"}, "is not a time"),
        ({"latency_distribution": "exponential"}, "need it"),
        ({"bandwidth_bytes_per_second": 1_000_000}, "need it"),
    ],
)
def test_what_is_no_distance_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match="latency") as raised:
        ServiceOptions.model_validate(options)
    assert words in str(raised.value)
