"""`fairtrial run --cluster`: trials on lanes of a cluster, and one record of all of them."""

from tests.cluster.clusters import Processes
from tests.command_line import Lab
from tests.lab.lanes.conftest import Run


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
