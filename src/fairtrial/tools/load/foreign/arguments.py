"""Another tool's command line, read by a table."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem


@dataclass(frozen=True)
class Flag:
    """One flag that is understood. `read` None: it takes no value. `repeated`: values are collected."""

    names: tuple[str, ...]
    into: str
    read: Callable[[str], Any] | None = None
    repeated: bool = False


@dataclass(frozen=True)
class Refused:
    """One flag that is known and not taken, with the reason and what to do instead."""

    names: tuple[str, ...]
    takes_value: bool
    reason: str
    remedy: str = ""


@dataclass(frozen=True)
class ForeignTool:
    """A tool by its name, its flags, and how it is called."""

    name: str
    usage: str
    flags: Sequence[Flag]
    refused: Sequence[Refused]


def read_arguments(tool: ForeignTool, arguments: Sequence[str]) -> argparse.Namespace:
    """The values by their names, and `url`.

    Single-dash flags may be grouped and joined with their value, as in `-kc20` and `-d10m`.

    Raises:
        Problem: a flag is unknown or refused, a value is wrong, or there is not exactly one URL.
    """
    parser = _Parser(prog=f"fairtrial {tool.name}", add_help=False, allow_abbrev=False)
    parser.tool = tool
    for flag in tool.flags:
        if flag.read is None:
            parser.add_argument(*flag.names, dest=flag.into, action="store_true")
        else:
            action = "append" if flag.repeated else "store"
            parser.add_argument(*flag.names, dest=flag.into, type=flag.read, action=action)
    for refused in tool.refused:
        parser.add_argument(*refused.names, action=_Refuse, nargs=None if refused.takes_value else 0, const=refused)
    parser.add_argument("url", nargs="*")
    found = parser.parse_intermixed_args(list(arguments))
    if len(found.url) != 1:
        raise Problem(f"{tool.name} takes one URL, found {len(found.url)}", tool.usage)
    found.url = found.url[0]
    return found


def whole(least: int) -> Callable[[str], int]:
    """A reader of whole numbers from `least`, with wrk's SI units: `1k`, `2M`."""

    def read(text: str) -> int:
        factor = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1:].lower(), 1)
        digits = text if factor == 1 else text[:-1]
        if not digits.isdecimal() or int(digits) * factor < least:
            raise Problem(f"'{printable(text)}' is not a whole number from {least}", "write digits, such as 1000")
        return int(digits) * factor

    return read


class _Parser(argparse.ArgumentParser):
    """Speaks in problems."""

    tool: ForeignTool

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{self.tool.name}: {printable(message)}", self.tool.usage)


class _Refuse(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        _values: object,
        option_string: str | None = None,
    ) -> None:
        refused: Refused = self.const
        assert isinstance(parser, _Parser)
        raise Problem(f"{parser.tool.name} {option_string} is not taken: {refused.reason}", refused.remedy)
