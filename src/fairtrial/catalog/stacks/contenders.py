"""The contenders that an experiment describes itself, as stacks."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.stacks.find import MANIFEST, read_stack
from fairtrial.catalog.stacks.model import Checkout, Stack, Variant
from fairtrial.catalog.stacks.repository import Repository
from fairtrial.experiment.contenders import WORKING_TREE, Contender
from fairtrial.experiment.model import Experiment

HOW_IT_RUNS = ("build", "run", "directory", "port", "ready", "variants", "env_from")
"""The keys of stack.toml that say how a stack is built and run."""

Checkouts = Mapping[str, Mapping[str, Checkout]]
"""By contender, the sources of its refs, by the variant that each is tried as."""


def with_contenders(
    stacks: Mapping[str, Stack], experiment: Experiment, beside: Path, checkouts: Checkouts
) -> dict[str, Stack]:
    """The stacks that there are, and beside them those that the experiment describes, by name.

    Args:
        beside: the folder of the experiment's file, to which paths in it are relative.
        checkouts: for every contender that is tried at several refs.

    Raises:
        Problem: a name is taken, a folder holds no stack, or its manifest is broken.
    """
    described: dict[str, Stack] = {}
    for name, contender in experiment.contenders.items():
        if name in stacks:
            raise Problem(
                f"contenders.{name}: a stack has this name already: {stacks[name].folder}",
                "give the contender another one, here and where `stacks` and claims name it",
            )
        stack = _stack(name, contender, experiment, beside)
        if name in checkouts and stack.origin.kind != "folder":
            raise Problem(
                f"contenders.{name}: its stack.toml has a `directory`, where all refs would run the same files",
                "leave `directory` out and let the lab build it, or leave the refs out",
            )
        if name in checkouts and not stack.in_experiment:
            _assert_described_alike(stack, checkouts[name])
        described[name] = _at_refs(stack, checkouts[name]) if name in checkouts else stack
    return {**stacks, **described}


def folder_of(contender: Contender, beside: Path) -> Path:
    """The folder that a contender names; for one that names none, the experiment's own."""
    folder, _ = contender.origin.located()
    return (beside / Path(contender.folder or folder).expanduser()).resolve()


def _stack(name: str, contender: Contender, experiment: Experiment, beside: Path) -> Stack:
    folder = folder_of(contender, beside)
    if contender.has_manifest:
        if not (folder / MANIFEST).is_file():
            raise Problem(
                f"contenders.{name}.folder: {folder} holds no {MANIFEST}",
                f"write one (docs/stack-contract.md), or set `command` in [contenders.{name}]",
            )
        stack = read_stack(folder, name)
        return stack.model_copy(update={"title": contender.title}) if contender.title else stack
    tried_on = {experiment.service_of(stack) for stack in experiment.stacks if stack.name == name}
    _, origin = contender.origin.located()
    return Stack(
        name=name,
        folder=folder,
        title=contender.title or name,
        workloads=[experiment.workload_name],
        services=sorted(tried_on or {experiment.service}),
        build=contender.build,
        run=contender.command or [],
        variants={"default": Variant(env=contender.env)},
        origin=origin,
        in_experiment=True,
    )


def _assert_described_alike(stack: Stack, checkouts: Mapping[str, Checkout]) -> None:
    """Refuse a ref whose own stack.toml builds or runs it in another way: tried by that of the working tree, it would
    not be what that commit was.

    Raises:
        Problem: one says something else, or is broken.
    """
    described = stack.model_dump()
    for variant, checkout in checkouts.items():
        if not (checkout.folder / MANIFEST).is_file():
            continue
        at_ref = read_stack(checkout.folder, stack.name).model_dump()
        for key in HOW_IT_RUNS:
            if at_ref.get(key) != described.get(key):
                raise Problem(
                    f"contenders.{stack.name}: {MANIFEST} at {variant} has another `{key}` than in the working tree, "
                    "by which all refs are built and run",
                    "let both say the same: what differs belongs into a script that the commits hold, such as "
                    f'`run = ["./serve.sh"]`; or set `command` in [contenders.{stack.name}]',
                )


def _at_refs(stack: Stack, checkouts: Mapping[str, Checkout]) -> Stack:
    """The stack with a variant for each ref, which is built apart. All are described alike: by the working tree."""
    usual = stack.variants.get("default", Variant())
    usual_build = stack.build if usual.build is None else usual.build
    at_ref = usual.model_copy(update={"build": usual_build})
    return stack.model_copy(
        update={"variants": stack.variants | dict.fromkeys(checkouts, at_ref), "checkouts": dict(checkouts)}
    )


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
