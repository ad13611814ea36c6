"""Which conditions of a block in slices are up together, where it has more than can be up at once."""

import random
from collections import Counter
from itertools import chain, combinations
from typing import Any

from fairtrial.plan.groups import apart_claims, in_groups
from fairtrial.plan.plan import Plan
from tests.plan.plans import planned_contender

SEVEN = list("abcdefg")
RATIO = {"kind": "ratio", "text": "c", "metric": "goodput", "at_least": 1}


def drawn(blocks: int, names: list[str], compared: list[list[str]], most: int) -> list[list[list[str]]]:
    order, draw = random.Random(1), random.Random(2)
    return [in_groups(order.sample(names, len(names)), compared, most, draw) for _ in range(blocks)]


def planned_groups(claims: list[dict[str, Any]], names: list[str], **more: Any) -> Plan:
    contenders = {name: {"directory": ".", "command": ["true"]} for name in names}
    keys = {"slices": {"together": 3}, "claims": claims, "stacks": names, "contenders": contenders, "blocks": 20}
    return planned_contender({"directory": "."}, **(keys | more))


def groups_of(plan: Plan) -> list[set[str]]:
    groups: dict[tuple[int, int], set[str]] = {}
    for trial in plan.trials():
        groups.setdefault((trial.block, trial.group), set()).add(trial.condition.label)
    return list(groups.values())


def test_as_many_as_fit_are_one_group_in_their_order_and_nothing_is_drawn() -> None:
    draw = random.Random(1)
    assert in_groups(SEVEN, [["a", "b"]], 7, draw) == [SEVEN]
    assert draw.random() == random.Random(1).random()


def test_more_are_split_as_evenly_as_can_be_with_those_that_are_compared_together() -> None:
    compared = [["a", "e"], ["e", "g"]]
    for groups in drawn(100, SEVEN, compared, 4):
        assert sorted(chain.from_iterable(groups)) == SEVEN
        assert sorted(map(len, groups)) == [3, 4]
        assert any({"a", "e", "g"} <= set(group) for group in groups)


def test_the_others_and_the_order_of_groups_are_drawn_anew_for_each_block() -> None:
    blocks = drawn(2000, SEVEN, [["a", "b"]], 4)
    first = Counter(group for groups in blocks for group in groups[0])
    # a and b are in a group of four in about half of the blocks, and groups of either size come first equally often.
    assert all(0.45 < first[name] / len(blocks) < 0.62 for name in SEVEN)
    together = Counter(pair for groups in blocks for group in groups for pair in combinations(sorted(group), 2))
    others = [together[pair] for pair in combinations("cdefg", 2)]
    assert together["a", "b"] == len(blocks)
    assert min(others) > 0.8 * max(others)


def test_those_that_are_compared_and_fit_into_no_group_are_split_each_pair_as_often() -> None:
    blocks = drawn(2000, SEVEN, [SEVEN], 4)
    together = Counter(pair for groups in blocks for group in groups for pair in combinations(sorted(group), 2))
    assert {tuple(sorted(map(len, groups))) for groups in blocks} == {(3, 4)}
    # (3 + 6) of 21 pairs
    assert all(abs(together[pair] / len(blocks) - 9 / 21) < 0.06 for pair in combinations(SEVEN, 2))


def test_a_plan_has_what_a_claim_compares_in_one_group_and_names_claims_that_it_cannot() -> None:
    claims = [{"id": "pair", "of": "a", "to": "f", **RATIO}, {"id": "far", "of": "b", "to": "d", **RATIO}]
    plan = planned_groups(claims, list("abcdef"))
    assert {len(group) for group in groups_of(plan)} == {3}
    assert all(({"a", "f"} <= group) == ("a" in group) for group in groups_of(plan))
    assert apart_claims(plan) == []
    order = {"id": "order", "kind": "order", "text": "o", "order": list("abcd"), "metric": "goodput"}
    assert apart_claims(planned_groups([order, claims[0]], list("abcdef"))) == ["order", "pair"]


def test_the_pair_of_the_noise_floor_is_together() -> None:
    plan = planned_groups([], list("abcd"), noise_floor=True)
    assert all(({"a", "a again"} <= group) == ("a" in group) for group in groups_of(plan))


def test_of_a_sweep_those_are_together_that_claims_compare_or_else_all_at_one_value() -> None:
    sweep = {"parameter": "load.connections", "values": [1, 2, 4]}
    at_one_value = planned_groups([], list("ab"), sweep=sweep, slices={"together": 2})
    assert all(len({name.partition(" at ")[2] for name in group}) == 1 for group in groups_of(at_one_value))
    shape = {"id": "rises", "kind": "shape", "text": "s", "of": "a", "shape": "rises", "metric": "goodput"}
    along = planned_groups([shape], list("ab"), sweep=sweep)
    assert {"a at 1", "a at 2", "a at 4"} in groups_of(along) and apart_claims(along) == []
    assert apart_claims(planned_groups([shape], list("ab"), sweep=sweep, slices={"together": 2})) == ["rises"]


def test_without_slices_all_of_a_block_are_one_group() -> None:
    plan = planned_groups([], list("abcd"), slices=None)
    assert {len(group) for group in groups_of(plan)} == {4}
