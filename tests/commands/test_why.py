"""`fairtrial why`: a ratio of planted causes is divided, by real processes, and judged again from its record."""

import math
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.ab_test import along_commits, between_contenders
from fairtrial.experiment.factorial import evenly_spread
from fairtrial.experiment.files import load_experiment
from fairtrial.record.write import RecordWriter
from tests.builders import a_trial, trials_of
from tests.builders import an_experiment as a_synthetic_experiment
from tests.catalog.stacks.repositories import a_repository, git
from tests.command_line import Lab
from tests.lines import line_with

HELLO = Path(__file__).parents[1] / "fixtures" / "hello.py"

PLANTED = """
[why]
from = "app"
to = "other"
metric = "response_time_p50"
[why.factors.driver]
env = {{ TIMES_DRIVER = "0.5" }}
[why.factors.pool]
env = {{ TIMES_POOL = "0.8" }}
[contenders.app]
directory = "."
command = ["python3", "{hello}", "100"]
[contenders.other]
directory = "."
command = ["python3", "{hello}", "100"]
env = {{ TIMES_DRIVER = "0.5", TIMES_POOL = "0.8", TIMES_OTHER = "0.9" }}
"""
"""Each answer waits 100 ms times all these: 0.36 times as long. Of its logarithm the driver is 68%, the pool 22%, and
what is not explained 10%."""


def a_service(lab: Lab) -> None:
    """The fairtrial.toml of a service in the folder `shop`."""
    file = lab.experiment("app", workload="plaintext", service="none", data="", more=COMMITS)
    file.rename(lab.folder / "fairtrial.toml")


def an_experiment(lab: Lab, more: str, blocks: int = 3) -> Path:
    file = lab.experiment("app", blocks=blocks, workload="plaintext", service="none", seconds=0.8, data="", more=more)
    file.write_text(file.read_text().replace('stacks = ["app"]\n', ""))
    return file


@pytest.mark.measures
def test_planted_causes_are_found_with_their_shares(lab: Lab) -> None:
    file = an_experiment(lab, PLANTED.format(hello=HELLO))

    finished = lab.fairtrial("why", file)

    causes = finished.result["causes"]
    assert finished.status == 0, finished.out + finished.err
    assert causes["ratio"] == pytest.approx(0.36, rel=0.15)
    shares = {(part["kind"], *part["factors"]): part["share"] for part in causes["parts"]}
    assert shares == {
        ("factor", "driver"): pytest.approx(0.68, abs=0.08),
        ("factor", "pool"): pytest.approx(0.22, abs=0.08),
        ("pair", "driver", "pool"): pytest.approx(0, abs=0.08),
        ("not explained",): pytest.approx(0.10, abs=0.08),
    }
    conditions = [each["contender"] for each in finished.result["conditions"]]
    assert conditions == ["app", "app:with-pool", "app:with-driver", "app:with-driver-and-pool", "other"]
    answer = finished.out.partition("Response time p50 on other was ")[2]
    assert "times" in answer and "driver is " in answer and "not explained by what was switched" in answer

    assert finished.results is not None
    again = lab.fairtrial("why", finished.results)
    assert again.status == 0 and again.out.startswith("Response time p50 on other was ")
    assert "factors: driver (TIMES_DRIVER=0.5)" in again.out


STEPS = """
[why]
from = "app:v1"
steps = ["app:v2", "app:v3", "app:v4"]
to = "app:v5"
metric = "response_time_p50"
[contenders.app]
folder = "shop"
command = ["sh", "-c", "exec python3 hello.py $(cat milliseconds)"]
refs = ["v1", "v2", "v3", "v4", "v5"]
"""
COMMITS = """
[contenders.app]
folder = "shop"
command = ["sh", "-c", "exec python3 hello.py $(cat milliseconds)"]
[[claims]]
id = "not-of-this"
kind = "budget"
text = "It answers"
of = "app"
at_least = "1/s"
"""

WAITS = (40, 60, 60, 90, 140)
"""Milliseconds of each answer, by commit: the second, the fourth and the fifth make it slower, the third does not."""


@pytest.mark.measures
def test_the_commits_that_made_it_slower_are_found_with_their_shares(lab: Lab) -> None:
    shop = lab.folder / "shop"
    shop.mkdir()
    shutil.copy(HELLO, shop)
    texts = [{"milliseconds": str(wait), "notes": f"{place}"} for place, wait in enumerate(WAITS)]
    for place, commit in enumerate(a_repository(shop, *texts), start=1):
        git(shop, "tag", f"v{place}", commit)

    finished = lab.fairtrial("why", an_experiment(lab, STEPS))

    causes = finished.result["causes"]
    assert finished.status == 0, finished.out + finished.err
    parts = {part["factors"][0]: part for part in causes["parts"]}
    logs = [math.log(after / before) for before, after in pairwise(WAITS)]
    true = {f"app:v{place}": step / sum(logs) for place, step in enumerate(logs, start=2)}
    assert {name: part["share"] for name, part in parts.items()} == {
        name: pytest.approx(share, abs=0.06) for name, share in true.items()
    }
    intervals = {name: part["share_interval"] for name, part in parts.items()}
    # The server's own work is in each answer, so that the true shares are near these, and intervals may be narrow.
    assert all(low - 0.02 < true[name] < high + 0.02 for name, (low, high) in intervals.items()), intervals
    assert {name for name, (low, _) in intervals.items() if low > 0} == {"app:v2", "app:v4", "app:v5"}, intervals
    out = " ".join(finished.out.split())
    assert "app:v4 is " in out and "steps: app:v2 (from app:v1)" in out and "not explained" not in out


