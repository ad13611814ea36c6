"""Several instances of a stack behind a balancer."""

import pytest

from tests.command_line import Lab
from tests.machine.needs import needs


@pytest.mark.parametrize("balancer", [pytest.param(name, marks=needs(name)) for name in ("nginx", "haproxy")])
def test_requests_reach_every_instance(lab: Lab, balancer: str) -> None:
    name = lab.stack("mine")
    experiment = lab.experiment(name, seconds=1.0)
    text = experiment.read_text().replace("blocks =", f'instances = 3\nbalancer = "{balancer}"\nblocks =', 1)
    experiment.write_text(text)
    finished = lab.fairtrial("run", experiment, *lab.named(name))

    trial = finished.trial(name)
    assert trial["outcome"] == "valid", finished.out + finished.err
    assert trial["server"]["processes"] >= 4


def test_more_than_one_instance_needs_a_balancer(lab: Lab) -> None:
    name = lab.stack("mine")
    experiment = lab.experiment(name)
    experiment.write_text(experiment.read_text().replace("blocks =", "instances = 2\nblocks =", 1))
    finished = lab.fairtrial("run", experiment, *lab.named(name))

    assert finished.status == 2
    assert "balancer" in finished.err
