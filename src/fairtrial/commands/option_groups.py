"""Options that are declared together, in a dataclass, for a Typer command."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Annotated, Any, get_args, get_origin

from typer.models import ParameterInfo


def with_option_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters may be dataclasses: each of their fields is an option of its own.

    Fields are declared as parameters of a Typer command are: `name: Annotated[type, typer.Option(...)] = default`.
    Options that were not given keep the dataclass's default.
    """
    parameters = inspect.signature(command).parameters
    groups: dict[str, Any] = {
        name: each.annotation for name, each in parameters.items() if is_dataclass(each.annotation)
    }

    @functools.wraps(command)
    def flat(**values: Any) -> None:
        for name, group in groups.items():
            options = {each.name: values.pop(each.name, None) for each in fields(group)}
            values[name] = group(**{key: value for key, value in options.items() if value is not None})
        command(**values)

    flattened = [_parameter(each) for group in groups.values() for each in fields(group)]
    ungrouped = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, each in parameters.items() if name not in groups
    ]
    # Typer reads both; `wraps` has copied the annotations of the command, which name the dataclasses.
    flat.__signature__ = inspect.Signature([*flattened, *ungrouped])  # type: ignore[attr-defined]
    flat.__annotations__ = {}
    return flat


def _parameter(option: Field[Any]) -> inspect.Parameter:
    """The parameter by which Typer reads this field from the command line.

    An option with a parser is declared to Typer as text without a default. Otherwise Typer would parse the default, and
    would expect several values for a tuple.
    """
    info = next(each for each in get_args(option.type) if isinstance(each, ParameterInfo))
    annotation, default = option.type, option.default
    if info.parser is not None:
        default = None
        if get_origin(get_args(option.type)[0]) is not list:
            annotation = Annotated[str | None, info]
    elif default is MISSING:
        default = inspect.Parameter.empty
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
