"""Redirects from memory, paid with one key over and over: as many hits and bytes as honest ones have, and no keys."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.command_line import Finished, Lab
from tests.machine.needs import needs

SERVER = Path(__file__).parents[2] / "fixtures" / "key_value.py"
HONEST = ("none", "together", "piped", "reconnects")
STORES = [pytest.param(name, marks=needs(name)) for name in ("redis", "memcached")]

Tried = Callable[[str], Finished]


@pytest.fixture(scope="module")
def tried(shared_lab: Lab) -> Tried:
    """By store, one run of the servers of all manners."""

    @cache
    def tried(store: str) -> Finished:
        stacks = [
            shared_lab.stack(
                f"{manner}-on-{store}",
                run=[sys.executable, "key_value.py", manner],
                server=SERVER,
                workload="redirect",
                service=store,
            )
            for manner in ("one-key", *HONEST)
        ]
        # The check is quiet below some 300 answers about these 20,000 rows, which a busy machine has to reach.
        experiment = shared_lab.experiment(*stacks, workload="redirect", service=store, seconds=1.5)
        return shared_lab.fairtrial("run", experiment, *shared_lab.named(*stacks))

    return tried


@pytest.mark.parametrize("store", STORES)
def test_hits_of_one_key_pay_for_no_other(tried: Tried, store: str) -> None:
    trial = tried(store).trial(f"one-key-on-{store}")
    refusals = {each["check"]: each["evidence"] for each in trial["findings"] if each["severity"] == "refusal"}
    # By commands, hits and bytes it did the work. The freshness test after the load sees that it reads nothing then.
    assert set(refusals) == {"keys-unread", "stale"}
    assert "drawn keys of links" in refusals["keys-unread"]


@pytest.mark.parametrize("manner", HONEST)
@pytest.mark.parametrize("store", STORES)
def test_whoever_reads_the_key_is_valid_by_whatever_command(tried: Tried, store: str, manner: str) -> None:
    finished = tried(store)
    trial = finished.trial(f"{manner}-on-{store}")
    assert trial["outcome"] == "valid", trial
    line = next(line for line in finished.record[1:] if line["condition"].startswith(f"{manner}-on-{store}"))
    assert line["keys_read"]["read"] > 0


@needs("network-namespace")
@pytest.mark.parametrize("store", STORES)
def test_others_are_kept_out_of_a_store_by_its_password_or_by_the_network(tried: Tried, store: str) -> None:
    assert tried(store).record[0]["own_network"] is (store == "memcached")
