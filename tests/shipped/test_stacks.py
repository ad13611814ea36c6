"""Every shipped stack, built from a clean copy and held against its contract."""

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from fairtrial.base.locations import shipped
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.reference import StackRef
from fairtrial.tools.check.contract import try_contracts
from fairtrial.tools.check.starts import Subject, services_of
from tests.command_line import Lab
from tests.conftest import left_running
from tests.machine.lack import Lack, lack_of
from tests.machine.needs import needs, skip_for

STACKS = find_stacks()

ONE_IS_ENOUGH = {
    "go-batch:blocking": ("query-batch", "postgresql"),
    "go-nethttp:coalesced": ("several-items", "postgresql"),
    "go-nethttp:http2": ("fan-out", "none"),
    "go-nethttp:one-processor": ("plaintext", "none"),
    "go-nethttp:pipelined": ("several-items", "postgresql"),
    "go-nethttp:profile-guided": ("plaintext", "none"),
    "go-nethttp:rare-collection": ("plaintext", "none"),
    "go-nethttp:unprepared": ("survey-insert", "postgresql"),
    "java-spring:parallel-gc": ("plaintext", "none"),
    "java-spring:serial-gc": ("plaintext", "none"),
    "java-spring:virtual": ("page", "mariadb"),
    "java-spring:zgc": ("plaintext", "none"),
    "node-batch:at-once": ("call-batch", "none"),
    "node-batch:restify-clients": ("call-batch", "none"),
    "node-batch:restify-clients-at-once": ("call-batch", "none"),
    "node-expander:as-published": ("redirect", "redis"),
    "node-fastify:request-log": ("plaintext", "none"),
    "node-fastify:without-schemas": ("categories", "postgresql"),
    "node-http:access-log": ("plaintext", "none"),
    "node-http:large-young-generation": ("plaintext", "none"),
    "node-http:one-connection": ("random-item", "postgresql"),
    "node-http:two-workers": ("page", "postgresql"),
    "node-http:worker-threads": ("matching-mix", "sqlite"),
    "node-rapid:batched": ("survey-insert", "postgresql"),
    "node-rapid:fire-and-forget": ("survey-insert", "mongodb"),
    "node-rapid:route-by-route": ("survey-insert", "none"),
    "node-rapid:stores-null": ("survey-insert", "mongodb"),
    "node-rapid:stores-string": ("survey-insert", "mariadb"),
    "node-restify:parser-by-route": ("survey-insert", "mongodb"),
    "node-restify:plain-answers": ("plaintext", "none"),
    "python-batch:blocking": ("query-batch", "mariadb"),
    "python-fastapi:access-log": ("plaintext", "none"),
    "python-fastapi:asyncio": ("plaintext", "none"),
    "python-fastapi:h11": ("plaintext", "none"),
    "python-fastapi:orjson": ("categories", "postgresql"),
    "python-fastapi:psycopg": ("random-item", "postgresql"),
    "python-fastapi:stdlib-json": ("random-item", "postgresql"),
    "python-flask:access-log": ("plaintext", "none"),
    "python-flask:gevent": ("query-mix", "mariadb"),
    "python-flask:new-connections": ("random-item", "postgresql"),
    "python-flask:orjson": ("categories", "postgresql"),
    "python-flask:sync": ("plaintext", "none"),
    "python-flask:sync-tcp": ("plaintext", "none"),
    "ruby-batch:blocking": ("query-batch", "postgresql"),
    "ruby-batch:fibers": ("task-switching", "none"),
    "ruby-batch:neverblock": ("transaction-batch", "postgresql"),
    "ruby-batch:new-fibers": ("query-batch", "postgresql"),
    "ruby-goliath:active-record": ("random-item", "mariadb"),
    "ruby-goliath:as-published": ("random-item", "mariadb"),
    "ruby-goliath:bounds-each-time": ("random-item", "mariadb"),
    "ruby-goliath:retrying": ("random-item", "mongodb"),
    "ruby-neverblock:async": ("query-mix", "mariadb"),
    "ruby-neverblock:four-processes": ("query-mix", "postgresql"),
    "ruby-neverblock:one-process": ("query-mix", "postgresql"),
    "ruby-neverblock:processes": ("query-mix", "postgresql"),
    "ruby-neverblock:puma": ("transaction-mix", "mariadb"),
    "ruby-neverblock:two-processes": ("query-mix", "postgresql"),
    "ruby-rails:as-published": ("random-item", "mongodb"),
    "ruby-rails:bounds-each-time": ("random-item", "mariadb"),
    "ruby-rails:four-thins": ("query-mix", "mariadb"),
    "ruby-rails:neverblock": ("survey-insert", "postgresql"),
    "ruby-rails:one-thread": ("plaintext", "none"),
    "ruby-rails:passenger": ("random-item", "mariadb"),
    "ruby-rails:puma-cluster": ("random-item", "mongodb"),
    "ruby-rails:puma-nginx": ("plaintext", "none"),
    "ruby-rails:puma-nginx-tcp": ("plaintext", "none"),
    "ruby-rails:random-sort": ("random-item", "postgresql"),
    "ruby-rails:request-log": ("plaintext", "none"),
    "ruby-rails:retrying": ("random-item", "mongodb"),
    "ruby-rails:skip-all": ("random-item", "mongodb"),
    "ruby-rails:thin": ("categories", "mongodb"),
    "ruby-rails:thin-nginx": ("page", "mariadb"),
    "ruby-rails:thin-nginx-tcp": ("plaintext", "none"),
    "ruby-rails:two-arenas": ("plaintext", "none"),
    "ruby-rails:unicorn": ("categories", "mariadb"),
    "ruby-rails:unprepared": ("random-item", "postgresql"),
    "rust-axum:http2": ("plaintext", "none"),
    "rust-axum:in-place": ("random-item", "sqlite"),
    "rust-axum:inline": ("random-item", "sqlite"),
    "rust-axum:mimalloc": ("plaintext", "none"),
    "rust-axum:one-worker": ("plaintext", "none"),
    "rust-axum:profile-guided": ("plaintext", "none"),
}
"""Workload and service on which a variant is tried. The default of its stack is tried on all of them: the variants are
the same program under other servers or settings, and all of them on everything would take many minutes."""

