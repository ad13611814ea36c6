"""The classes of stacks: what a stack stands for, and so what its figures may be ranked with."""

from typing import Literal, get_args

StackClass = Literal["production", "engine", "replica", "flawed"]

PRODUCTION: StackClass = "production"
"""The class of a stack that names none, and of every stack in records from before there were classes."""

STACK_CLASSES: tuple[StackClass, ...] = get_args(StackClass)
"""All classes, in the order in which tables show them."""
