"""The command line of another tool, read from a table of its flags."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem


@dataclass(frozen=True)
class Flag:
    """A flag that is supported. Without `parse` it takes no value; if `repeated`, its values make a list."""

    names: tuple[str, ...]
    name: str
    parse: Callable[[str], Any] | None = None
    repeated: bool = False


@dataclass(frozen=True)
class UnsupportedFlag:
    """A flag that the tool has and Fairtrial refuses, with the reason and what to do instead."""

    names: tuple[str, ...]
    takes_value: bool
    reason: str
    remedy: str = ""


@dataclass(frozen=True)
class ToolSyntax:
    """The command line of a tool."""

    name: str
    usage: str
    flags: Sequence[Flag]
    unsupported: Sequence[UnsupportedFlag]


def read_arguments(tool: ToolSyntax, arguments: Sequence[str]) -> argparse.Namespace:
    """The values of all flags by their names, and `url`.

    Single-dash flags may be grouped and joined with their value, as in `-kc20` and `-d10m`.

    Raises:
        Problem: a flag is unknown or unsupported, a value is wrong, or there is not exactly one URL.
    """
    parser = _Parser(prog=f"fairtrial {tool.name}", add_help=False, allow_abbrev=False)
    parser.tool = tool
    for flag in tool.flags:
        if flag.parse is None:
            parser.add_argument(*flag.names, dest=flag.name, action="store_true")
        else:
            action = "append" if flag.repeated else "store"
            parser.add_argument(*flag.names, dest=flag.name, type=flag.parse, action=action)
    for unsupported in tool.unsupported:
        parser.add_argument(
            *unsupported.names, action=_Refuse, nargs=None if unsupported.takes_value else 0, const=unsupported
        )
    parser.add_argument("url", nargs="*")
    values = parser.parse_intermixed_args(list(arguments))
    if len(values.url) != 1:
        raise Problem(f"{tool.name} takes one URL, found {len(values.url)}", tool.usage)
    values.url = values.url[0]
    return values


def whole_number(least: int) -> Callable[[str], int]:
    """A parser of whole numbers that are at least `least`, with the SI units of wrk: `1k`, `2M`."""

    def parse(text: str) -> int:
        factor = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1:].lower(), 1)
        digits = text if factor == 1 else text[:-1]
        if not digits.isdecimal() or int(digits) * factor < least:
            raise Problem(f"'{printable(text)}' is not a whole number from {least}", "write digits, such as 1000")
        return int(digits) * factor

    return parse


class _Parser(argparse.ArgumentParser):
    """Raises a `Problem` for a wrong argument, where argparse would end the process."""

    tool: ToolSyntax

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{self.tool.name}: {printable(message)}", self.tool.usage)


class _Refuse(argparse.Action):
    """Raises a `Problem` as soon as an unsupported flag is met."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        _values: object,
        option_string: str | None = None,
    ) -> None:
        flag: UnsupportedFlag = self.const
        assert isinstance(parser, _Parser)
        raise Problem(f"{parser.tool.name} {option_string} is not supported: {flag.reason}", flag.remedy)
