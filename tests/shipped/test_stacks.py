"""Every shipped stack, built from a clean copy and held against its contract."""

import pytest

from fairtrial.locations import shipped
from fairtrial.stacks.find import find_stacks
from tests.lab import Lab
from tests.services.needed import needs

STACKS = find_stacks()
CONTENDERS = [
    pytest.param(
        name if variant == "default" else f"{name}:{variant}", marks=[needs(service) for service in stack.services]
    )
    for name, stack in STACKS.items()
    for variant in ["default", *sorted(stack.variants.keys() - {"default"})]
]


@pytest.mark.parametrize("contender", CONTENDERS)
def test_a_shipped_stack_keeps_its_contract(lab: Lab, contender: str) -> None:
    finished = lab.fairtrial("check", contender, timeout_seconds=900)

    assert finished.status == 0, finished.out + finished.err
    assert "✗" not in finished.out


@pytest.mark.parametrize("name", STACKS)
def test_a_shipped_stack_explains_itself(name: str) -> None:
    readme = (shipped("stacks") / name / "README.md").read_text()
    assert len(readme) > 400
    assert STACKS[name].requires, "what it needs is told, with a remedy"
