"""A whole run with `--profile`: every trial and every figure is as without, and the block is beside them."""

import json
import sys

import pytest

from fairtrial.base.problem import Problem
from fairtrial.judge.judging import judge_record
from fairtrial.lab.profile.block import assert_profilable, profiled_conditions
from fairtrial.lab.profile.short_loads import LOADS
from fairtrial.record.profile import read_profiles
from fairtrial.record.read import read_record
from tests.command_line import Finished, Lab
from tests.plan.plans import planned

RAW = "run (server.py:1);\x1b[2J</script><b>name (server.py:2) 40\n"
PY_SPY = f"""#!{sys.executable}
import sys
open(sys.argv[sys.argv.index('--output') + 1], 'w').write({RAW!r})
"""


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    """One block of an honest stack, with a profiler that is none."""
    commands = shared_lab.folder / "bin"
    commands.mkdir()
    (commands / "py-spy").write_text(PY_SPY)
    (commands / "py-spy").chmod(0o755)
    shared_lab.environment["PATH"] = f"{commands}:{shared_lab.environment['PATH']}"
    experiment = shared_lab.experiment(shared_lab.stack("honest"))
    return shared_lab.fairtrial("run", experiment, "--profile", *shared_lab.named("honest"))


def test_the_block_is_no_trial_and_in_no_figure(finished: Finished) -> None:
    assert finished.results is not None, finished.err
    record, trials = read_record(finished.results)
    assert [trial.index for trial in trials] == [1]
    written = json.loads((finished.results / "result.json").read_text())
    assert written == json.loads(judge_record(record, trials).model_dump_json())
    assert finished.result["conditions"][0]["outcome"] == "valid", finished.out


def test_its_counters_and_stacks_are_kept_beside_the_record(finished: Finished) -> None:
    assert finished.results is not None
    profiles = read_profiles(finished.results)
    (line,) = profiles.lines
    assert line.failure is None and line.notes == [] and not line.counted
    assert line.allocations is None, "Python counts none"
    assert line.verified > 0 and line.server is not None and line.server.voluntary_switches
    (sampled,) = line.stacks
    assert sampled.profiler == "py-spy" and sampled.samples == 40
    ((stack, _),) = profiles.stacks[sampled.file].items()
    assert stack[0].startswith("python3") and stack[1:] == (
        "run (server.py:1)",
        "\\x1b[2J</script><b>name (server.py:2)",
    )


def test_the_parts_of_a_request_that_is_alone_are_measured(finished: Finished) -> None:
    assert finished.results is not None
    (line,) = read_profiles(finished.results).lines
    assert len(line.alone) == LOADS
    for load in line.alone:
        assert load.server is not None and load.server.ran_seconds and load.answers > 10
        each = load.server.ran_seconds / load.answers
        assert 0 < each < 1.2 * load.response_seconds, "one request at a time cannot use more than its own time"
    assert "one request at a time" in finished.out


def test_it_is_shown_as_uncounted_and_nothing_of_it_is_obeyed(finished: Finished) -> None:
    assert finished.results is not None
    assert "profiling honest, uncounted" in finished.out and "Why is it slow? Uncounted" in finished.out
    assert "\x1b" not in finished.out
    page = (finished.results / "report.html").read_text()
    assert "<strong>Uncounted.</strong>" in page and "</script><b>" not in page and "\x1b[2J" not in page


def test_of_a_why_each_factor_is_profiled_by_itself() -> None:
    factors = {name: {"env": {name.upper(): "2"}} for name in ("workers", "pool")}
    stacks = {"stacks": ["a", "a:with-workers", "a:with-pool", "a:with-workers-and-pool", "b"]}
    plan = planned(**stacks, why={"from": "a", "to": "b", "factors": factors}, unequal_budgets="that is switched")
    assert [each.label for each in profiled_conditions(plan)] == ["a", "a:with-workers", "a:with-pool", "b"]
    assert [each.label for each in profiled_conditions(planned())] == ["a", "b"]


def test_a_program_that_ends_with_its_job_is_not_profiled() -> None:
    keys = {"workload": "call-batch", "service": "none", "stacks": ["batch"], "load": {"kind": "program"}}
    with pytest.raises(Problem, match="--profile"):
        assert_profilable(planned(**keys))
    assert_profilable(planned())