BEHIND_NGINX = ["python-flask:sync", "python-flask:sync-tcp"]
"""Variants that need nginx, while their stack does not require it."""

TRIED_APART = {
    "ruby-rails:one-fiber",
    "ruby-rails:one-thin",
    "ruby-rails:passenger-as-published",
    "ruby-rails:thin-as-published",
    "ruby-rails:two-thins",
    "ruby-rails:unicorn-as-published",
}
"""Variants that join two others, each of which is tried (a server and a pick), or differ from one in a number."""


def _stack(contender: str) -> Stack:
    return STACKS[contender.partition(":")[0]]


CONTENDERS = [
    contender
    for name, stack in STACKS.items()
    for contender in [name, *(f"{name}:{variant}" for variant in sorted(stack.variants.keys() - {"default"}))]
    if contender not in TRIED_APART
]
BY_LANGUAGE = {
    language: [contender for contender in CONTENDERS if _stack(contender).language == language]
    for language in sorted({stack.language for stack in STACKS.values()})
}
"""Those of a language share the services on which they are tried, and run in one worker."""


def _lack(contender: str) -> Lack | None:
    """The first lack of what the contender needs: the services on which it is tried, caches included, and programs."""
    services = sorted(services_of(_subject(contender).pairs()))
    balancers = ["nginx"] if contender in BEHIND_NGINX else []
    return next(filter(None, map(lack_of, [*services, *balancers, contender])), None)


def _subject(contender: str) -> Subject:
    return Subject(_stack(contender), StackRef.model_validate(contender), *ONE_IS_ENOUGH.get(contender, (None, None)))


LONG_QUERIES = {"query-mix", "query-chain", "query-batch"}
SOURCES = {".go", ".java", ".js", ".py", ".rb", ".rs"}


