"""What goes with the difference between machines, and what goes with nothing."""

import numpy as np

from fairtrial.tools.pool.explain import explanations


def machines(**properties: str) -> list[dict[str, str]]:
    """A machine for each letter of the properties, all of one length."""
    return [dict(zip(properties, values, strict=True)) for values in zip(*properties.values(), strict=True)]


def test_the_property_that_splits_them_is_named_with_its_groups() -> None:
    values = np.log([1.30, 1.05, 1.31, 1.04, 1.29, 1.06, 1.32, 1.05, 1.30, 1.05])
    (found,) = explanations(values, machines(processor="xyxyxyxyxy", kernel="aabbaabbaa", driver="1212121212"))
    assert found.properties == ["processor", "driver"], "they split alike: which of them it is, nobody can tell"
    assert [(each.value, each.machines, round(each.estimate, 2)) for each in found.groups] == [
        ("x", 5, 1.3),
        ("y", 5, 1.05),
    ]


def test_few_machines_or_groups_of_one_explain_nothing() -> None:
    values = np.log([1.3, 1.0, 1.0, 1.01])
    assert explanations(values, machines(processor="xyyy")) == []
    assert explanations(values, machines(processor="xxyy")) == [], "of six deals, none is rare"
    assert explanations(values, machines(processor="wxyz")) == []


def test_machines_that_differ_by_chance_are_seldom_explained() -> None:
    """Of 100 pools with three splits each at 5% together, more than 12 once in a thousand (binomial)."""
    drawn = np.random.default_rng(5)
    found = 0
    for _ in range(100):
        properties = machines(**{name: "".join(drawn.choice(list("xy"), 8)) for name in ("a", "b", "c")})
        found += bool(explanations(drawn.standard_normal(8), properties))
    assert found <= 12
