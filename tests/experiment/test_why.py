"""The designs over factors, and the conditions that a `[why]` makes of an experiment."""

from itertools import combinations
from typing import Any

import pytest

from fairtrial.experiment.factorial import GENERATORS, make_design
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.sweep import at_value

TWO = {"pool": {"env": {"DB_POOL": "16"}}, "driver": {"variant": "other"}}


def an_experiment(why: dict[str, Any], **more: Any) -> Experiment:
    file = {"name": "x", "title": "x", "workload": "plaintext", "load": {"kind": "closed"}, "why": why}
    return Experiment.model_validate(file | more)


def names(experiment: Experiment) -> list[str]:
    return list(map(str, experiment.condition_refs))


def test_all_combinations_of_few_factors_are_tried() -> None:
    design = make_design(["a", "b", "c"])
    assert len(set(design.runs)) == 8 and design.is_full and design.resolution == "full"
    assert design.runs[0] == frozenset() and design.runs[-1] == {"a", "b", "c"}


@pytest.mark.parametrize("count", GENERATORS)
def test_in_a_fraction_no_effect_of_a_factor_is_an_alias_of_another_or_of_a_pair(count: int) -> None:
    design = make_design([f"f{place}" for place in range(count)])
    assert not design.is_full and len(set(design.runs)) == len(design.runs) in (16, 32)
    assert frozenset() in design.runs, "the start is tried"
    assert all(sum(design.levels(factor)) == 0 for factor in design.factors), "each as often switched as not"
    columns = [design.levels(factor) for factor in design.factors]
    pairs = [design.together(pair) for pair in combinations(design.factors, 2)]
    for column in columns:
        others = [*(other for other in columns if other is not column), *pairs]
        assert all(sum(x * y for x, y in zip(column, other, strict=True)) == 0 for other in others)


@pytest.mark.parametrize(("count", "resolution"), [(5, "V"), (6, "IV"), (7, "IV"), (8, "IV"), (10, "IV")])
def test_the_resolution_is_the_published_one(count: int, resolution: str) -> None:
    assert make_design([str(place) for place in range(count)]).resolution == resolution


def test_the_aliases_of_six_factors_are_the_published_ones() -> None:
    """E = ABC and F = BCD: AB is CE, AC is BE, AD is EF, AE is BC and DF, AF is DE, BD is CF, BF is CD."""
    groups = {tuple("".join(pair) for pair in group) for group in make_design("ABCDEF").aliases()}
    assert groups == {
        ("AB", "CE"), ("AC", "BE"), ("AD", "EF"), ("AE", "BC", "DF"), ("AF", "DE"), ("BD", "CF"), ("BF", "CD"),
    }  # fmt: skip


@pytest.mark.parametrize("count", [0, 11])
def test_a_design_that_nobody_published_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="1 to 10 factors"):
        make_design([str(place) for place in range(count)])


def test_every_combination_is_a_condition_and_so_is_the_end() -> None:
    experiment = an_experiment({"from": "a", "to": "b", "factors": TWO})
    assert names(experiment) == ["a", "a:with-driver", "a:with-pool", "a:with-pool-and-driver", "b"]
    assert (experiment.blocks, experiment.minutes) == (None, None), "as many as its shares need"
    assert Experiment.model_validate(experiment.model_dump()) == experiment, "it is read back as it was"
    assert Experiment.model_validate_json(experiment.model_dump_json()) == experiment


@pytest.mark.parametrize(
    ("keys", "profiled"),
    [
        ({"to": "b", "factors": TWO}, ["a", "a:with-driver", "a:with-pool", "b"]),
        ({"factors": TWO}, ["a", "a:with-driver", "a:with-pool", "a:with-pool-and-driver"]),
        ({"to": "b", "steps": ["c"]}, ["a", "c", "b"]),
    ],
)
def test_profilers_look_at_each_factor_by_itself(keys: dict[str, Any], profiled: list[str]) -> None:
    why = an_experiment({"from": "a", **keys}).why
    assert why is not None and sorted(set(map(str, why.profiled))) == sorted(profiled)


def test_without_an_end_it_is_the_start_with_every_factor_switched() -> None:
    why = an_experiment({"from": "a:slow@sqlite", "factors": TWO}).why
    assert why is not None
    assert (str(why.whole), why.switched_in(why.whole.stack)) == ("a:with-pool-and-driver@sqlite", ["pool", "driver"])
    assert why.switched_in(why.start) == []


