"""Programs in place of servers: timed and metered from outside, and held against what was counted outside of them."""

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairtrial.lab.placement import local_placement
from tests.command_line import CALM, Finished, Lab
from tests.lab.trial.neighbour import busy
from tests.lines import passage
from tests.machine.needs import needs

JOB = Path(__file__).parents[2] / "fixtures" / "job.py"
EXPERIMENT = """
name = "job"
title = "A job"
workload = "{workload}"
service = "{service}"
stacks = {names}
blocks = 1
crash_audit = "{crash_audit}"
[options]
{options}
[load]
kind = "program"
timeout_seconds = 5
"""
QUERIES = "long_queries = 6\nshort_per_long = 5\nlong_milliseconds = 50"
WORK = f"{QUERIES}\nwork_share = 0.6"
CALLS = "calls = 40\ndelay_milliseconds = 50\nconcurrency = 4"
SLOW_CALLS = "calls = 40\ndelay_milliseconds = 400\nconcurrency = 4"
TASKS = "tasks = 60"
SWITCHES = "tasks = 20\nswitches = 4000"
HEAVY_UNITS = 'weight = "very-heavy"\nunits = 30'
MODERATE_UNITS = 'weight = "moderate"\nunits = 30'
TOGETHER = {
    QUERIES: ("query-batch", ["done", "half", "fails", "hangs"]),
    WORK: ("query-batch", ["done", "sleeps"]),
    CALLS: ("call-batch", ["done", "half"]),
    SLOW_CALLS: ("call-batch", ["more-at-once", "no-answer"]),
    TASKS: ("task-creation", ["done", "few-threads", "half"]),
    SWITCHES: ("task-switching", ["done", "few-threads", "wrong-token"]),
    HEAVY_UNITS: ("transaction-batch", ["done", "half", "forgets-updates"]),
    MODERATE_UNITS: ("transaction-batch", ["keeps"]),
}
"""By the options of the workload: in which ways its job is done, or not, in one run."""

Tried = Callable[[str], Finished]

postgresql = needs("postgresql")


def tried_alone(lab: Lab, *ways: str, workload: str, options: str) -> Finished:
    """A run of the job done in these ways, each by a stack of that name."""
    service = "postgresql" if workload in ("query-batch", "transaction-batch") else "none"
    for way in ways:
        run = [sys.executable, "job.py", way]
        lab.stack(way, run=run, server=JOB, workload=workload, service=service, more='kind = "program"')
    path = lab.folder / "job.toml"
    crash_audit = "some" if options == HEAVY_UNITS else "none"
    named = {"names": json.dumps(ways), "workload": workload, "service": service}
    path.write_text(EXPERIMENT.format(**named, options=options, crash_audit=crash_audit) + CALM)
    return lab.fairtrial("run", path, *lab.named(*ways))


@pytest.fixture(scope="module")
def tried(shared_lab: Lab) -> Tried:
    """By the options of the workload, the run of all ways in which the job is done."""

    @cache
    def tried(options: str) -> Finished:
        workload, ways = TOGETHER[options]
        folder = shared_lab.folder / f"{workload}-{list(TOGETHER).index(options)}"
        folder.mkdir()
        return tried_alone(Lab(folder, shared_lab.cache), *ways, workload=workload, options=options)

    return tried


def evidence(trial: dict[str, Any], check: str) -> str:
    return " ".join(found["evidence"] for found in trial["findings"] if found["check"] == check)


def refused_by(trial: dict[str, Any]) -> set[str]:
    assert trial["outcome"] == "refused", trial
    assert trial["goodput"] is None
    return {found["check"] for found in trial["findings"] if found["severity"] == "refusal"}


@postgresql
def test_a_job_is_timed_metered_and_counted(tried: Tried) -> None:
    finished = tried(QUERIES)
    trial = finished.trial("done")
    assert trial["outcome"] == "valid", finished.out + finished.err
    # Six sleeps of 50 ms, one after the other: 36 queries in 0.3 s at least.
    assert 0 < trial["goodput"]["per_second"] <= 36 / 0.3
    # Python has begun and loaded a driver: some tens of milliseconds, and more than a few megabytes.
    assert 0.01 < trial["server"]["cpu_seconds"] < 5
    assert 5 << 20 < trial["server"]["peak_rss_bytes"] < 1 << 30
    condition = next(each for each in finished.result["conditions"] if each["stack"] == "done")
    rate, per_1000 = trial["goodput"]["per_second"], trial["server"]["cpu_seconds_per_1000_requests"]
    assert per_1000 == pytest.approx(1000 * trial["server"]["cpu_seconds"] / 36, rel=0.2), rate
    assert condition["figures"]["server_cpu_seconds_per_1000_requests"]["estimate"] == pytest.approx(per_1000)
    assert condition["figures"]["peak_rss_bytes"] is not None
    assert condition["figures"]["service_cpu_seconds_per_1000_requests"] is not None
    assert "timed from its start" in finished.out
    assert "an operation" in evidence(trial, "ledger")


