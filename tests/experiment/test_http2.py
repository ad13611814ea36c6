"""`http2` and `streams` of a load, and `[loads.NAME]`, which a sweep over `load` tries against each other."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.changes import with_settings
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.reference import ConditionRef
from fairtrial.load.capacity import CapacityLoad, Objective
from fairtrial.load.kinds import Load

FILE = 'name = "x"\ntitle = "x"\nworkload = "random-item"\nservice = "sqlite"\nstacks = ["a"]\n'
POOL_AND_STREAMS = """
[load]
connections = 4
duration_seconds = 9.0
[sweep]
parameter = "load"
values = ["pool", "multiplexed"]
[loads.pool]
connections = 16
[loads.multiplexed]
connections = 1
http2 = true
streams = 16
"""


def read(folder: Path, more: str) -> Experiment:
    file = folder / "x.toml"
    file.write_text(FILE + more)
    return read_toml(file, Experiment)


def refusal(folder: Path, more: str) -> str:
    """Why it is refused, behind the name of the file."""
    with pytest.raises(Problem) as caught:
        read(folder, more)
    start = f"{folder / 'x.toml'}: "
    assert caught.value.reason.startswith(start)
    return caught.value.reason.removeprefix(start)


@pytest.mark.parametrize(
    "values",
    [
        {"connections": 4, "streams": 10},
        {"connections": 1},
        {"connections": 4, "streams": 2, "threads": 2},
        {"kind": "open", "rate_per_second": 500, "connections": 2, "streams": 50},
        {"kind": "fixed", "requests": 100, "connections": 2, "streams": 50},
        {
            "kind": "capacity",
            "connections": 2,
            "streams": 50,
            "objectives": [{"name": "soon", "within_milliseconds": 50}],
        },
    ],
)
def test_a_load_is_in_words(values: dict[str, Any], snapshot: object) -> None:
    load: Load = TypeAdapter(Load).validate_python({"http2": True, **values})
    assert load.describe() == snapshot


def test_every_probe_of_a_search_has_it() -> None:
    objectives = [Objective(name="soon", within_milliseconds=50)]
    load = CapacityLoad(kind="capacity", objectives=objectives, connections=2, http2=True, streams=8)
    probe = load.at_rate(10, 1)
    assert (probe.http2, probe.streams, probe.most_in_flight) == (True, 8, 16)


@pytest.mark.parametrize(
    "more",
    [
        "[load]\nstreams = 2",
        "[load]\nhttp2 = true\nkeep_alive = false",
        "[load]\nhttp2 = true\nlocal_ports = 9",
        "[load]\nhttp2 = true\nconnections = 1001\nstreams = 1000",
        "[load]\nhttp2 = true\nstreams = 0",
        '[load]\nkind = "fixed"\nrequests = 10\nconnections = 4\nhttp2 = true\nstreams = 3',
        'balancer = "nginx"\n[load]\nhttp2 = true',
        '[load]\nhttp2 = true\n[sweep]\nparameter = "load.streams"\nvalues = [0, 4]',
        "[load]\n[loads.pool]\nconnections = 2",
        '[load]\n[sweep]\nparameter = "load"\nvalues = ["pool", "other"]\n[loads.pool]\nconnections = 2',
        '[load]\n[sweep]\nparameter = "load"\nvalues = ["a", "b"]\n[loads.a]\nduration_seconds = 2\n[loads.b]',
        '[load]\n[sweep]\nparameter = "load"\nvalues = ["a", "b"]\n[loads.a]\nstreams = 2\n[loads.b]',
    ],
)
def test_what_does_not_go_together_is_refused_by_its_key(tmp_path: Path, more: str, snapshot: object) -> None:
    assert refusal(tmp_path, more) == snapshot


def test_a_sweep_over_loads_tries_each_of_them(tmp_path: Path, snapshot: object) -> None:
    experiment = read(tmp_path, POOL_AND_STREAMS)
    pool, multiplexed = experiment.at("pool"), experiment.at("multiplexed")
    assert pool.load.describe() == "closed, 16 connections, keep-alive"
    assert multiplexed.load.describe() == "closed, 1 connection × 16 streams, HTTP/2"
    assert ({pool.load.lengths(), multiplexed.load.lengths()}) == snapshot
    assert (multiplexed.sweep, multiplexed.loads) == (None, {})
    assert [str(each) for each in experiment.condition_refs] == ["a at pool", "a at multiplexed"]
    assert ConditionRef.model_validate("a at multiplexed").at == "multiplexed"
    assert Experiment.model_validate_json(experiment.model_dump_json()) == experiment
    quick, _ = with_settings(experiment, quick=True)
    assert quick.at("multiplexed").load.lengths() == snapshot


@pytest.mark.parametrize(("parameter", "values"), [("load.streams", [1, 4]), ("load.http2", [False, True])])
def test_one_key_may_be_swept(tmp_path: Path, parameter: str, values: list[Any]) -> None:
    told = str(values).lower()
    base = "http2 = true" if parameter == "load.streams" else ""
    experiment = read(tmp_path, f'[load]\n{base}\n[sweep]\nparameter = "{parameter}"\nvalues = {told}')
    key = parameter.removeprefix("load.")
    assert [getattr(experiment.at(value).load, key) for value in values] == values


def test_quick_keeps_as_many_requests_as_are_in_flight(tmp_path: Path) -> None:
    many = read(tmp_path, '[load]\nkind = "fixed"\nrequests = 900_000\nconnections = 300\nhttp2 = true\nstreams = 100')
    load = with_settings(many, quick=True)[0].load
    assert load.kind == "fixed" and load.requests == 30_000