def test_steps_lie_in_order_between_two_contenders() -> None:
    why = an_experiment({"from": "a:v1", "steps": ["a:v2", "b"], "to": "a:v3"}).why
    assert why is not None and list(map(str, why.conditions)) == ["a:v1", "a:v2", "b", "a:v3"]
    assert why.changes == {"a:v2": "from a:v1", "b": "from a:v2", "a:v3": "from b"}
    assert (str(why.whole), why.design.resolution) == ("a:v3", "in order")


def test_steps_have_the_names_that_titles_give_them() -> None:
    why = an_experiment({"from": "a:v1", "steps": ["a:v2"], "to": "b", "titles": {"a:v2": "pool 1 to 2"}}).why
    assert why is not None and why.changes == {"pool 1 to 2": "a:v2 from a:v1", "b": "from a:v2"}
    assert why.design.factors == ["pool 1 to 2", "b"] and list(map(str, why.conditions)) == ["a:v1", "a:v2", "b"]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"to": "b", "steps": ["c"], "titles": {"a": "x"}}, "each is of one of the steps"),
        ({"to": "b", "factors": TWO, "titles": {"b": "x"}}, "each is of one of the steps"),
        ({"to": "b", "steps": ["c"], "titles": {"c": "b"}}, "two steps have one title"),
        ({"to": "b", "steps": ["c"], "factors": TWO}, "and not both"),
        ({"steps": ["c"]}, "name both"),
        ({"to": "b", "steps": ["c", "c"]}, "each once"),
        ({"to": "b", "steps": ["b"]}, "each once"),
    ],
)
def test_steps_that_lead_nowhere_are_refused(keys: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        an_experiment({"from": "a", **keys})


def test_a_setting_is_swept_and_its_values_may_descend() -> None:
    rows = {"setting": "options.rows", "values": [20, 5]}
    experiment = an_experiment({"from": "a", "to": "b", "factors": {"rows": rows}}, blocks=3)
    assert names(experiment) == ["a at 5", "a at 20", "b at 5", "b at 20"]
    why = experiment.why
    assert why is not None and experiment.blocks == 3
    assert (str(why.condition(frozenset())), str(why.whole)) == ("a at 20", "b at 5")
    assert "why" not in at_value(experiment.model_dump(), "options.rows", 5)
    assert experiment.at(5).why is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"factors": {}}, "at least 1"),
        ({"factors": {"a": {}}}, "one of `variant`, `env` and `setting`"),
        ({"factors": {"a": {"variant": "x", "env": {"A": "1"}}}}, "one of `variant`, `env` and `setting`"),
        ({"factors": {"a": {"setting": "load.connections", "values": [1]}}}, "has two"),
        ({"factors": {"a": {"setting": "load.connections", "values": [1, 1]}}}, "which differ"),
        ({"factors": {"a": {"variant": "x", "values": [1, 2]}}}, "nothing else has values"),
        ({"factors": {"this-and-that": {"variant": "x"}}}, "choose another"),
        ({"factors": {"a": {"setting": "blocks", "values": [1, 2]}}}, "'blocks' cannot be switched: write load.KEY"),
        ({"to": "a"}, "it is `from` itself"),
    ],
)
def test_what_cannot_be_asked_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        an_experiment({"from": "a", "to": "b", "factors": TWO} | change)


def test_two_settings_or_one_among_many_factors_are_refused() -> None:
    setting = {"setting": "load.connections", "values": [1, 2]}
    with pytest.raises(ValueError, match="one can be swept"):
        an_experiment({"from": "a", "factors": {"a": setting, "b": setting}})
    many = {f"f{place}": {"env": {f"F{place}": "1"}} for place in range(4)}
    assert len(names(an_experiment({"from": "a", "factors": many}))) == 16
    with pytest.raises(ValueError, match="leave connections out"):
        an_experiment({"from": "a", "factors": many | {"connections": setting}})


def test_a_file_with_stacks_of_its_own_may_lack_conditions() -> None:
    experiment = an_experiment({"from": "a", "to": "b", "factors": TWO}, stacks=["a", "b", "a:with-pool"])
    assert experiment.why is not None
    assert experiment.why.not_among(experiment.condition_refs) == ["a:with-driver", "a:with-pool-and-driver"]
    whole = an_experiment({"from": "a", "to": "b", "factors": TWO})
    assert whole.why is not None and whole.why.not_among(whole.condition_refs) == []


def test_a_sweep_over_something_else_is_refused() -> None:
    sweep = {"parameter": "load.connections", "values": [1, 2]}
    with pytest.raises(ValueError, match="leave `sweep` out"):
        an_experiment({"from": "a", "factors": TWO}, sweep=sweep)
