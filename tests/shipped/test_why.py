"""The shipped experiments with a `[why]`: each factor changes one thing alone, of one source and one build."""

import pytest

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.experiment.files import load_experiment, shipped_experiments
from fairtrial.plan.make import make_plan

ASKING = [name for name, file in shipped_experiments().items() if load_experiment(file).why is not None]


def test_there_are_some_over_several_stacks() -> None:
    whys = [load_experiment(shipped_experiments()[name]).why for name in ASKING]
    assert len({why.start.name for why in whys if why is not None}) >= 4


@pytest.mark.parametrize("name", ASKING)
def test_each_factor_changes_one_variable_one_setting_or_the_arguments(name: str) -> None:
    file = shipped_experiments()[name]
    experiment = load_experiment(file)
    why = experiment.why
    assert why is not None
    plan = make_plan(experiment, find_stacks(), file)
    by_label = {condition.label: condition for condition in plan.conditions}
    switched_ones = [by_label[str(why.condition(run))] for run in why.design.runs]
    assert len({condition.build_name for condition in switched_ones}) == 1, "one build"
    start = by_label[str(why.condition(frozenset()))]
    for factor in why.factors:
        switched = by_label[str(why.condition(frozenset([factor])))]
        before, after = start.variant.env, switched.variant.env
        changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
        has_arguments = start.variant.args != switched.variant.args
        assert len(changed) + (start.point.value != switched.point.value) + has_arguments == 1
        left = {"env": {}, "title": "", "args": []}
        assert switched.variant.model_copy(update=left) == start.variant.model_copy(update=left)
