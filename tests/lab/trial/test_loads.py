"""Loads of every kind, and sweeps, on real servers."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from fairtrial.load.kinds import Load
from tests.command_line import Finished, Lab


def tried(lab: Lab, load: str, more: str = "", blocks: int = 1, fault: str = "none") -> Finished:
    name = lab.stack("tried", fault)
    return lab.fairtrial("run", lab.experiment(name, load=load, more=more, blocks=blocks), *lab.named(name))


def describe(load: dict[str, Any]) -> str:
    words: str = TypeAdapter(Load).validate_python(load).describe()
    return words


def engine_of(finished: Finished, line: int = 1) -> dict[str, Any]:
    record: dict[str, Any] = finished.record[line]
    engine: dict[str, Any] = record["engine"]
    return engine


@pytest.mark.measures
def test_an_open_load_offers_its_rate_and_measures_from_when_requests_were_due(lab: Lab) -> None:
    finished = tried(
        lab,
        'kind = "open"\nrate_per_second = 200\nconnections = 32\n'
        "warmup_seconds = 0.2\nwarmup_limit_seconds = 0.2\nduration_seconds = 1.5",
    )
    assert finished.trial("tried")["outcome"] == "valid", finished.out
    engine = engine_of(finished)
    assert engine["offered"] == pytest.approx(300, abs=90)
    assert engine["achieved_over_offered"] > 0.9
    assert "open, 200 requests/s, Poisson arrivals" in " ".join(finished.out.split())


def test_an_open_load_awaits_answers_for_as_long_as_it_says(lab: Lab) -> None:
    load = 'kind = "open"\nrate_per_second = 100\nwarmup_seconds = 0\nduration_seconds = 0.3\ndrain_seconds = 0'
    finished = tried(lab, load)
    cohort = engine_of(finished)["cohort"]
    assert cohort["drain_seconds"] == 0
    assert cohort["answers"] + cohort["failures"] + cohort["censored"] == engine_of(finished)["offered"]
    assert "no answers awaited after it" in " ".join(finished.out.split())


TWO_STEPS = "".join(f"\n[[load.steps]]\nrate_per_second = {rate}\nseconds = 0.5" for rate in (20, 80))
RAMP = "\nfrom_per_second = 20\nto_per_second = 60\nduration_seconds = 1.0"


@pytest.mark.measures
@pytest.mark.parametrize(("kind", "keys", "due", "blocks"), [("steps", TWO_STEPS, 50, 3), ("ramp", RAMP, 40, 1)])
def test_a_rate_that_changes_is_offered_and_judged_as_a_whole(
    lab: Lab, kind: str, keys: str, due: int, blocks: int
) -> None:
    """Three blocks are the fewest that uphold a figure; to claims, both are a load whose rate changes."""
    claims = """
[[claims]]
id = "all"
kind = "property"
text = "All are answered"
of = "tried"
property = "all-answered"
[[claims]]
id = "soon"
kind = "budget"
text = "Half of all come within five seconds"
of = "tried"
metric = "response_time_p50"
at_most = "5 s"
"""
    finished = tried(lab, f'kind = "{kind}"\nconnections = 32{keys}', more=claims, blocks=blocks)
    assert engine_of(finished)["offered"] == pytest.approx(due, rel=0.1)
    assert finished.trial("tried")["outcome"] == "valid", finished.out
    verdicts = {claim["id"]: claim["verdict"] for claim in finished.result["claims"]}
    assert verdicts == {"all": "upheld", "soon": "upheld" if blocks == 3 else "undecided"}, finished.out
    by_intent = [each for each in finished.result["findings"] if "its rate changes by intent" in each["evidence"]]
    assert {each["check"] for each in by_intent} == {"not-stationary", "not-warm"}


def test_a_fixed_number_of_requests_is_asked_and_timed(lab: Lab) -> None:
    claims = """
[[claims]]
id = "all"
kind = "property"
text = "All hundred are answered"
of = "tried"
property = "all-answered"
[[claims]]
id = "soon"
kind = "budget"
text = "A hundred at once take less than a minute"
of = "tried"
metric = "elapsed"
at_most = "60 s"
"""
    finished = tried(lab, 'kind = "fixed"\nrequests = 100\nconnections = 100', more=claims, blocks=3)
    engine = engine_of(finished)
    assert (engine["verified"], engine["answers"], engine["in_flight_at_end"]) == (100, 100, 0)
    assert engine["warmup_seconds"] == 0
    assert {claim["verdict"] for claim in finished.result["claims"]} == {"upheld"}, finished.out


@pytest.mark.measures
def test_a_capacity_is_searched_and_confirmed(lab: Lab) -> None:
    load = """kind = "capacity"
