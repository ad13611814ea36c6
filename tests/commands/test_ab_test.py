"""Two commits of a service: the slower one is found, and what the exit status says."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.commands.ab_test import _refs, _share, _status, ab_test
from fairtrial.experiment.ab_test import DECIDES
from fairtrial.experiment.contenders import WORKING_TREE
from fairtrial.experiment.model import Experiment
from fairtrial.experiment.slices import Slices
from fairtrial.judge.judging import judge
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.catalog.stacks.repositories import a_repository, git
from tests.command_line import Lab
from tests.lines import passage

HELLO = Path(__file__).parents[1] / "fixtures" / "hello.py"

APP = """
[contenders.app]
folder = "."
command = ["sh", "-c", "exec python3 hello.py $(cat milliseconds)"]
"""

IN_SLICES = """
[slices]
seconds = 0.1
server_share = 1.0                         # whoever else works on this machine
engine_share = 1.0
tails = true
"""

SWEEPING = """
name = "swept"
title = "A sweep"
workload = "plaintext"
stacks = ["app"]
[load]
kind = "fixed"
requests = 100
[sweep]
parameter = "load.requests"
values = [100, 200]
[contenders.app]
folder = "."
command = ["python3", "hello.py"]
"""

REFERENCED = """
name = "referenced"
title = "Equal answers"
stacks = ["app"]
reference = "app"
[load]
[workload.requests.look]
get = "/"
[workload.reference]
volatile = ["/at"]
[contenders.app]
folder = "."
command = ["python3", "hello.py"]
"""

PROJECT_CLAIM = """
[[claims]]
id = "mine"
kind = "budget"
text = "mine"
of = "app"
metric = "errors"
at_most = "1%"
"""


def test_a_commit_that_is_slower_is_found(lab: Lab, snapshot: object) -> None:
    """The second commit waits 30 ms in every answer. A margin of 99% allows even that."""
    shop = lab.folder / "shop"
    shop.mkdir()
    shutil.copy(HELLO, shop)
    old, new = a_repository(shop, {"milliseconds": "0"}, {"milliseconds": "30"})
    file = lab.experiment(
        "app", blocks=3, workload="plaintext", service="none", seconds=0.2, more=APP + PROJECT_CLAIM + IN_SLICES
    )
    file = file.rename(shop / "fairtrial.toml")

    finished = lab.fairtrial("ab-test", "first..HEAD", "--file", file, "--markdown", "pull-request.md")

    assert finished.status == 1, finished.out + finished.err
    result = finished.result
    assert [condition["outcome"] for condition in result["conditions"]] == ["valid", "valid"]
    assert [(each["built_apart"], each["commit"]) for each in result["stacks"]] == [("first", old), ("head", new)]
    verdicts = {claim["id"]: claim["verdict"] for claim in result["claims"]}
    assert verdicts.keys() == {DECIDES, "cpu-per-request"}
    assert verdicts[DECIDES] == "refuted"
    answer = finished.out.partition("app: HEAD is slower than first by more than 5%\n")[2]
    assert "goodput: app:first " in answer and "refuted  not-slower  " in answer and "--profile" in answer
    assert len(answer.splitlines()) < 12, answer  # of which three are warnings where others work
    assert "claims mine: about something" in finished.out
    summary = (lab.folder / "pull-request.md").read_text()
    assert "## app: HEAD against first" in summary
    assert passage(summary, "HEAD is not", "5%") == snapshot
    assert git(shop, "worktree", "list").count("\n") == 0
    assert [len(set(block)) for block in finished.record[0]["order"]] == [2] * 4
    assert [trial["block"] for trial in finished.record[1:]] == [1, 1, 2, 2, 3, 3], "one of the blocks is spare"
    assert_in_slices(finished.record[1:])


def assert_in_slices(trials: list[dict[str, Any]]) -> None:
    """Both are measured in each of three rounds of a block, in an order that is drawn; a trial is the sum of them."""
    for block in (1, 2, 3):
        both = [trial["slices"]["slices"] for trial in trials if trial["block"] == block]
        assert [[each["round"] for each in slices] for slices in both] == [[1, 2, 3]] * 2
        assert all({one["place"], other["place"]} == {1, 2} for one, other in zip(*both, strict=True))
    assert {each["place"] for trial in trials for each in trial["slices"]["slices"]} == {1, 2}
    for trial in trials:
        slices, engine = trial["slices"]["slices"], trial["engine"]
        assert engine["verified"] == sum(each["verified"] for each in slices) > 0
        assert engine["response_time"]["count"] == engine["answers"]
        assert engine["window_seconds"] == pytest.approx(sum(each["window_seconds"] for each in slices))
        assert trial["server"]["peak_rss_bytes"] > 1 << 20
        assert trial["slices"]["idle_seconds"] > 0.5
        whole = trial["slices"]["whole_window"]
        assert whole["is_kept"] and whole["engine"]["window_seconds"] == pytest.approx(0.3, rel=0.2)
        assert whole["engine"]["verified"] > 0


@pytest.mark.parametrize(("slower", "cheaper", "status"), [(100, 2, 1), (1, 0.01, 0), (1.5, 1, 3)])
def test_the_exit_status_is_that_of_the_claim_that_decides(slower: float, cheaper: float, status: int) -> None:
    """`slower` is held against about 2, and the other claim does not count."""
    of_both = an_experiment("a", "b").claiming("a", "b", at_least=slower, id=DECIDES)
    record = of_both.claiming("a", "b", at_most=cheaper, id="cpu-per-request").record()
    scatter = 1.0 if status != 3 else 0.1

    def trial(contender: str, block: int) -> TrialBuilder:
        rate = 2000.0 if contender == "a" else 1000.0
        return a_trial().serving(rate * (scatter if block % 2 and contender == "a" else 1.0))

    assert _status(judge(record, trials_of(record, trial), interrupted=False)) == status


def asked_to_carry_out(
    file: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    after: str = "HEAD",
) -> tuple[list[Experiment], str]:
    """What `ab-test` would carry out of this experiment, and what it says before, without line breaks."""
    if not (folder / HELLO.name).exists():
        shutil.copy(HELLO, folder)
        a_repository(folder, {"milliseconds": "0"}, {"milliseconds": "1"})
    (folder / "fairtrial.toml").write_text(file)
    monkeypatch.chdir(folder)
    seen: list[Experiment] = []

    def instead(_console: object, experiment: Experiment, *_: object, **__: object) -> None:
        seen.append(experiment)
        raise KeyboardInterrupt

    monkeypatch.setattr("fairtrial.commands.carry_out.carry_out", instead)
    with pytest.raises(KeyboardInterrupt):
        ab_test(before="first", after=after, file=Path("fairtrial.toml"))
    return seen, " ".join(capsys.readouterr().out.split())


def test_a_sweep_is_left_out_and_what_has_no_slices_is_tried_without_and_both_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen, said = asked_to_carry_out(SWEEPING, tmp_path, monkeypatch, capsys)
    assert "left out: the sweep over" in said
    assert "not in slices: a load" in said
    assert (seen[0].slices, seen[0].sweep) == (None, None)


def test_an_experiment_with_a_reference_is_tried_in_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answers of the second commit are compared with those of the first."""
    (paired,), said = asked_to_carry_out(REFERENCED, tmp_path, monkeypatch, capsys)
    assert "one after the other" not in said
    assert (paired.slices, str(paired.reference)) == (Slices(gives_way=True), "app:first")
    assert paired.workload_name == "referenced.toml" and not isinstance(paired.workload, str)


