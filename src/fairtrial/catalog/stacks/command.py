"""A contender that is a command, which is run where it lies, neither copied nor built."""

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.requests import BuildRequest, ReadyProgram
from fairtrial.experiment.origins import CommandOrigin


def ready(request: BuildRequest, origin: CommandOrigin) -> ReadyProgram:
    """Find the folder in which the command is run.

    Raises:
        Problem: there is no such folder.
    """
    folder = request.stack.folder / origin.directory
    if not folder.is_dir():
        raise Problem(f"directory: there is no folder {folder}", "name the folder in which the command is run")
    return ReadyProgram(folder.resolve())