@postgresql
def test_a_database_that_is_further_away_is_asked_the_same(lab: Lab) -> None:
    """36 statements, one after the other, and connecting before them: each waits for a round trip of 20 ms."""
    away = '[services.postgresql]\nlatency = "20 ms"\n[checks.latency-late]\nseconds = 10'
    finished = tried_alone(lab, "done", workload="query-batch", options=f"{QUERIES}\n{away}")
    trial = finished.trial("done")
    assert trial["outcome"] == "valid", finished.out + finished.err
    assert trial["goodput"]["per_second"] <= 36 / (0.3 + 37 * 0.02)
    assert "(36 for 36)" in evidence(trial, "ledger")
    assert "query-batch on postgresql, 20 ms away" in finished.out
    head, line = finished.record
    assert head["experiment"]["services"]["postgresql"]["latency"] == "20 ms"
    account = line["proxies"]["postgresql"]
    assert account["latency_seconds"] == 0.02
    assert account["to_service"]["chunks"] >= 36
    assert account["lateness"]["max_seconds"] >= account["lateness"]["percentiles"]["99"] >= 0


@postgresql
def test_a_job_of_the_lab_s_own_beside_it_is_counted_and_leaves_nothing(lab: Lab) -> None:
    finished = tried_alone(lab, "done", workload="query-batch", options=f"{QUERIES}\nbackground = true")
    trial = finished.trial("done")
    assert trial["outcome"] == "valid", finished.out + finished.err  # the lab's changes are not the program's
    (record,) = [line for line in finished.record if "program" in line]
    assert record["ledger"]["done"]["background_commits"] >= 1
    assert "the lab's own job" in evidence(trial, "ledger")


@postgresql
def test_a_job_that_was_half_done_is_refused(tried: Tried) -> None:
    trial = tried(QUERIES).trial("half")
    assert refused_by(trial) == {"ledger"}
    assert "0.50 reading statements" in trial["reason"]


@postgresql
def test_work_is_counted_and_a_sleep_is_none(tried: Tried, snapshot: object) -> None:
    finished = tried(WORK)
    assert finished.trial("done")["outcome"] == "valid", finished.out + finished.err
    assert passage(evidence(finished.trial("done"), "ledger"), "0.17 rows read", "36)") == snapshot
    assert finished.result["services"][0]["work_rounds_per_second"] > 0
    assert refused_by(finished.trial("sleeps")) == {"ledger"}
    assert "0.00 rows read in work_rate" in finished.trial("sleeps")["reason"]


@needs("two-processors")
def test_somebody_else_on_a_programs_processor_is_seen(lab: Lab) -> None:
    long_enough_to_tell = "calls = 80\ndelay_milliseconds = 50\nconcurrency = 4"
    with busy(local_placement().server_cpus[0]):
        trial = tried_alone(lab, "done", workload="call-batch", options=long_enough_to_tell).trial("done")
    assert "processes other than the lab's" in evidence(trial, "foreign-load")


def test_what_a_program_uses_is_not_somebody_elses(tried: Tried) -> None:
    (trial,) = [line for line in tried(CALLS).record if line.get("condition", "").startswith("done/")]
    machine, server = trial["machine"], trial["server"]
    own = machine["own_server_cpu_seconds"]
    assert own == pytest.approx(server["cpu_user_seconds"] + server["cpu_system_seconds"], abs=0.02)
    assert machine["own_load_cpu_seconds"] >= 0
    assert trial["network"]["local_ports"] > 0


@postgresql
def test_a_program_that_fails_is_refused_with_its_words(tried: Tried) -> None:
    trial = tried(QUERIES).trial("fails")
    assert trial["outcome"] == "refused"
    assert "status 1" in trial["reason"]
    assert "there is no such job" in trial["reason"]


@postgresql
def test_a_program_that_does_not_end_is_ended(tried: Tried) -> None:
    trial = tried(QUERIES).trial("hangs")
    assert trial["outcome"] == "refused"
    assert "still ran after 5 s" in trial["reason"]


@postgresql
def test_a_job_is_for_programs(lab: Lab) -> None:
    name = lab.stack("server", workload="query-batch", service="postgresql")
    path = lab.folder / "job.toml"
    path.write_text(
        EXPERIMENT.format(
            names=f'["{name}"]', workload="query-batch", service="postgresql", options=QUERIES, crash_audit="none"
        )
    )
    finished = lab.fairtrial("run", path, *lab.named(name))
    assert finished.status == 2
    assert "query-batch" in finished.err


