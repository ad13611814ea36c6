"""`fairtrial run --cluster`: trials on lanes of a cluster, and one record of all of them."""

from pathlib import Path

import pytest

from tests.cluster.clusters import Processes
from tests.command_line import Lab
from tests.lab.lanes.conftest import Run, cluster


def test_a_run_on_one_lane(lab: Lab, lane: Processes, run_on: Run) -> None:
    finished = run_on(lane, lab.stack("one"), lab.stack("two"), blocks=2)
    assert finished.status == 0, finished.err + finished.out
    first, *trials = finished.record
    assert [trial["index"] for trial in trials] == [1, 2, 3, 4]
    assert {trial["lane"] for trial in trials} == {1}
    assert all(trial["engine"]["verified"] > 0 and trial["failure"] is None for trial in trials)
    (its,) = first["lanes"]
    assert [host["roles"] for host in its["hosts"]] == [["server"], ["load"]]
    assert its["calibrations"] == first["calibrations"] != []
    assert "lane 1: server on" in finished.out


def test_blocks_stay_on_their_lane(
    lab: Lab, run_on: Run, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    roles = ("server=1", "server=1", "load=1", "load=1")
    with cluster(tmp_path_factory.mktemp("lanes"), cache, *roles) as processes:
        planned = lab.fairtrial("cluster", "plan", "--cluster", processes.address)
        finished = run_on(processes, lab.stack("one"), lab.stack("two"), blocks=4)
    assert planned.status == 0 and planned.out.startswith("2 lanes of 2 hosts")
    assert finished.status == 0, finished.err + finished.out
    first, *trials = finished.record
    assert [each["number"] for each in first["lanes"]] == [1, 2]
    by_block = {block: {trial["lane"] for trial in trials if trial["block"] == block} for block in range(1, 5)}
    assert all(len(lanes) == 1 for lanes in by_block.values())
    assert set().union(*by_block.values()) == {1, 2}
    assert sorted(trial["index"] for trial in trials) == list(range(1, 9))
    assert "lanes 1, 2 share a machine" in finished.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--lanes", "2"), "--lanes is about a cluster"),
        (("--unencrypted",), "--unencrypted is about a cluster"),
        (("--cluster", "tcp://127.0.0.1:1"), "no scheduler can be reached"),
        (("--cluster", "tcp://192.0.2.1:1"), "unencrypted"),
        (("--cluster", "tcp://127.0.0.1:1", "--profile"), "exclude each other"),
    ],
)
def test_what_is_refused_before_anything_starts(lab: Lab, arguments: tuple[str, ...], words: str) -> None:
    finished = lab.fairtrial("run", lab.experiment("one"), *lab.named(lab.stack("one")), *arguments)
    assert finished.status in (2, 4) and words in " ".join(finished.err.split())
    assert finished.results is None
