"""Journeys of five steps beside five plain requests and k6. Those that take a value send it in the path of the next."""

import json
from collections.abc import Sequence
from typing import Any

from benches.load import Command, Load
from benches.processes import Target
from benches.tables.contest import Contest, ours, table_of, theirs
from benches.tools import engine, k6

BODY = json.dumps({"id": "a-1"})
STEPS = 5
LATER = ", ".join(map(str, range(1, STEPS)))
OF_K6 = f"const id = http.get(URL + '0').json('id'); for (const at of [{LATER}]) http.get(`${{URL}}${{at}}/${{id}}`);"


def plain() -> list[dict[str, Any]]:
    """Requests that nothing leads from one to the next of."""
    return [{"path": f"/{step}"} for step in range(STEPS)]


def steps() -> list[dict[str, Any]]:
    """The same as a journey."""
    return [{**request, "journey": "five"} for request in plain()]


def steps_with_a_value() -> list[dict[str, Any]]:
    """A journey whose first step takes a value of its JSON body."""
    first, *later = steps()
    sent = [{**step, "path": f"{step['path']}/{{{{var id}}}}", "template": True} for step in later]
    return [{**first, "template": True, "take": {"id": {"pointer": "/id"}}}, *sent]


def of_k6(load: Load) -> Command:
    """Each user takes the value, and goes all five steps; at a rate, so many users arrive as of ours."""
    return k6.running(load, k6.script(load, OF_K6))


def contest(driver: str) -> Contest:
    """By one driver of the engine."""

    def of(requests: Sequence[dict[str, Any]], what: str, *, is_paced: bool = False) -> Any:
        percentiles = engine.journey_percentiles if is_paced else None
        return ours({"requests": requests}, name=f"fairtrial: {what}", driver=driver, percentiles=percentiles)

    return Contest(
        name=f"Journeys by {driver}",
        server=lambda bench, _: Target(bench.engine, bench.target_cpu, ["--body", BODY]),
        ways=[
            of(steps_with_a_value(), "steps, one of which takes a value", is_paced=True),
            of(steps(), "steps"),
            of(plain(), "plain requests"),
            theirs(
                k6.TOOL, of_k6, k6.count, lambda finished: k6.percentiles(finished, "iteration_duration"),
                name="k6: steps, one of which takes a value",
            ),
        ],
        connections=64,
        rate_per_second=200.0,
    )  # fmt: skip


TABLE = table_of("journeys", "64 connections", [contest("io_uring"), contest("epoll")])