def test_calls_are_counted_by_whom_they_reach(tried: Tried) -> None:
    finished = tried(CALLS)
    trial = finished.trial("done")
    assert trial["outcome"] == "valid", finished.out + finished.err
    # Forty calls of 50 ms, four at once.
    assert 0 < trial["goodput"]["per_second"] <= 40 / 0.5
    assert "1.00 answered calls an operation (40 for 40)" in evidence(trial, "ledger")


def test_calls_that_were_not_made_are_missed(tried: Tried) -> None:
    trial = tried(CALLS).trial("half")
    assert refused_by(trial) == {"ledger"}
    assert "0.50 answered calls an operation (20 for 40)" in evidence(trial, "ledger")


@pytest.mark.parametrize("how", ["more-at-once", "no-answer"])
def test_calls_that_nobody_waited_for_are_over_too_soon(tried: Tried, how: str) -> None:
    """Answers to a client that is gone may still be handed to the kernel, and are counted then: time tells."""
    trial = tried(SLOW_CALLS).trial(how)
    assert refused_by(trial) == {"ledger"}
    assert "waiting alone takes 4 s" in evidence(trial, "ledger")


def test_tasks_that_are_threads_are_proven(tried: Tried) -> None:
    finished = tried(TASKS)
    trial = finished.trial("done")
    assert trial["outcome"] == "valid", finished.out + finished.err
    told = evidence(trial, "ledger")
    assert "(60 for 60)" in told
    assert "(61 for 60)" in told  # sixty threads, and the first
    assert "word" not in told


def test_tasks_that_do_not_show_are_the_program_s_word(tried: Tried) -> None:
    trial = tried(TASKS).trial("few-threads")
    assert trial["outcome"] == "valid"
    assert "kernel threads" in evidence(trial, "ledger")
    assert "the program's word" in evidence(trial, "ledger")


def test_tasks_that_did_not_gather_are_missed(tried: Tried) -> None:
    trial = tried(TASKS).trial("half")
    assert refused_by(trial) == {"ledger"}
    assert "0.50 gathered tasks an operation (30 for 60)" in trial["reason"]


def test_switches_between_threads_are_the_kernel_s_word(tried: Tried) -> None:
    trial = tried(SWITCHES).trial("done")
    assert trial["outcome"] == "valid", trial
    told = evidence(trial, "ledger")
    assert "1.00 proven steps" in told and "(4,000 for 4,000)" in told
    assert "word" not in told


def test_steps_of_a_single_thread_are_the_program_s_word(tried: Tried) -> None:
    trial = tried(SWITCHES).trial("few-threads")
    assert trial["outcome"] == "valid"
    assert "was made by another task" in evidence(trial, "ledger")


def test_a_step_that_was_left_out_proves_none(tried: Tried) -> None:
    trial = tried(SWITCHES).trial("wrong-token")
    assert refused_by(trial) == {"ledger"}
    assert "0.00 proven steps of the token" in trial["reason"]


@postgresql
def test_units_are_counted_and_their_rows_looked_at(tried: Tried) -> None:
    finished = tried(HEAVY_UNITS)
    trial = finished.trial("done")
    assert trial["outcome"] == "valid", finished.out + finished.err
    assert "4.00 reading statements an operation (120 for 30)" in evidence(trial, "ledger")
    assert "3.00 writing statements an operation (90 for 30)" in evidence(trial, "ledger")
    crash = next(line["crash"] for line in finished.record[1:] if line["condition"].startswith("done/"))
    assert crash["drawn"] and (crash["acknowledged"], crash["stored"], crash["lost"]) == (30, 30, 0), crash


@postgresql
def test_units_that_were_left_out_are_missed_by_both(tried: Tried) -> None:
    trial = tried(HEAVY_UNITS).trial("half")
    assert refused_by(trial) == {"ledger", "writes-stored"}
    assert "2.00 reading statements" in evidence(trial, "ledger")
    assert "15 rows acknowledged and not stored" in evidence(trial, "writes-stored")


@postgresql
@pytest.mark.parametrize(
    ("how", "units", "seen"),
    [
        ("keeps", MODERATE_UNITS, "30 rows stored without a request"),
        ("forgets-updates", HEAVY_UNITS, "30 rows not stored as sent"),
    ],
    ids=["keeps", "forgets-updates"],
)
def test_rows_that_are_not_what_units_leave_are_found(tried: Tried, how: str, units: str, seen: str) -> None:
    trial = tried(units).trial(how)
    assert refused_by(trial) == {"writes-stored"}
    assert seen in evidence(trial, "writes-stored")
