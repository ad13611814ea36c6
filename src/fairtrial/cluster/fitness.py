"""Whether a cluster may be used at all: the same versions everywhere, and nothing that Dask would do twice."""

import importlib.metadata
from collections.abc import Mapping

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.addresses import worker_name
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.facts import PACKAGE, Facts, facts, version
from fairtrial.cluster.settings import SETTINGS, SETTINGS_REMEDY, differing

VERSIONS_REMEDY = "install the same there, with the same lock file, and start its process again"


def facts_of(cluster: Cluster, worker: str | None) -> Facts:
    """The facts of a process of the cluster, with its settings.

    The version is asked for by a function of Python's own, and all else only where that is the same as here.

    Args:
        worker: its address; None: the scheduler.

    Raises:
        Problem: it does not answer.
    """
    of = "scheduler" if worker is None else "workers"
    try:
        installed = cluster.call_unknown(worker, importlib.metadata.version, PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return Facts({PACKAGE: None})
    if installed != version(PACKAGE):
        return Facts({PACKAGE: installed})
    try:
        return cluster.call_unknown(worker, facts, [each.key for each in SETTINGS if each.of == of])
    except Problem:
        raise
    except Exception:  # whatever Dask makes of a function that is not there
        return Facts({PACKAGE: f"{installed} of other sources"})


def assert_fit(cluster: Cluster, workers: Mapping[str, Facts]) -> None:
    """Require a cluster that may be used.

    Args:
        workers: the facts of those that are, by their addresses.

    Raises:
        Problem: one, or the scheduler, has other versions than this process; or the scheduler may do things twice.
    """
    scheduler = facts_of(cluster, None)
    here = facts()
    for where, other in {"the scheduler": scheduler, **{worker_name(each): workers[each] for each in workers}}.items():
        differences = version_differences(here, other)
        if differences:
            raise Problem(f"{where} has other versions: {'; '.join(differences)}", VERSIONS_REMEDY, NOTHING_RAN)
    keys = differing(scheduler.settings, "scheduler", "once")
    if keys:
        raise Problem(
            f"the scheduler may do again elsewhere what a lost worker did: {', '.join(keys)}",
            SETTINGS_REMEDY,
            NOTHING_RAN,
        )


def version_differences(here: Facts, other: Facts) -> list[str]:
    """Each thing that is another one there, in words."""
    actual = comparable(other)
    return [
        f"{name} {printable(actual[name] or 'is not installed', 40)}, here {value or 'is none'}"
        for name, value in comparable(here).items()
        if name in actual and actual[name] != value
    ]


def comparable(facts: Facts) -> dict[str, str | None]:
    """The facts that must be the same everywhere, as far as they are known, in the form in which they are printed.

    What is pickled by one minor version of Python can hang another one; programs run on their architecture alone.
    """
    if not facts.is_known:
        return {PACKAGE: facts.versions[PACKAGE]}
    return {
        "Python": facts.python.rpartition(".")[0],
        "distributed": facts.versions["distributed"],
        "dask": facts.versions["dask"],
        PACKAGE: facts.versions[PACKAGE],
        "source of the lab": _short(facts.lab_sha256),
        "source of the engine": _short(facts.engine_sha256),
        "architecture": facts.architecture,
    }


def _short(sha256: str | None) -> str | None:
    return None if sha256 is None else sha256[:12]