def test_a_file_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Problem) as problem:
        ab_test()
    assert str(problem.value) == snapshot
    assert "`fairtrial init`" in problem.value.remedy


def test_a_service_on_a_fixed_port_is_tried_one_after_the_other_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = REFERENCED.replace('reference = "app"\n', "")
    (paired,), said = asked_to_carry_out(f"{file}port = 8080\n", tmp_path, monkeypatch, capsys)
    assert paired.slices is None
    assert "not in slices: two always" in said


def test_files_that_git_does_not_know_are_left_out_of_the_working_tree_and_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], snapshot: object
) -> None:
    for after, is_told in (("HEAD", False), (WORKING_TREE, True), ("HEAD", False)):
        (tmp_path / "results").mkdir(exist_ok=True)
        (tmp_path / "results" / "report.html").touch()
        _, said = asked_to_carry_out(REFERENCED, tmp_path, monkeypatch, capsys, after)
        assert ("left out, as git" in said) == is_told
        if is_told:
            assert passage(said, "left out, as git", "in)") == snapshot
        (tmp_path / "helper.py").touch()
        (tmp_path / "milliseconds").write_text("2")


def test_refs_are_named_in_two_ways() -> None:
    assert _refs(None, None) is None
    assert _refs("main", "HEAD") == _refs("main..HEAD", None) == ("main", "HEAD")
    for before in ("main", "main..", "..HEAD", "main...HEAD"):
        with pytest.raises(Problem, match="two refs are compared"):
            _refs(before, None)


def test_a_margin_is_a_share() -> None:
    assert _share("5%") == _share("0.05") == 0.05
    for text in ("5", "0", "-1%", "100%", "much", "nan"):
        with pytest.raises(Problem, match="not a share"):
            _share(text)
