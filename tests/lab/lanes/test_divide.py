"""Workers become lanes: the same ones always the same, all with as many hosts."""

import pytest

from fairtrial.base.problem import Problem
from fairtrial.lab.lanes.divide import Worker, divide


def workers(text: str) -> list[Worker]:
    """`s1 l2 b3`: a server on machine 1, a load on 2, both on 3. The number in the address is the place."""
    roles = {
        "s": ("server",),
        "l": ("load",),
        "b": ("server", "load"),
        "d": ("service",),
        "f": ("balancer",),
        "m": ("service", "balancer"),
    }
    return [
        Worker(f"tcp://10.0.0.{place}:1000", roles[word[0]], word[1:]) for place, word in enumerate(text.split(), 1)
    ]


def lanes(text: str, most: int | None = None, load_hosts: int = 1) -> list[str]:
    division = divide(workers(text), most, load_hosts)
    return [" ".join(worker.address[13:-5] for worker in lane.workers) for lane in division.lanes]


def test_each_server_gets_a_load() -> None:
    assert lanes("s1 l2") == ["1 2"]
    assert lanes("s1 s2 l3 l4") == ["1 3", "2 4"]
    assert lanes("s1 s2 s3 l4 l5") == ["1 4", "2 5"]
    assert lanes("s1 s2 l3 l4 l5") == ["1 3", "2 4"]


def test_those_that_are_left_are_named() -> None:
    assert [worker.address for worker in divide(workers("s1 s2 l3 d4 d5")).unused] == [
        "tcp://10.0.0.2:1000",
        "tcp://10.0.0.5:1000",
    ]


def test_load_comes_from_another_machine_where_there_is_one() -> None:
    assert lanes("s1 s2 l1 l2") == ["1 4", "2 3"]


def test_a_worker_with_both_roles_is_a_lane_unless_there_are_hosts_for_load() -> None:
    assert lanes("b1 b2") == ["1", "2"]
    assert lanes("b1 b2 l3") == ["1 3"]


def test_addresses_are_ordered_by_their_numbers() -> None:
    assert lanes("s1 " * 11 + "l2 " * 11)[1] == "2 13"


def test_so_many_as_are_wanted() -> None:
    assert lanes("s1 s2 l3 l4", most=1) == ["1 3"]


def test_the_order_of_registration_does_not_matter() -> None:
    given = workers("s1 s2 l3 l4 l5 l6")
    assert divide(given) == divide(given[::-1])


@pytest.mark.parametrize("text", ["", "s1", "l1 l2", "s1 d2"])
def test_without_server_or_load_there_is_no_lane(text: str) -> None:
    with pytest.raises(Problem, match="no lane can be made") as refused:
        lanes(text)
    assert "--resources" in refused.value.remedy


def test_each_server_gets_as_many_loads() -> None:
    assert lanes("s1 s2 l3 l4 l5 l6", load_hosts=2) == ["1 3 4", "2 5 6"]
    assert lanes("s1 s2 l3 l4 l5", load_hosts=2) == ["1 3 4"]
    assert lanes("s1 s2 l3 l4 l5 l6", most=1, load_hosts=3) == ["1 3 4 5"]


def test_loads_are_all_on_the_servers_machine_or_none_is() -> None:
    assert lanes("s1 l1 l2 l3", load_hosts=2) == ["1 3 4"]
    assert lanes("s1 l1 l1 l2", load_hosts=2) == ["1 2 3"]
    assert lanes("s1 s2 l1 l1 l3", load_hosts=2) == ["2 3 4"]


@pytest.mark.parametrize("text", ["s1 l2", "b1 b2 b3", "s1 l1 l2"])
def test_with_too_few_loads_there_is_no_lane(text: str) -> None:
    with pytest.raises(Problem, match="2 with the role load alone") as refused:
        lanes(text, load_hosts=2)
    assert "--load-hosts" in refused.value.remedy


def test_each_lane_gets_a_host_of_services_where_there_are_any() -> None:
    assert lanes("s1 l2 d3") == ["1 2 3"]
    assert lanes("s1 s2 l3 l4 d5 d6") == ["1 3 5", "2 4 6"]
    assert lanes("b1 d2") == ["1 2"]
    # All lanes alike: with one host of services there is one lane.
    assert lanes("s1 s2 l3 l4 d5") == ["1 3 5"]
    assert lanes("s1 l2 l3 d4", load_hosts=2) == ["1 2 3 4"]


def test_services_are_on_a_machine_of_their_own_where_there_is_one() -> None:
    assert lanes("s1 l2 d1 d3") == ["1 2 4"]
    assert lanes("s1 l2 d2") == ["1 2 3"]


def test_where_nothing_is_to_be_brought_up_no_host_is_used_for_it() -> None:
    division = divide(workers("s1 s2 l3 l4 d5"), separate=["balancer"])
    assert [lane.separate for lane in division.lanes] == [{}, {}]
    assert [worker.address for worker in division.unused] == ["tcp://10.0.0.5:1000"]


def test_a_balancer_has_a_host_as_services_have_or_shares_theirs() -> None:
    assert lanes("s1 l2 d3 f4") == ["1 2 3 4"]
    assert lanes("s1 l2 m3") == ["1 2 3"]
    assert lanes("s1 s2 l3 l4 m5 m6") == ["1 3 5", "2 4 6"]
    (lane,) = divide(workers("s1 l2 m3")).lanes
    assert lane.separate["service"] is lane.separate["balancer"]
    (lane,) = divide(workers("s1 l2 m3 f4"), separate=["service"]).lanes
    assert set(lane.separate) == {"service"}


def test_lanes_that_are_left_count_from_one() -> None:
    assert [lane.number for lane in divide(workers("s1 s2 l3 l4 d5")).lanes] == [1]
