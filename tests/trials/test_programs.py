"""Programs in place of servers: timed from outside, and held against what the database counted."""

import sys
from pathlib import Path

from tests.lab import Finished, Lab
from tests.services.needed import needs

JOB = Path(__file__).parents[1] / "fixtures" / "job.py"
EXPERIMENT = """
name = "job"
title = "A job"
workload = "query-batch"
service = "postgresql"
stacks = ["{name}"]
blocks = 1
[options]
long_queries = 6
short_per_long = 5
long_milliseconds = 50
[load]
kind = "program"
timeout_seconds = 5
"""

pytestmark = needs("postgresql")


def tried(lab: Lab, how: str) -> Finished:
    run = [sys.executable, "job.py", how]
    name = lab.stack(how, run=run, server=JOB, workload="query-batch", service="postgresql", more='kind = "program"')
    path = lab.folder / "job.toml"
    path.write_text(EXPERIMENT.format(name=name))
    return lab.fairtrial("run", path, *lab.named(name))


def test_a_job_is_timed_and_counted(lab: Lab) -> None:
    finished = tried(lab, "done")
    trial = finished.trial("done")
    assert trial["outcome"] == "valid", finished.out + finished.err
    # Six sleeps of 50 ms, one after the other: 36 queries in 0.3 s at least.
    assert 0 < trial["goodput"]["per_second"] <= 36 / 0.3
    assert "a program, timed from its start to its end" in finished.out
    assert "operations/s" in finished.out


def test_a_job_that_was_half_done_is_refused(lab: Lab) -> None:
    trial = tried(lab, "half").trial("half")
    assert trial["outcome"] == "refused"
    assert "0.50 reading statements" in trial["reason"]
    assert trial["goodput"] is None


def test_a_program_that_fails_is_refused_with_its_words(lab: Lab) -> None:
    trial = tried(lab, "fails").trial("fails")
    assert trial["outcome"] == "refused"
    assert "status 1" in trial["reason"]
    assert "there is no such job" in trial["reason"]


def test_a_program_that_does_not_end_is_ended(lab: Lab) -> None:
    trial = tried(lab, "hangs").trial("hangs")
    assert trial["outcome"] == "refused"
    assert "still ran after 5 s" in trial["reason"]


def test_a_job_is_for_programs(lab: Lab) -> None:
    name = lab.stack("server", workload="query-batch", service="postgresql")
    path = lab.folder / "job.toml"
    path.write_text(EXPERIMENT.format(name=name))
    finished = lab.fairtrial("run", path, *lab.named(name))
    assert finished.status == 2
    assert "query-batch" in finished.err
