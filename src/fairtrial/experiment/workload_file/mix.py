"""Parts of a workload file's mix: which of its requests an experiment sends."""

from collections.abc import Mapping

from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of
from fairtrial.experiment.workload_file.journeys import by_user
from fairtrial.experiment.workload_file.model import RequestEntry

WHOLE_MIX = "all"
WITHOUT = "without-"


def part_of_mix(entries: Mapping[str, RequestEntry], part: str, workload: str) -> dict[str, RequestEntry]:
    """The requests that are sent, by name. The steps of a journey stay together.

    Args:
        part: the name of a request or of a journey; or `without-NAME`, unless something is called so.
        workload: what messages call the workload.

    Raises:
        Problem: there is no such request or journey, or nothing else.
    """
    by_name = [(steps[0][1].journey or steps[0][0], steps) for steps in by_user(entries.items(), _journey)]
    names = [name for name, _ in by_name]
    is_without = part.startswith(WITHOUT) and part not in names
    name = part.removeprefix(WITHOUT) if is_without else part
    if len(set(names)) == 1:
        raise Problem(f'requests = "{part}": {names[0]} is all that {workload} sends', "leave `requests` out")
    if name not in names and name in entries:
        journey = entries[name].journey
        raise Problem(
            f'requests = "{part}": {name} is a step of the journey {journey}, whose steps go together',
            f'write "{WITHOUT if is_without else ""}{journey}"',
        )
    if name not in names:
        raise Problem(
            f'requests = "{part}": {workload} sends no {name!r}{instead_of(name, names)}',
            f'write "{WHOLE_MIX}", the name of a request or a journey, or "{WITHOUT}NAME"',
        )
    return {key: entry for each, steps in by_name if (each == name) != is_without for key, entry in steps}


def _journey(item: tuple[str, RequestEntry]) -> str | None:
    return item[1].journey
