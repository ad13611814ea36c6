"""`drain_seconds`: how long the answers that an open load is owed are awaited."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.model import Experiment
from fairtrial.load.capacity import CapacityLoad, Objective
from fairtrial.load.closed import ClosedLoad
from fairtrial.load.fixed import FixedLoad
from fairtrial.load.open import OpenLoad

EXPERIMENT = 'name = "x"\ntitle = "x"\nworkload = "random-item"\nservice = "sqlite"\nstacks = ["a"]\n'


def read(folder: Path, load: str) -> Experiment:
    file = folder / "x.toml"
    file.write_text(f"{EXPERIMENT}[load]\n{load}\n")
    return read_toml(file, Experiment)


def test_an_open_load_may_say_it_and_zero_is_a_time(tmp_path: Path) -> None:
    load = read(tmp_path, 'kind = "open"\nrate_per_second = 5\ndrain_seconds = 0').load
    assert isinstance(load, OpenLoad) and load.drain_seconds == 0
    load = read(tmp_path, 'kind = "open"\nrate_per_second = 5').load
    assert isinstance(load, OpenLoad) and load.drain_seconds is None


def test_every_run_of_a_search_has_it() -> None:
    objective = Objective(name="soon", within_milliseconds=50)
    assert CapacityLoad(kind="capacity", objectives=[objective], drain_seconds=7).at_rate(10, 1).drain_seconds == 7
    assert CapacityLoad(kind="capacity", objectives=[objective]).at_rate(10, 1).drain_seconds is None


@pytest.mark.parametrize("load", ['kind = "closed"', "connections = 4", 'kind = "fixed"\nrequests = 100'])
def test_a_load_without_arrivals_owes_nothing(tmp_path: Path, load: str, snapshot: object) -> None:
    with pytest.raises(Problem) as caught:
        read(tmp_path, f"{load}\ndrain_seconds = 2.0")
    assert caught.value.reason == snapshot


@pytest.mark.parametrize("value", ["-0.1", "3600.1", '"2 s"', "inf", "nan"])
def test_it_is_seconds_up_to_an_hour(tmp_path: Path, value: str) -> None:
    with pytest.raises(Problem) as caught:
        read(tmp_path, f'kind = "open"\nrate_per_second = 5\ndrain_seconds = {value}')
    assert "load.drain_seconds: " in caught.value.reason


def test_records_of_closed_loads_read_back() -> None:
    for load in (ClosedLoad(), FixedLoad(kind="fixed", requests=100)):
        assert type(load).model_validate(load.model_dump()) == load
        assert type(load).model_validate_json(load.model_dump_json()) == load
    with pytest.raises(ValidationError, match="leave the key out"):
        ClosedLoad.model_validate({"drain_seconds": None})
