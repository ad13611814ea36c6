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
    "options",
    [
        {"latency": 1},
        {"latency": "1 MiB"},
        {"latency": "-1 ms"},
        {"latency": "1 min"},
        {"latency_distribution": "exponential"},
        {"bandwidth_bytes_per_second": 1_000_000},
    ],
)
def test_what_is_no_distance_is_refused(options: dict[str, Any], snapshot: object) -> None:
    with pytest.raises(ValueError, match="latency") as raised:
        ServiceOptions.model_validate(options)
    assert [each["msg"] for each in raised.value.errors()] == snapshot


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
    "options",
    [
        {"address": ADDRESS | {"port": 80}},
        {"address": ADDRESS | {"user": 'a" host all'}},
        {"address": ADDRESS | {"database": ""}},
        {"address": ADDRESS | {"password": ""}},
        {"address": ADDRESS | {"password": "secret\n"}},
        {"address": ADDRESS | {"password": ["secret"]}},
        {"address": "postgresql://benchmarkdbuser:secret@127.0.0.1/hello_world"},
        {"address": ADDRESS, "url_from": "URL"},
        {"address": ADDRESS, "latency": "1 ms"},
    ],
)
def test_what_is_no_address_is_refused_without_its_password(
    options: dict[str, Any], tmp_path: Path, snapshot: object
) -> None:
    written = [f"{key} = {_in_toml(value)}\n" for key, value in options.items()]
    (tmp_path / "options.toml").write_text("".join(written))
    with pytest.raises(Problem) as raised:
        read_toml(tmp_path / "options.toml", ServiceOptions)
    assert raised.value.reason == snapshot
    assert "secret" not in raised.value.reason and "benchmarkdbpass" not in raised.value.reason


def _in_toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_in_toml(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)
