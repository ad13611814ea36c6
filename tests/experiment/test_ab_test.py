"""The experiment that `fairtrial ab-test` makes of a file."""

from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial.experiment.ab_test import between_contenders, between_refs, contender_of
from fairtrial.experiment.model import Experiment


def an_experiment(load: dict[str, Any], **contenders: dict[str, Any]) -> Experiment:
    file = {"name": "x", "title": "x", "workload": "plaintext", "stacks": list(contenders), "load": load}
    return Experiment.model_validate(file | {"contenders": contenders})


@pytest.mark.parametrize(
    ("load", "metric", "bounds"),
    [
        ({"kind": "closed"}, "goodput", (0.9, None)),
        ({"kind": "open", "rate_per_second": 10}, "response_time_p50", (None, 1.1)),
    ],
)
def test_two_refs_are_paired_and_judged_by_the_margin(
    load: dict[str, Any], metric: str, bounds: tuple[float | None, float | None]
) -> None:
    asked = an_experiment(load, app={"folder": ".", "refs": ["a", "b", "c"]}, other={"url": "http://127.0.0.1:1"})
    paired = between_refs(asked, "app", "main", "HEAD", 0.1)
    assert list(map(str, paired.stacks)) == ["app:main", "app:head"]
    assert list(paired.contenders) == ["app"]
    decides, cost = [claim.model_dump() for claim in paired.claims]
    assert (decides["of"], decides["to"], decides["metric"]) == ("app:head", "app:main", metric)
    assert (decides["at_least"], decides["at_most"]) == bounds
    assert (decides["adds_blocks"], cost["adds_blocks"]) == (True, False)
    assert (cost["metric"], cost["at_least"], cost["at_most"]) == ("server_cpu_per_1000_requests", None, 1.1)


def test_refs_that_cannot_be_told_apart_are_refused(snapshot: object) -> None:
    asked = an_experiment({"kind": "closed"}, app={"folder": "."})
    with pytest.raises(Problem) as error:
        between_refs(asked, "app", "HEAD", "head", 0.1)
    assert str(error.value) == snapshot


def test_the_contender_is_the_only_one_with_a_folder_or_named(snapshot: object) -> None:
    load = {"kind": "closed"}
    one = an_experiment(load, app={"folder": "."}, other={"url": "http://127.0.0.1:1"})
    two = an_experiment(load, app={"folder": "."}, web={"folder": "."})
    assert contender_of(one, None) == contender_of(two, "app") == "app"
    with pytest.raises(Problem) as error:
        contender_of(two, None)
    assert str(error.value) == snapshot
    with pytest.raises(Problem, match="--contender other"):
        contender_of(one, "other")
    with pytest.raises(Problem, match="no contender has a folder"):
        contender_of(an_experiment(load, other={"url": "http://127.0.0.1:1"}), None)


@pytest.mark.parametrize("many", [0, 11])
def test_contenders_that_differ_in_no_variable_or_in_too_many_are_refused(many: int, snapshot: object) -> None:
    variables = {f"VARIABLE_{each}": "on" for each in range(many)}
    servers = {"command": ["./server"], "directory": "."}
    asked = an_experiment({"kind": "closed"}, a=servers, b=servers | {"env": variables})
    with pytest.raises(Problem) as error:
        between_contenders(asked, "a", "b")
    assert f"{error.value}\n{error.value.remedy}" == snapshot
