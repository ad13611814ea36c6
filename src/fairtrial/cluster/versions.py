"""What must be the same on all hosts of a cluster."""

from collections.abc import Mapping

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.cluster.hosts import Facts

VERSIONS_REMEDY = "install the same there, with the same lock file, and start its process again"


def version_differences(here: Facts, other: Facts) -> list[str]:
    """Each thing that is another one there, in words."""
    actual = comparable(other)
    return [
        f"{name} {printable(actual[name] or 'is not installed', 40)}, here {value or 'is none'}"
        for name, value in comparable(here).items()
        if actual[name] != value
    ]


def comparable(facts: Facts) -> dict[str, str | None]:
    """What must be the same everywhere, as it is printed.

    What is pickled by one minor version of Python can hang another one; programs run on their architecture alone.
    """
    return {
        "Python": facts.python.rpartition(".")[0],
        "distributed": facts.versions["distributed"],
        "dask": facts.versions["dask"],
        "fairtrial": facts.versions["fairtrial"],
        "source of the lab": _short(facts.lab_sha256),
        "source of the engine": _short(facts.engine_sha256),
        "architecture": facts.architecture,
    }


def assert_same_versions(here: Facts, others: Mapping[str, Facts]) -> None:
    """Refuse a cluster of which a part has other versions than this process.

    Args:
        others: by the name under which a message names it.

    Raises:
        Problem: one has.
    """
    for where, other in others.items():
        differences = version_differences(here, other)
        if differences:
            raise Problem(f"{where} has other versions: {'; '.join(differences)}", VERSIONS_REMEDY, NOTHING_RAN)


def _short(sha256: str | None) -> str | None:
    return None if sha256 is None else sha256[:12]
