"""`python -m tests.shipped.build`: builds the shipped stacks in the user's cache, side by side.

Tests use these builds (`tests.conftest.cache`). Otherwise each is built by the first test that needs it.
"""

import sys
import tempfile
from functools import partial
from pathlib import Path

from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.experiment.files import load_experiment, shipped_experiments
from fairtrial.lab.preparation import StackBuild, Steps, preparing


def main() -> None:
    """Build each stack for all its services, as `fairtrial check` does, and those of the quickstart as it runs them."""
    stacks = find_stacks()
    quickstart = load_experiment(shipped_experiments()["quickstart"])
    of_quickstart = [StackBuild(stacks[reference.name]) for reference in quickstart.stacks]
    with tempfile.TemporaryDirectory(prefix="fairtrial-builds-") as logs:
        prepared = partial(preparing, logs=Path(logs), steps=Steps(lambda _line: None))
        with (
            prepared([StackBuild(stack) for stack in stacks.values()], services=None) as for_all_services,
            prepared(of_quickstart, services={quickstart.service}) as for_quickstart,
        ):
            for preparation in (for_all_services, for_quickstart):
                for ready in preparation.ready_stacks().values():
                    if ready.failure is not None:
                        print(f"{ready.identity.name}: {ready.failure.reason}", file=sys.stderr)


if __name__ == "__main__":
    main()
