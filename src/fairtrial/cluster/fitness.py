"""Whether a cluster may be used at all: the same versions everywhere, and nothing that Dask would do twice."""

from collections.abc import Iterable

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.hosts import Facts, facts_of_lab, scheduler_facts, worker_facts
from fairtrial.cluster.settings import SETTINGS_REMEDY, differing
from fairtrial.cluster.versions import assert_same_versions


def facts_of_fit(cluster: Cluster, workers: Iterable[str]) -> dict[str, Facts]:
    """The facts of these workers, by their addresses.

    Raises:
        Problem: one does not answer; one, or the scheduler, has other versions than this process; or the scheduler may
            do things twice.
    """
    scheduler = scheduler_facts(cluster)
    facts = {worker: worker_facts(cluster, worker) for worker in workers}
    assert_same_versions(
        facts_of_lab(),
        {"the scheduler": scheduler, **{worker_name(worker): its for worker, its in facts.items()}},
    )
    keys = differing(scheduler.settings, "scheduler", "once")
    if keys:
        raise Problem(
            f"the scheduler may do again elsewhere what a lost worker did: {', '.join(keys)}",
            SETTINGS_REMEDY,
            NOTHING_RAN,
        )
    return facts


def worker_name(worker: str) -> str:
    """What messages call it."""
    return f"the worker at {printable(worker, 60)}"
