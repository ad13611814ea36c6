"""Versions are compared first, whatever is installed there: nothing of Fairtrial's is called where it differs."""

import importlib.metadata
from collections.abc import Callable
from typing import Any, cast

import pytest

from fairtrial.base.problem import Problem
from fairtrial.cluster.connection import Cluster
from fairtrial.cluster.facts import Facts, facts
from fairtrial.cluster.fitness import assert_fit, facts_of
from fairtrial.cluster.settings import SETTINGS

WANTED = {each.key: each.value for each in SETTINGS}


class SomeCluster:
    """Whose processes answer so."""

    def __init__(self, version: Callable[[], str], answer: Callable[[], Facts]) -> None:
        self._version, self._answer = version, answer

    def call_unknown(self, _worker: str | None, function: Any, *_arguments: Any) -> Any:
        return self._version() if function is importlib.metadata.version else self._answer()


def fault(error: Exception) -> Callable[[], Any]:
    def call() -> Any:
        raise error

    return call


def here() -> str:
    return importlib.metadata.version("fairtrial")


@pytest.mark.parametrize(
    ("version", "answer", "words"),
    [
        (lambda: "0.0.9", fault(AssertionError("it was called")), "fairtrial 0.0.9, here"),
        (fault(importlib.metadata.PackageNotFoundError("fairtrial")), fault(AssertionError()), "is not installed"),
        # As Dask raises what was raised while it looked for the function.
        (here, fault(Exception("ModuleNotFoundError(...)")), "of other sources, here"),
    ],
)
def test_another_fairtrial_is_refused(version: Any, answer: Any, words: str) -> None:
    cluster = cast("Cluster", SomeCluster(version, answer))
    other = facts_of(cluster, "tls://a:1")
    assert not other.is_known
    fit = cast("Cluster", SomeCluster(here, lambda: Facts(**{**vars(facts()), "settings": WANTED})))
    assert facts_of(fit, None).is_known
    with pytest.raises(Problem, match="tls://a:1 has other versions: ") as refused:
        assert_fit(fit, {"tls://a:1": other})
    assert words in refused.value.reason and "install the same there" in refused.value.remedy


def test_one_that_does_not_answer_is_no_other_version() -> None:
    cluster = cast("Cluster", SomeCluster(here, fault(Problem("it did not answer"))))
    with pytest.raises(Problem, match="it did not answer"):
        facts_of(cluster, "tls://a:1")
