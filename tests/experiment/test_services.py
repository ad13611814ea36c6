"""`[services.NAME]`: how far a service is away."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
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


ADDRESS = {"port": 5432, "user": "benchmarkdbuser", "password": "benchmarkdbpass", "database": "hello_world"}


def test_a_password_is_neither_shown_nor_recorded() -> None:
    read = ServiceOptions.model_validate({"address": ADDRESS})
    assert read.address is not None
    assert read.address.password.get_secret_value() == "benchmarkdbpass"
    recorded = read.model_dump_json()
    assert "benchmarkdbpass" not in f"{recorded}{read!r}{read}"
    assert ServiceOptions.model_validate(read.model_dump()) == read, "each point of a sweep has it"
    assert ServiceOptions.model_validate_json(recorded).model_dump_json() == recorded, "a record can be read"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"address": ADDRESS | {"port": 80}}, "address.port"),
        ({"address": ADDRESS | {"user": 'a" host all'}}, "address.user"),
        ({"address": ADDRESS | {"database": ""}}, "address.database"),
        ({"address": ADDRESS | {"password": ""}}, "address.password: a text of 1 to 128 printable characters"),
        ({"address": ADDRESS | {"password": "secret\n"}}, "address.password: a text of 1 to 128 printable characters"),
        ({"address": ADDRESS | {"password": ["secret"]}}, "address.password: a text of 1 to 128 printable characters"),
        ({"address": "postgresql://benchmarkdbuser:secret@127.0.0.1/hello_world"}, "address: write it as { port"),
        ({"address": ADDRESS, "url_from": "URL"}, "has its own"),
        ({"address": ADDRESS, "latency": "1 ms"}, "past the proxy"),
    ],
)
def test_what_is_no_address_is_refused_without_its_password(
    options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    written = [f"{key} = {_in_toml(value)}\n" for key, value in options.items()]
    (tmp_path / "options.toml").write_text("".join(written))
    with pytest.raises(Problem) as raised:
        read_toml(tmp_path / "options.toml", ServiceOptions)
    assert words in raised.value.reason
    assert "secret" not in raised.value.reason and "benchmarkdbpass" not in raised.value.reason


def _in_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_in_toml(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)
