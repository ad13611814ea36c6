"""`http2` and `streams` of a load, and `[loads.NAME]`, which a sweep over `load` tries against each other."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.changes import quick_form
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
    ("values", "words"),
    [
        ({"connections": 4, "streams": 10}, "closed, 4 connections × 10 streams, HTTP/2"),
        ({"connections": 1}, "closed, 1 connection × 1 stream, HTTP/2"),
        ({"connections": 4, "streams": 2, "threads": 2}, "closed, 4 connections × 2 streams, 2 threads, HTTP/2"),
        (
            {"kind": "open", "rate_per_second": 500, "connections": 2, "streams": 50},
            "open, 500 requests/s, Poisson arrivals, up to 2 connections × 50 streams, HTTP/2",
        ),
        (
            {"kind": "fixed", "requests": 100, "connections": 2, "streams": 50},
            "100 requests, 2 connections × 50 streams, HTTP/2",
        ),
        (
            {
                "kind": "capacity",
                "connections": 2,
                "streams": 50,
                "objectives": [{"name": "soon", "within_milliseconds": 50}],
            },
            "the highest rate with p99 within 50 ms, no errors, up to 2 connections × 50 streams, HTTP/2",
        ),
    ],
)
def test_a_load_is_in_words(values: dict[str, Any], words: str) -> None:
    load: Load = TypeAdapter(Load).validate_python({"http2": True, **values})
    assert load.describe() == words


def test_every_probe_of_a_search_has_it() -> None:
    objectives = [Objective(name="soon", within_milliseconds=50)]
    load = CapacityLoad(kind="capacity", objectives=objectives, connections=2, http2=True, streams=8)
    probe = load.at_rate(10, 1)
    assert (probe.http2, probe.streams, probe.most_in_flight) == (True, 8, 16)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("[load]\nstreams = 2", "load: streams: they are HTTP/2's: set `http2 = true`"),
        ("[load]\nhttp2 = true\nkeep_alive = false", "load: keep_alive: over HTTP/2 the server alone ends connections"),
        ("[load]\nhttp2 = true\nlocal_ports = 9", "load: local_ports: they are counted over HTTP/1.1 alone"),
        ("[load]\nhttp2 = true\nconnections = 1001\nstreams = 1000", "load: streams: 1,000 on each of 1,001"),
        ("[load]\nhttp2 = true\nstreams = 0", "load.streams: "),
        (
            '[load]\nkind = "fixed"\nrequests = 10\nconnections = 4\nhttp2 = true\nstreams = 3',
            "load: connections: 4 with 3 streams each are more than the 10 requests",
        ),
        ('balancer = "nginx"\n[load]\nhttp2 = true', "load.http2: the balancer asks stacks over HTTP/1.1"),
        ('[load]\nhttp2 = true\n[sweep]\nparameter = "load.streams"\nvalues = [0, 4]', "sweep: load.streams = 0"),
        ("[load]\n[loads.pool]\nconnections = 2", "loads.pool: no condition is loaded so"),
        (
            '[load]\n[sweep]\nparameter = "load"\nvalues = ["pool", "other"]\n[loads.pool]\nconnections = 2',
            "sweep: load = other: there is no [loads.other]; there are: pool",
        ),
        (
            '[load]\n[sweep]\nparameter = "load"\nvalues = ["a", "b"]\n[loads.a]\nduration_seconds = 2\n[loads.b]',
            "loads.a.duration_seconds: ",
        ),
        (
            '[load]\n[sweep]\nparameter = "load"\nvalues = ["a", "b"]\n[loads.a]\nstreams = 2\n[loads.b]',
            "sweep: load = a: ",
        ),
    ],
)
def test_what_does_not_go_together_is_refused_by_its_key(tmp_path: Path, more: str, reason: str) -> None:
    assert reason in refusal(tmp_path, more)


def test_a_sweep_over_loads_tries_each_of_them(tmp_path: Path) -> None:
    experiment = read(tmp_path, POOL_AND_STREAMS)
    pool, multiplexed = experiment.at("pool"), experiment.at("multiplexed")
    assert pool.load.describe() == "closed, 16 connections, keep-alive"
    assert multiplexed.load.describe() == "closed, 1 connection × 16 streams, HTTP/2"
    assert {pool.load.lengths(), multiplexed.load.lengths()} == {"9 s after at least 1 s of warm-up"}
    assert (multiplexed.sweep, multiplexed.loads) == (None, {})
    assert [str(each) for each in experiment.condition_refs] == ["a at pool", "a at multiplexed"]
    assert ConditionRef.model_validate("a at multiplexed").at == "multiplexed"
    assert Experiment.model_validate_json(experiment.model_dump_json()) == experiment
    quick, _ = quick_form(experiment)
    assert quick.at("multiplexed").load.lengths() == "1 s after at least 500 ms of warm-up"


@pytest.mark.parametrize(("parameter", "values"), [("load.streams", [1, 4]), ("load.http2", [False, True])])
def test_one_key_may_be_swept(tmp_path: Path, parameter: str, values: list[Any]) -> None:
    told = str(values).lower()
    base = "http2 = true" if parameter == "load.streams" else ""
    experiment = read(tmp_path, f'[load]\n{base}\n[sweep]\nparameter = "{parameter}"\nvalues = {told}')
    key = parameter.removeprefix("load.")
    assert [getattr(experiment.at(value).load, key) for value in values] == values


def test_quick_keeps_as_many_requests_as_are_in_flight(tmp_path: Path) -> None:
    many = read(tmp_path, '[load]\nkind = "fixed"\nrequests = 900_000\nconnections = 300\nhttp2 = true\nstreams = 100')
    load = quick_form(many)[0].load
    assert load.kind == "fixed" and load.requests == 30_000