connections = 64
lowest_per_second = 50
highest_per_second = 20_000
precision = 0.3
warmup_seconds = 0.1
warmup_limit_seconds = 0.1
probe_seconds = 0.3
duration_seconds = 0.5
timeout_seconds = 2.0
[[load.objectives]]
name = "median"
percentile = 50
within_milliseconds = 100
[[load.objectives]]
name = "lax"
percentile = 50
within_milliseconds = 900"""
    # Where others take the processors, no rate may keep a median of 100 ms in a run.
    name = lab.stack("tried")
    command = ("run", lab.experiment(name, load=load), *lab.named(name))
    searches = (lab.fairtrial(*command).record[1] for _ in range(3))
    record = next(each for each in searches if all(one["rate_per_second"] for one in each["capacity"]["found"]))
    search = record["capacity"]
    assert [one["objective"] for one in search["found"]] == ["median", "lax"]
    rates = [one["rate_per_second"] for one in search["found"]]
    assert all(rate >= 50 for rate in rates), search
    confirming = [probe for probe in search["probes"] if probe["confirming"]]
    assert confirming[-1]["rate_per_second"] == rates[0]
    assert all(one["met"] for one in confirming[-1]["objectives"] if one["objective"] == "median")
    failed = [
        probe["rate_per_second"]
        for probe in search["probes"]
        for one in probe["objectives"]
        if one["objective"] == "median" and not one["met"]
    ]
    assert failed and max(failed) > rates[0]
    assert record["engine"]["offered"] is not None


def test_every_stack_is_tried_at_every_value(lab: Lab) -> None:
    names = [lab.stack("one"), lab.stack("two")]
    more = '[sweep]\nparameter = "load.connections"\nvalues = [1, 3]'
    finished = lab.fairtrial("run", lab.experiment(*names, blocks=2, more=more), *lab.named(*names))
    found = {condition["contender"]: condition for condition in finished.result["conditions"]}
    assert set(found) == {"one at 1", "one at 3", "two at 1", "two at 3"}
    assert {(one["at"], one["load"]["connections"]) for one in found.values()} == {(1, 1), (3, 3)}
    assert all(one["outcome"] == "valid" and len(one["trials"]) == 2 for one in found.values()), finished.out
    connects = {line["engine"]["connects"] for line in finished.record[1:] if line["condition"].endswith("/3")}
    assert connects == {0} or all(number <= 3 for number in connects)


def test_threads_are_as_many_as_the_load_says_and_never_more_than_connections(lab: Lab) -> None:
    """More than processors: the generator of a test has one or two."""
    load = 'kind = "closed"\nthreads = 6\nwarmup_seconds = 0.1\nwarmup_limit_seconds = 0.1\nduration_seconds = 0.5'
    finished = tried(lab, load, '[sweep]\nparameter = "load.connections"\nvalues = [2, 6]')
    threads = {line["condition"].rpartition("/")[2]: len(line["engine"]["threads"]) for line in finished.record[1:]}
    assert threads == {"2": 2, "6": 6}, finished.out
    said = {condition["at"]: describe(condition["load"]) for condition in finished.result["conditions"]}
    assert said == {
        2: "closed, 2 connections, 2 of 6 threads, keep-alive",
        6: "closed, 6 connections, 6 threads, keep-alive",
    }
    assert {one["threads"] for one in finished.result["calibrations"]} == {6}
    assert finished.results is not None
    whole = lab.fairtrial("judge", finished.results, "--verbose").out
    assert "2 connections and 2 threads" in " ".join(whole.split())


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ({"kind": "open", "rate_per_second": 5, "threads": 1}, "up to 256 connections, 1 thread, keep-alive"),
        ({"kind": "fixed", "requests": 30, "threads": 20}, "30 requests, 16 connections, 16 of 20 threads, keep-alive"),
        ({"kind": "closed", "connections": 1}, "closed, 1 connection, keep-alive"),
    ],
)
def test_threads_are_part_of_the_load_in_words_where_it_has_them(load: dict[str, Any], words: str) -> None:
    assert describe(load).endswith(words)


def test_variables_of_a_sweep_reach_the_stack(lab: Lab) -> None:
    name = lab.stack("tried", run=["sh", "-c", "echo pool=$DB_POOL; exec python3 server.py none"])
    more = '[sweep]\nparameter = "env.DB_POOL"\nvalues = [2, 5]'
    finished = lab.fairtrial("run", lab.experiment(name, more=more), *lab.named(name))
    assert finished.results
    logs = {path.read_text().strip() for path in (finished.results / "logs").glob("*tried*.log")}
    assert {line for log in logs for line in log.splitlines() if line.startswith("pool=")} == {"pool=2", "pool=5"}


@pytest.mark.parametrize(
    ("sweep", "words"),
    [
        ('parameter = "load.connection"\nvalues = [1, 3]', "sweep: load.connection = 1: load.closed.connection"),
        ('parameter = "load.connections"\nvalues = [3, 1]', "values: they have to ascend"),
        ('parameter = "load.connections"\nvalues = [0, 1]', "sweep: load.connections = 0"),
        ('parameter = "load.keep_alive"\nvalues = [0, 1]', "write `values = [false, true]`"),
        ('parameter = "options.colour"\nvalues = [0, 1]', "[options] colour"),
        ('parameter = "stack"\nvalues = [0, 1]', "sweep.parameter"),
    ],
)
def test_a_sweep_that_cannot_be(lab: Lab, sweep: str, words: str) -> None:
    name = lab.stack("tried")
    finished = lab.fairtrial("run", lab.experiment(name, more=f"[sweep]\n{sweep}"), *lab.named(name))
    assert finished.status == 2
    assert words in finished.err


def test_a_broken_file_is_told_before_the_engine_is_built(lab: Lab) -> None:
    lab.environment["FAIRTRIAL_ENGINE"] = "/nowhere/engine"
    name = lab.stack("tried")
    finished = lab.fairtrial("run", lab.experiment(name), *lab.named(name))
    assert "FAIRTRIAL_ENGINE" in finished.err and "tried.toml" not in finished.err


def test_clients_without_a_local_port_are_gone_for_the_rest_of_the_window(lab: Lab) -> None:
    load = 'kind = "closed"\nconnections = 4\nkeep_alive = false\nwarmup_seconds = 0\nduration_seconds = 0.5'
    finished = tried(lab, load, '[sweep]\nparameter = "load.local_ports"\nvalues = [4, 60_000]')
    engines = {line["condition"].rpartition("/")[2]: line["engine"] for line in finished.record[1:]}
    scarce = engines["4"]
    assert (scarce["errors"]["connect"], scarce["in_flight_at_end"]) == (4, 0)
    assert 4 <= scarce["connects"] <= 8, "connects that began in the warm-up took none"
    assert engines["60000"]["errors"]["connect"] == 0
