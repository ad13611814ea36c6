"""`python -m tests.shipped.build`: builds the engine and the shipped stacks in the user's cache, side by side.

Tests use these builds (`tests.conftest`). Otherwise each is built by the first test that needs it.
"""

import os
import sys
import tempfile
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Stack
from fairtrial.engine.binary import engine_binary, guard_binary
from fairtrial.experiment.files import load_experiment, shipped_experiments
from fairtrial.experiment.reference import StackRef
from fairtrial.lab.preparation import Preparation, StackBuild, StepTimes, preparing
from fairtrial.tools.check.starts import services_of
from tests.shipped.test_stacks import ONE_IS_ENOUGH

GIVES_WAY = 5
"""By so much (nice(2)) the stacks' builds give way: of a processor that they share, the engine gets three quarters."""


def main() -> None:
    """Build the engine, each stack for all its services, which serves every check of it, and the quickstart's stacks as
    it runs them.

    A variant with a build of its own is built for the services on which tests check it.
    """
    stacks = find_stacks()
    quickstart = load_experiment(shipped_experiments()["quickstart"])
    of_quickstart = [StackBuild(stacks[reference.name]) for reference in quickstart.stacks]
    # The longest first: they are compiled on one processor while the others go on.
    groups: list[tuple[list[StackBuild], Collection[str] | None]] = [
        *(([build], services) for build, services in _of_variants(stacks)),
        ([StackBuild(stack) for stack in stacks.values()], None),
        (of_quickstart, {quickstart.service}),
    ]
    with tempfile.TemporaryDirectory(prefix="fairtrial-builds-") as logs, ExitStack() as running:
        engine = running.enter_context(ThreadPoolExecutor(max_workers=1)).submit(_programs)
        # The engine's last crate takes longest of all, and one processor: what is begun from here on gives way to it.
        os.nice(GIVES_WAY)
        steps = StepTimes(lambda _line: None)
        preparations = [
            running.enter_context(preparing(builds, services=services, logs=Path(logs) / str(number), steps=steps))
            for number, (builds, services) in enumerate(groups)
        ]
        for preparation in preparations:
            _tell_failures(preparation)
        engine.result()


def _programs() -> None:
    """Build the guard, below which stacks are built, and then the engine."""
    guard_binary()
    engine_binary()


def _of_variants(stacks: Mapping[str, Stack]) -> list[tuple[StackBuild, frozenset[str]]]:
    """The builds of variants that are built apart, each for the services on which tests check it."""
    references = [(StackRef.model_validate(contender), tried) for contender, tried in ONE_IS_ENOUGH.items()]
    return [
        (StackBuild(stacks[reference.name], built_apart=apart), frozenset(services_of([tried])))
        for reference, tried in references
        if (apart := stacks[reference.name].built_apart(reference.variant)) is not None
    ]


def _tell_failures(preparation: Preparation) -> None:
    for ready in preparation.ready_stacks().values():
        if ready.failure is not None:
            print(f"{ready.identity.build_name}: {ready.failure.reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
