"""The files that balancers are started with, read back."""

import re

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.balancers import balancers, pick_balancer

BACKENDS = [9001, 9002, 9003]


@pytest.mark.parametrize("name", sorted(balancers()))
def test_every_backend_is_named_once_and_the_port_is_loopback_s(name: str) -> None:
    text = pick_balancer(name).configuration(8123, BACKENDS)
    addresses = re.findall(r"127\.0\.0\.1:(\d+)", text)
    assert sorted(map(int, addresses)) == [8123, *BACKENDS]
    assert not re.search(r"(?<!127\.0\.0\.1):(?:8123|900\d)", text), "nothing listens beyond loopback"
    assert text.count("{") == text.count("}"), text


@pytest.mark.parametrize("name", sorted(balancers()))
def test_it_runs_in_the_foreground_with_that_file_alone(name: str) -> None:
    command = pick_balancer(name).command("front.conf")
    assert command[0] == name
    assert command[-1] == "front.conf"


def test_only_what_there_is_can_be_picked() -> None:
    with pytest.raises(Problem, match="nginx"):
        pick_balancer("ngnix")
