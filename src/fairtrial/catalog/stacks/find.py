"""Finding stacks: the shipped ones, and those in the user's own folders."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem
from fairtrial.base.registry import pick
from fairtrial.base.toml_file import read_toml
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.reference import StackRef

MANIFEST = "stack.toml"


def find_stacks(stack_folders: Sequence[Path] = ()) -> dict[str, Stack]:
    """Return all stacks by name. A folder in `stack_folders` holds stacks, or is itself one.

    Raises:
        Problem: a folder is missing or holds no stack, a manifest is broken, or two stacks share a name.
    """
    stacks: dict[str, Stack] = {}
    for folder in [shipped("stacks"), *stack_folders]:
        for stack in _stacks_in(folder.resolve()):
            if stack.name in stacks and stacks[stack.name].folder != stack.folder:
                raise Problem(
                    f"two stacks are named {stack.name}: {stacks[stack.name].folder} and {stack.folder}",
                    "rename one of the folders",
                )
            stacks[stack.name] = stack
    return stacks


def pick_stack(stacks: Mapping[str, Stack], reference: StackRef) -> Stack:
    """Return the stack that `reference` names; it has the variant that `reference` names.

    Raises:
        Problem: there is no such stack or variant.
    """
    remedy = "name one that there is, or add the folder of your own stacks with --stacks DIR"
    stack = pick("stack", reference.name, stacks, remedy)
    stack.variant(reference)
    return stack


def _stacks_in(folder: Path) -> list[Stack]:
    if (folder / MANIFEST).is_file():
        return [_read(folder)]
    if not folder.is_dir():
        raise Problem(f"{folder}: there is no such folder", "name a folder with stacks in it")
    stacks = [_read(path.parent) for path in sorted(folder.glob(f"*/{MANIFEST}"))]
    if not stacks:
        raise Problem(
            f"{folder}: holds no stack",
            f"a stack is a folder with a {MANIFEST}; see docs/stack-contract.md",
        )
    return stacks


def _read(folder: Path) -> Stack:
    return read_stack(folder, folder.name)


def read_stack(folder: Path, name: str) -> Stack:
    """Read the stack of this folder under a name that need not be the folder's.

    Raises:
        Problem: there is no manifest, or it is broken.
    """
    values: dict[str, Any] = {"name": name, "folder": folder, "url": None, "in_experiment": False, "checkouts": {}}
    return read_toml(folder / MANIFEST, Stack, "docs/stack-contract.md", **values)
