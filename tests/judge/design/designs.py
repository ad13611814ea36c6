"""Experiments that are never run, as their design is examined."""

from pathlib import Path
from typing import Any

from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.model import Experiment
from fairtrial.judge.design import flaws_of
from fairtrial.judge.design.model import Design, Flaw
from fairtrial.plan.design import design_of
from fairtrial.plan.make import make_plan

WORKLOADS = ["plaintext", "fan-out", "query-mix", "query-chain", "random-item", "survey-insert"]
SERVICES = ["none", "sqlite", "postgresql"]


def a_stack(name: str, **more: Any) -> Stack:
    """A stack that serves everything, with variants of other settings."""
    of_kind = (
        {"workloads": WORKLOADS} if more.get("kind") != "program" else {"workloads": ["query-batch", "call-batch"]}
    )
    variants = {
        "one": {"env": {"DB_POOL": "1"}},
        "sixteen": {"env": {"DB_POOL": "16"}},
        "few-threads": {"env": {"MAX_THREADS": "4"}},
        "one-process": {"env": {"WEB_CONCURRENCY": "1"}},
        "two-processes": {"env": {"WEB_CONCURRENCY": "2"}},
        "blocking": {"env": {"DB_POOL": "1", "CONCURRENCY": "1"}},
    }
    file = {"name": name, "folder": Path("/nowhere"), "title": name, "services": SERVICES, "run": ["true"]}
    return Stack.model_validate({**file, **of_kind, "variants": variants, **more})


STACKS = {
    each.name: each
    for each in (
        a_stack("a", language="Go"),
        a_stack("b", language="Rust"),
        a_stack("java", language="Java"),
        a_stack("stranger"),
        a_stack("batch", kind="program"),
    )
}

CLOSED = {"kind": "closed", "connections": 64, "duration_seconds": 3.0}
OPEN = {"kind": "open", "rate_per_second": 2000, "connections": 256, "duration_seconds": 3.0}

RAMP = {"kind": "ramp", "from_per_second": 100, "to_per_second": 2000, "connections": 256}


def design(*claims: dict[str, Any], processors: int | None = 1, **more: Any) -> Design:
    """The design of an experiment over fan-out with a delay of 10 ms, unless `more` keys of the file say otherwise."""
    numbered = [{"id": f"claim-{number}", "text": "x", **claim} for number, claim in enumerate(claims, 1)]
    file = {"name": "x", "title": "x", "workload": "fan-out", "stacks": ["a", "b"], "load": CLOSED}
    if more.get("workload", "fan-out") == "fan-out":
        file["options"] = {"delay_milliseconds": 10}
    experiment = Experiment.model_validate({**file, "claims": numbered, **more})
    stacks = with_contenders(STACKS, experiment, Path("/nowhere"), {})
    return design_of(make_plan(experiment, stacks, Path("mine.toml")), processors)


def flaws(kind: str, *claims: dict[str, Any], **more: Any) -> list[Flaw]:
    """Those of one kind in such a design."""
    return [flaw for flaw in flaws_of(design(*claims, **more)) if flaw.kind == kind]


def ratio(of: str, to: str, **keys: Any) -> dict[str, Any]:
    """A claim of a ratio."""
    return {"kind": "ratio", "of": of, "to": to, **({} if "at_most" in keys else {"at_least": 1.5}), **keys}


def budget(of: str, **keys: Any) -> dict[str, Any]:
    """A claim of one condition by itself."""
    return {"kind": "budget", "of": of, **keys}


def only(found_flaws: list[Flaw]) -> Flaw:
    """The single flaw, which must be there."""
    assert len(found_flaws) == 1, found_flaws
    assert found_flaws[0].evidence and found_flaws[0].remedy and found_flaws[0].key
    return found_flaws[0]