@pytest.mark.parametrize("language", sorted(BY_LANGUAGE, key=lambda language: -len(BY_LANGUAGE[language])))
def test_shipped_stacks_keep_their_contracts(cache: Path, language: str) -> None:
    lacks = {contender: _lack(contender) for contender in BY_LANGUAGE[language]}
    contenders = [contender for contender, lack in lacks.items() if lack is None]
    output = StringIO()

    attempts = try_contracts(Console(file=output, width=200), [_subject(contender) for contender in contenders])

    assert {attempt.contender: attempt.problem for attempt in attempts if attempt.problem} == {}
    assert "✗" not in output.getvalue(), output.getvalue()
    assert all(attempt.clauses for attempt in attempts)
    assert left_running(cache) == []
    skip_for(*filter(None, lacks.values()))


def test_a_broken_contract_is_told_beside_one_that_holds(lab: Lab) -> None:
    """Two stacks of one service, by the command: what one of them breaks is its own."""
    names = [lab.stack("right"), lab.stack("wrong", "answers-anything")]
    finished = lab.fairtrial("check", *names, "--stacks", lab.stacks)
    assert finished.status == 3
    assert re.search(r"^right: all \d+ clauses hold$", finished.out, re.MULTILINE), finished.out
    assert re.search(r"^wrong: [1-9]\d* of \d+ clauses broken$", finished.out, re.MULTILINE), finished.out


def test_only_variants_that_there_are_get_by_with_one_workload() -> None:
    assert set(ONE_IS_ENOUGH) <= set(CONTENDERS)
    variants = {f"{name}:{variant}" for name, stack in STACKS.items() for variant in stack.variants}
    assert variants >= TRIED_APART


@needs("postgresql", "mariadb", "python-flask")
def test_blocking_drivers_are_concurrent_under_gevent(lab: Lab) -> None:
    """Eight queries of a second at once: one after another they would take eight seconds."""
    experiment = lab.experiment(
        "python-flask:gevent",
        "python-flask:gevent@mariadb",
        workload="query-mix",
        service="postgresql",
        load='kind = "fixed"\nrequests = 16\nconnections = 16',
        more="[options]\nshort_per_long = 1\nlong_milliseconds = 1000",
    )

    finished = lab.fairtrial("run", experiment, timeout_seconds=300)

    elapsed = {
        condition["service"]: condition["figures"]["elapsed_seconds"] for condition in finished.result["conditions"]
    }
    assert elapsed.keys() == {"postgresql", "mariadb"}
    assert all(1 <= figure["estimate"] < 4 for figure in elapsed.values()), finished.out


@needs("mongodb", "ruby-rails")
def test_the_replicated_mistake_is_refused_and_the_same_stack_without_it_is_not(lab: Lab) -> None:
    experiment = lab.experiment(
        "ruby-rails:as-published",
        "ruby-rails",
        service="mongodb",
        seconds=6,
        more="[checks.picks-uniform]\nminimum_answers = 200",  # what a busy machine may manage
    )

    finished = lab.fairtrial("run", experiment, timeout_seconds=300)

    trials = {condition["contender"]: condition["trials"][0] for condition in finished.result["conditions"]}
    published, right = trials["ruby-rails:as-published"], trials["ruby-rails"]
    refused = [
        {one["check"] for one in trial["findings"] if one["severity"] == "refusal"} for trial in (published, right)
    ]
    # A busy machine may let requests of either end without an answer.
    assert [checks - {"errors"} for checks in refused] == [{"picks-uniform"}, set()], finished.out


@pytest.mark.parametrize("name", [name for name, stack in STACKS.items() if LONG_QUERIES & set(stack.workloads)])
def test_a_stack_with_long_queries_has_them_work_where_it_is_told_to(name: str) -> None:
    """What it asks of the database is in the ledger of each trial; this is the cheap part."""
    sources = (file for file in (shipped("stacks") / name).rglob("*") if file.suffix in SOURCES)
    assert any("LONG_FUNCTION" in file.read_text() for file in sources)


@pytest.mark.parametrize("name", STACKS)
def test_a_shipped_stack_explains_itself(name: str) -> None:
    readme = (shipped("stacks") / name / "README.md").read_text()
    assert len(readme) > 400
    assert STACKS[name].requires, "what it needs is told, with a remedy"
