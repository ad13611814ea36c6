"""Broken files and unknown names: the message names the file, the key, what was found and what is allowed."""

import pytest

from tests.called_here import Call
from tests.command_line import Lab

BROKEN = {
    "not TOML": ('name = "x', ["tried.toml", "not valid TOML"]),
    "an unknown key": ("bloks = 3", ["tried.toml", "bloks", "did you mean blocks", "claims"]),
    "an unknown key below": ("[dataset]\nrow = 3", ["dataset.row", "did you mean rows"]),
    "a number out of range": ("blocks = 0", ["tried.toml: blocks", "at least 1", "found 0"]),
    "an unknown key of the load": (
        "[load]\nkeepalive = true",
        ["tried.toml: load.keepalive", "did you mean keep_alive"],
    ),
    "a wrong type": ('blocks = "many"', ["blocks", "found 'many'"]),
    "a port for every stack": ('[env]\nPORT = "1"', ["tried.toml: env: PORT is set by the lab", "leave it out"]),
    "a missing key": ("", ["tried.toml: load", "missing"]),
    "an unknown workload": (
        "LOAD",
        ["tried.toml", "there is no workload 'nope'", "nearest of", "fairtrial list workloads"],
    ),
}

MINIMAL = 'name = "tried"\ntitle = "A test"\nworkload = "{workload}"\nservice = "sqlite"\nstacks = ["python-threads"]\n'


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_experiment(lab: Lab, call: Call, case: str) -> None:
    more, expected = BROKEN[case]
    workload = "nope" if more == "LOAD" else "random-item"
    text = MINIMAL.format(workload=workload) + more.replace("LOAD", "[load]\n")
    if "[load]" not in text and case != "a missing key":
        text += "\n[load]\n"
    path = lab.folder / "tried.toml"
    path.write_text(text)

    finished = call("run", path)

    assert finished.status == 2
    for words in expected:
        assert words in finished.err
    assert "Traceback" not in finished.err
    assert finished.results is None


def test_a_title_that_no_table_has_room_for(lab: Lab, call: Call) -> None:
    path = lab.folder / "tried.toml"
    path.write_text(MINIMAL.format(workload="random-item").replace("A test", "A" * 100_000) + "[load]\n")
    finished = call("run", path)
    assert finished.status == 2
    assert "tried.toml: title: " in finished.err
    assert len(finished.err) < 1000


def test_a_server_of_ones_own_whose_url_is_not_set_is_missed_before_anything_runs(
    lab: Lab, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NOT_SET_BY_ANYBODY", raising=False)
    text = MINIMAL.format(workload="random-item").replace("sqlite", "postgresql").replace("python-threads", "node-http")
    path = lab.folder / "tried.toml"
    path.write_text(text + '[load]\n[services.postgresql]\nurl_from = "NOT_SET_BY_ANYBODY"\n')
    finished = call("run", path)
    assert finished.status == 2
    assert "[services.postgresql] url_from: the environment variable NOT_SET_BY_ANYBODY" in finished.err
    assert finished.results is None


CLAIM = '[[claims]]\nid = "x"\nkind = "ratio"\ntext = "x"\nof = "a"\nto = "b"\nat_least = 1.0\n'

INCONSISTENT = {
    'metric = "speed"': "there is no metric 'speed'",
    'to = "c"': "it tries: a, b",
    "at_least = -1.0": "at_least",
    "at_least = 2.0\nat_most = 1.0": "at_least is above at_most",
}


@pytest.mark.parametrize("change", INCONSISTENT)
def test_a_claim_that_makes_no_sense(lab: Lab, call: Call, change: str) -> None:
    key = change.partition(" ")[0]
    lines = [line for line in CLAIM.splitlines() if not line.startswith(f"{key} ")]
    path = lab.experiment(lab.stack("a"), lab.stack("b"), more="\n".join([*lines, change]))

    finished = call("run", path, "--stacks", lab.stacks)

    assert finished.status == 2
    assert INCONSISTENT[change] in finished.err


WRONG = {
    "an unknown stack": (["run", "--stack", "pyton-threads"], ["did you mean python-threads", "--stacks DIR"]),
    "an unknown variant": (["run", "--stack", "node-http:nope"], ["no variant 'nope'"]),
    "an unknown experiment": (["run", "nowhere.toml"], ["nowhere.toml", "fairtrial list experiments"]),
    "a similar experiment": (["run", "databasse"], ["neither a file nor a shipped one (did you mean databases?)\n"]),
    "a folder without stacks": (["run", "--stacks", "."], ["holds no stack", "stack.toml"]),
    "a folder that is not there": (["run", "--stacks", "nowhere"], ["nowhere"]),
    "an unknown option": (["run", "--blok", "3"], ["--blok"]),
    "zero blocks": (["run", "--blocks", "0"], ["--blocks"]),
    "a record that is not there": (["judge", "nowhere"], ["nowhere", "fairtrial run"]),
    "an unknown stack to check": (["check", "nope"], ["there is no stack 'nope'"]),
    "an unknown workload to check": (["check", "python-threads", "--workload", "nope"], ["does not name workload"]),
    "a workload file without a stack": (["check", "shop.workload.toml"], ["--workload shop.workload.toml"]),
    "no workload file to check on": (["check", "python-threads", "--workload", "no.toml"], ["no.toml: cannot be read"]),
    "an experiment beside a stack": (["check", "python-threads", "shop.toml"], ["shop.toml is checked by itself"]),
    "an experiment on another workload": (["check", "shop.toml", "--workload", "page"], ["--workload is for stacks"]),
    "a contender of no experiment": (["check", "python-threads", "--stack", "x"], ["--stack is for the contenders"]),
    "no experiment to check": (["check", "nowhere.toml"], ["there is no experiment 'nowhere.toml'"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_use(call: Call, case: str) -> None:
    arguments, expected = WRONG[case]

    finished = call(*arguments)

    assert finished.status == 2
    for words in expected:
        assert words in finished.err
    assert "Traceback" not in finished.err


def test_two_stacks_of_one_name(lab: Lab, call: Call) -> None:
    lab.stack("node-http")
    finished = call("run", "--stacks", lab.stacks)

    assert finished.status == 2
    assert "two stacks are named node-http" in finished.err


def test_a_broken_manifest(lab: Lab, call: Call) -> None:
    name = lab.stack("mine", more="colour = 3")
    finished = call("check", name, "--stacks", lab.stacks)

    assert finished.status == 2
    assert "mine/stack.toml: colour: unknown key" in finished.err
