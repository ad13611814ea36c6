"""What strikes a process of a trial, at each of its stages: the trial says so, nothing is left, the others are tried.

docs/robustness.md has the whole table.
"""

from pathlib import Path

import pytest

from fairtrial.catalog.stacks.unprivileged_user import LABS, VARIABLE
from fairtrial.lab.trial import context
from fairtrial.lab.trial.context import awaited_fault
from tests.command_line import Finished, Lab
from tests.machine.needs import needs

SABOTEUR = Path(__file__).parents[2] / "fixtures" / "saboteur.py"

FAULTS = {
    ("guard", "SIGKILL", "start"): ("not run", "status -9 before it was ready"),
    ("guard", "SIGKILL", "load"): ("refused", "the guard above the stack was ended by SIGKILL"),
    ("guard", "SIGSTOP", "load"): ("valid", ""),
    ("engine", "SIGKILL", "load"): ("refused", "the load engine ended with status -9"),
    ("nobody", "FLOOD", "start"): ("valid", "was cut off"),
    ("nobody", "", ""): ("valid", ""),
}
"""By whom it strikes, how and when: the outcome, and words that say why."""

LOAD = """kind = "closed"
connections = 2
warmup_seconds = 0.1
warmup_limit_seconds = 0.1
duration_seconds = 0.3
timeout_seconds = 1.0"""


def name_of(fault: tuple[str, str, str]) -> str:
    return "-".join(["s", *fault]).lower().strip("-")


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    """A run with a stack for each fault."""
    names = [
        shared_lab.stack(
            name_of(fault),
            run=["python3", "saboteur.py", *fault],
            server=SABOTEUR,
            workload="plaintext",
            service="none",
        )
        for fault in FAULTS
    ]
    experiment = shared_lab.experiment(*names, workload="plaintext", service="none", load=LOAD, data="")
    # Whatever else the machine does: what is tested is that trials come to an end.
    text = experiment.read_text().replace("share = 3.0", "share = 1000")
    experiment.write_text(text)
    # A user of its own may strike nobody but itself.
    shared_lab.environment[VARIABLE] = LABS
    return shared_lab.fairtrial("run", experiment, *shared_lab.named(*names))


@pytest.mark.parametrize("fault", FAULTS, ids=name_of)
def test_the_trial_says_what_happened(finished: Finished, fault: tuple[str, str, str]) -> None:
    outcome, words = FAULTS[fault]
    condition = next(one for one in finished.result["conditions"] if one["stack"] == name_of(fault))
    trial = condition["trials"][0]
    said = f"{trial['reason']} {trial['findings']}"
    assert (trial["outcome"], words in said) == (outcome, True), said


def test_the_run_comes_to_its_end(finished: Finished) -> None:
    assert finished.status == 3, finished.err
    assert "Traceback" not in finished.err
    assert len(finished.record) == 1 + len(FAULTS)


@needs("nginx")
def test_a_balancer_that_dies_in_the_contract_is_no_fault_of_the_stack(lab: Lab) -> None:
    """Nothing answers any more, and every clause is broken."""
    run = ["python3", "saboteur.py", "balancer", "SIGKILL", "contract"]
    name = lab.stack("before-nginx", run=run, server=SABOTEUR, workload="plaintext", service="none")
    experiment = lab.experiment(name, workload="plaintext", service="none", load=LOAD, data="")
    text = experiment.read_text()
    experiment.write_text(text.replace("blocks =", 'balancer = "nginx"\nblocks =', 1))
    lab.environment[VARIABLE] = LABS
    finished = lab.fairtrial("run", experiment, *lab.named(name))
    trial = finished.trial(name)
    assert (trial["outcome"], "nginx was killed by signal 9" in trial["reason"]) == ("not run", True), trial


def test_a_server_is_given_the_moment_in_which_its_end_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context, "FAULT_WITHIN_SECONDS", 0.1)
    told = iter([None, None, "it died"])
    assert awaited_fault(lambda: next(told)) == "it died"
    assert awaited_fault(lambda: None) is None
