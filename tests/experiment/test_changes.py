"""What `--quick`, `--blocks`, `--minutes`, `--slices` and `--no-slices` make of an experiment."""

from typing import Any

import pytest
from pydantic import ValidationError

from fairtrial.base.problem import Problem
from fairtrial.experiment.changes import QUICK_REQUESTS, with_settings
from fairtrial.experiment.files import load_experiment, shipped_experiments
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.slices import Slices
from fairtrial.load.fixed import FixedLoad


def fixed(requests: int, values: list[int], claims: list[dict[str, Any]]) -> Experiment:
    sweep = {"sweep": {"parameter": "load.requests", "values": values}} if values else {}
    return Experiment.model_validate(
        {
            "name": "x",
            "title": "x",
            "workload": "survey-insert",
            "stacks": ["a"],
            "blocks": 5,
            "load": {"kind": "fixed", "requests": requests},
            "claims": claims,
            **sweep,
        }
    )


def ratio(name: str, of: str, to: str) -> dict[str, Any]:
    return {"id": name, "kind": "ratio", "text": name, "of": of, "to": to, "at_least": 1.0}


def test_few_blocks_of_short_trials() -> None:
    experiment = Experiment.model_validate(
        {
            "name": "x",
            "title": "x",
            "workload": "plaintext",
            "stacks": ["a"],
            "blocks": 2,
            "load": {"kind": "closed", "warmup_seconds": 0.2, "duration_seconds": 30},
        }
    )
    shorter, left_out = with_settings(experiment, quick=True)
    assert (shorter.blocks, left_out) == (2, [])
    assert shorter.load.model_dump() == experiment.load.model_dump() | {"duration_seconds": 1.0}


def test_a_count_is_bounded_and_a_short_one_stays() -> None:
    for requests, tried in [(1_000_000, QUICK_REQUESTS), (500, 500)]:
        load = with_settings(fixed(requests, [], []), quick=True)[0].load
        assert isinstance(load, FixedLoad)
        assert load.requests == tried


def test_every_connection_has_a_request() -> None:
    at_once = fixed(50_000, [], []).model_dump()
    at_once["load"]["connections"] = 50_000
    load = with_settings(Experiment.model_validate(at_once), quick=True)[0].load
    assert isinstance(load, FixedLoad)
    assert load.requests == 50_000


def test_of_a_sweep_over_counts_the_lower_ones_are_tried_and_claims_about_others_left_out() -> None:
    claims = [ratio("kept", "a at 5000", "a at 1000"), ratio("dropped", "a at 100000", "a at 1000")]
    shorter, left_out = with_settings(fixed(1000, [1000, 5000, 100_000], claims), quick=True)
    assert [str(condition) for condition in shorter.condition_refs] == ["a at 1000", "a at 5000"]
    assert [claim.id for claim in shorter.claims] == ["kept"]
    assert left_out == ["dropped"]


def test_a_sweep_keeps_two_values_however_large() -> None:
    shorter, _ = with_settings(fixed(1000, [50_000, 100_000, 200_000], []), quick=True)
    assert [str(condition) for condition in shorter.condition_refs] == ["a at 50000", "a at 100000"]


def test_every_shipped_experiment_has_a_quick_form_with_a_claim() -> None:
    for file in shipped_experiments().values():
        experiment = load_experiment(file)
        if experiment.claims:
            assert with_settings(experiment, quick=True)[0].claims, file.name


def test_a_number_of_blocks_and_a_time_take_the_place_of_each_other(snapshot: object) -> None:
    within, fixed_number = (
        Experiment.model_validate(
            {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["a"], "load": {"kind": "closed"}} | keys
        )
        for keys in ({"minutes": 2}, {"blocks": 7})
    )
    for asked, settings, blocks, minutes in (
        (within, {"blocks": 4}, 4, None),
        (fixed_number, {"minutes": 3.0}, None, 3.0),
        (within, {"quick": True}, 3, None),
        (within, {"quick": True, "minutes": 1.0}, None, 1.0),
    ):
        changed, _ = with_settings(asked, **settings)
        assert (changed.blocks, changed.minutes) == (blocks, minutes)
    with pytest.raises(Problem) as error:
        with_settings(within, blocks=4, minutes=3.0)
    assert str(error.value) == snapshot
    with pytest.raises(ValidationError, match="blocks and minutes: "):
        Experiment.model_validate(within.model_dump() | {"blocks": 7})


def test_without_slices_those_of_the_file_are_left_out() -> None:
    sliced = Experiment.model_validate(
        {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["a"], "load": {"kind": "closed"}, "slices": {}}
    )
    assert with_settings(sliced)[0].slices is not None
    without = with_settings(sliced, slices=False)[0]
    assert without.slices is None and with_settings(without)[0].slices is None
    assert without.whole_windows and not with_settings(without, slices=True)[0].whole_windows


def test_with_slices_those_of_the_file_stay_and_others_have_a_whole_window_for_tails(snapshot: object) -> None:
    file = {"name": "x", "title": "x", "workload": "plaintext", "stacks": ["a"], "load": {"kind": "closed"}}
    own = Experiment.model_validate(file | {"slices": {"seconds": 0.2}})
    assert with_settings(own, slices=True)[0].slices == own.slices
    assert with_settings(Experiment.model_validate(file), slices=True)[0].slices == Slices(tails=True)
    searching = Experiment.model_validate(
        file
        | {
            "load": {
                "kind": "capacity",
                "objectives": [{"name": "interactive", "percentile": 99, "within_milliseconds": 50}],
            }
        }
    )
    with pytest.raises(Problem) as error:
        with_settings(searching, slices=True)
    assert str(error.value) == snapshot
