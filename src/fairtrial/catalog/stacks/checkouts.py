"""The sources of contenders that are tried at several commits: a worktree of git for each, as long as a run lasts."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.stacks.contenders import Checkouts, folder_of
from fairtrial.catalog.stacks.model import Checkout
from fairtrial.catalog.stacks.repository import Repository
from fairtrial.experiment.contenders import WORKING_TREE
from fairtrial.experiment.model import Experiment


@contextmanager
def checked_out(experiment: Experiment, beside: Path) -> Iterator[Checkouts]:
    """The sources at every ref of every contender of the experiment; they are removed at the end.

    Args:
        beside: the folder of the experiment's file.

    Raises:
        Problem: a folder is in no repository, or a ref names no commit of it.
    """
    with ExitStack() as worktrees:
        checkouts: dict[str, dict[str, Checkout]] = {}
        for name, contender in experiment.contenders.items():
            if not contender.tried_refs:
                continue
            folder = folder_of(contender, beside)
            if not folder.is_dir():
                raise Problem(f"contenders.{name}.folder: there is no folder {folder}", "correct the path")
            repository = Repository.of(folder)
            commits = {variant: repository.commit_of(ref) for variant, ref in contender.tried_refs.items()}
            places = worktrees.enter_context(run_folder("refs"))
            checkouts[name] = {
                variant: Checkout(
                    folder=worktrees.enter_context(repository.worktree(commit, places / variant)),
                    commit=None if contender.tried_refs[variant] == WORKING_TREE else commit,
                )
                for variant, commit in commits.items()
            }
        yield checkouts
