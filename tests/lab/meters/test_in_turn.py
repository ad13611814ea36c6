"""Meters of several windows as one."""

import pytest

from fairtrial.lab.meters.in_turn import machine_in_turn, network_in_turn, server_in_turn
from tests.builders import a_trial
from tests.builders.figures import calm_machine, calm_network


def test_meters_are_added_and_memory_is_that_of_the_tightest_moment() -> None:
    tight = calm_machine(0.4).model_copy(update={"memory_available_bytes": 2**20, "thermal_throttles": None})
    machine = machine_in_turn([tight, calm_machine(0.6)])
    assert machine.window_seconds == pytest.approx(1.0)
    assert machine.busy_seconds([0]) == pytest.approx(0.95)
    assert machine.own_server_cpu_seconds == pytest.approx(0.95)
    assert (machine.memory_available_bytes, machine.thermal_throttles) == (2**20, None)
    network = network_in_turn([calm_network(), calm_network()])
    assert (network.sent_segments, network.local_ports) == (100_000, 28_232)


def test_a_servers_memory_is_the_most_of_any_window() -> None:
    meters = [trial.record().server for trial in (a_trial().but(rss=5 << 20), a_trial().but(rss=3 << 20))]
    server = server_in_turn([meter for meter in meters if meter is not None])
    assert server.peak_rss_bytes == 5 << 20
    assert (server.window_seconds, server.cpu_seconds) == (pytest.approx(6.0), pytest.approx(2 * 0.95 * 3))