PACKAGES = """
[contenders.app]
folder = "shop"
command = ["sh", "-c", "exec python3 hello.py $(awk -F== '{ms += $2} END {print ms}' requirements.txt milliseconds)"]
"""
"""Each answer waits so many milliseconds as all versions are together."""


@pytest.mark.measures
def test_the_packages_of_one_commit_that_made_it_slower_are_found(lab: Lab) -> None:
    shop = lab.folder / "shop"
    shop.mkdir()
    shutil.copy(HELLO, shop)
    a_repository(
        shop,
        {"requirements.txt": "httptools==10\nuvicorn==5\n", "milliseconds": "own==5"},
        {"requirements.txt": "httptools==30\nuvicorn==25\n", "milliseconds": "own==35"},
    )
    file = lab.experiment("app", blocks=3, workload="plaintext", service="none", seconds=0.8, data="", more=PACKAGES)
    file.rename(lab.folder / "fairtrial.toml")

    finished = lab.fairtrial("why", "first", "HEAD")

    names = ["httptools 10 to 30", "uvicorn 5 to 25", "the rest (milliseconds)"]
    told = finished.err.splitlines()
    assert told[0] == "3 steps of what changed app between first and HEAD:" and told[3] == f"  HEAD: {names[2]}"
    parts = {part["factors"][0]: part["ratio"] for part in finished.result["causes"]["parts"]}
    assert parts == {
        name: pytest.approx(ratio, rel=0.35) for name, ratio in zip(names, (20 / 40, 40 / 60, 60 / 90), strict=True)
    }, finished.out
    assert finished.results is not None
    for out in (finished.out, lab.fairtrial("why", finished.results).out):
        text = " ".join(out.split())
        assert "steps: httptools 10 to 30 (app:" in text and "; the rest (milliseconds) (app:head from app:" in text
    assert git(shop, "status", "--porcelain") == "" and len(git(shop, "worktree", "list").splitlines()) == 1


def test_two_commits_stand_at_the_ends_of_those_between(lab: Lab) -> None:
    a_service(lab)
    experiment = along_commits(load_experiment(lab.folder / "fairtrial.toml"), "app", ["v1", "0123456789ab", "main"])
    why = experiment.why
    assert why is not None and (str(why.start), str(why.end)) == ("app:v1", "app:main")
    assert [str(each) for each in why.steps] == ["app:0123456789ab"] and experiment.claims == []
    assert experiment.contenders["app"].refs == ["v1", "0123456789ab", "main"]


def test_two_commits_with_none_between_are_compared_by_ab_test(lab: Lab) -> None:
    shop = lab.folder / "shop"
    commits = a_repository(shop, {"a": "1"}, {"a": "2"}, {"a": "3"})
    a_service(lab)
    finished = lab.fairtrial("why", "first", commits[1])
    assert finished.status == 2
    assert f"fairtrial ab-test first {commits[1]} " in finished.err
    turned = lab.fairtrial("why", commits[1], "first")
    assert turned.status == 2 and "first does not come from" in turned.err


def test_the_variables_in_which_two_contenders_differ_are_factors(lab: Lab, snapshot: object) -> None:
    file = an_experiment(
        lab, PLANTED.partition("[contenders")[1] + PLANTED.partition("[contenders")[2].format(hello=HELLO)
    )
    file.write_text(file.read_text().replace("title = ", 'stacks = ["app", "other"]\ntitle = ', 1))
    experiment = between_contenders(load_experiment(file), "app", "other")
    assert experiment.why is not None and {name: each.env for name, each in experiment.why.factors.items()} == {
        "times-driver": {"TIMES_DRIVER": "0.5"},
        "times-pool": {"TIMES_POOL": "0.8"},
        "times-other": {"TIMES_OTHER": "0.9"},
    }
    assert len(experiment.stacks) == 9 and experiment.claims == []
    with pytest.raises(Problem) as error:
        between_contenders(load_experiment(file), "other", "app")
    assert str(error.value) == snapshot


def test_parts_of_the_workload_are_switched_by_a_variant_and_by_requests_of_the_mix(lab: Lab) -> None:
    """By requests, their share of what is sent; by the variant, a wait that stands for a call of a database."""
    without = '[variants.without-database]\ntitle = "no database"\nenv = { TIMES_DATABASE = "0" }'
    run = ["python3", "hello.py", "20"]
    stack = lab.stack("app", server=HELLO, run=run, workload="plaintext", service="none", more=without)
    more = """
[why]
from = "app"
[why.factors.database]
variant = "without-database"
[why.factors.list]
setting = "requests"
values = ["all", "without-list"]
[workload.requests.item]
get = "/plaintext"
[workload.requests.list]
get = "/health"
"""
    file = an_experiment(lab, more, blocks=1)
    file.write_text(file.read_text().replace('workload = "plaintext"\n', ""))

    finished = lab.fairtrial("why", file, *lab.named())

    conditions = {each["contender"]: each for each in finished.result["conditions"]}
    assert set(conditions) == {
        f"{stack}{variant} at {requests}" for variant in ("", ":with-database") for requests in ("all", "without-list")
    }
    assert finished.result["causes"]["factors"] == {
        "database": "variant without-database",
        "list": "requests all to without-list",
    }
    for name, condition in conditions.items():
        (trial,) = condition["trials"]
        assert trial["outcome"] == "valid", finished.out
        sent = [each["name"] for each in condition["requests"]]
        assert sent == ([] if "without-list" in name else ["item", "list"]), "of one alone there are no figures apart"
        assert (trial["response_time"]["p50_seconds"] < 0.02) == ("with-database" in name), name


def test_of_many_commits_some_are_tried() -> None:
    commits = [str(place) for place in range(100)]
    assert evenly_spread(commits, 9) == ["10", "20", "30", "40", "50", "60", "70", "80", "90"]
    assert evenly_spread(commits[:10], 9) == commits[1:10] and evenly_spread(commits[:9], 9) == commits[:9]


def test_an_experiment_without_why_is_refused(lab: Lab) -> None:
    finished = lab.fairtrial("why", lab.experiment("app"))
    assert finished.status == 2 and "it has no [why]" in finished.err and "docs/why.md" in finished.err


def test_a_contender_of_several_commits_without_one_is_refused_before_anything_is_run(
    lab: Lab, snapshot: object
) -> None:
    more = """
[why]
from = "app"
factors.commit.variant = "feature"
[contenders.app]
folder = "."
command = ["app"]
refs = ["main", "feature"]
"""
    finished = lab.fairtrial("why", an_experiment(lab, more))
    assert finished.status == 2
    assert line_with(finished.err, "[why] needs app:") == snapshot
    assert "app:main" in finished.err and finished.results is None


def test_a_part_of_its_stacks_is_refused_before_anything_is_run(lab: Lab) -> None:
    finished = lab.fairtrial("why", an_experiment(lab, PLANTED.format(hello=HELLO)), "--stack", "app")
    assert finished.status == 2 and "leave --stack out" in finished.err and finished.results is None


def test_options_of_a_run_mean_nothing_to_a_results_folder(lab: Lab, snapshot: object) -> None:
    record = a_synthetic_experiment("a", "b").record()
    folder = lab.folder / "run"
    folder.mkdir()
    with RecordWriter(folder) as writer:
        for line in (record, *trials_of(record, a_trial())):
            writer.append(line)
    finished = lab.fairtrial("why", folder, "--blocks", "9", "--stack", "a", "--verbose")
    assert finished.status == 2
    assert line_with(finished.err, "--blocks, --stack: of") == snapshot
    assert "were tried" in lab.fairtrial("why", folder, "--verbose").err, "the near miss: it is judged"


def test_factors_that_cannot_be_switched_apart_are_refused_before_anything_is_run(lab: Lab) -> None:
    more = PLANTED.format(hello=HELLO).replace('TIMES_POOL = "0.8" }\n[cont', 'TIMES_DRIVER = "0.8" }\n[cont')
    finished = lab.fairtrial("why", an_experiment(lab, more))
    assert finished.status == 2 and "cannot be switched apart" in finished.err and finished.results is None


def test_a_file_that_proposes_factors_is_written_once(lab: Lab, snapshot: object) -> None:
    finished = lab.fairtrial("why", "python-fastapi", "python-flask")
    file = lab.folder / "why-python-fastapi-python-flask.toml"
    assert finished.status == 0, finished.err
    assert finished.out.splitlines() == snapshot
    file.write_text("mine")
    again = lab.fairtrial("why", "python-fastapi", "python-flask")
    assert again.status == 2 and "it is there already" in again.err and file.read_text() == "mine"


def test_a_proposal_runs_nothing(lab: Lab, snapshot: object) -> None:
    finished = lab.fairtrial("why", "python-fastapi", "python-flask", "--blocks", "3", "--json", "a.json")
    assert finished.status == 2
    assert line_with(finished.err, "--blocks, --json: a") == snapshot
