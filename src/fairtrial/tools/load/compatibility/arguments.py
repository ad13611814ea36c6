"""The command line of another tool."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem


class ToolParser(argparse.ArgumentParser):
    """The flags of a tool. Raises a `Problem` for a wrong argument, where argparse would end the process."""

    def __init__(self, tool: str, usage: str) -> None:
        super().__init__(prog=f"fairtrial {tool}", add_help=False, allow_abbrev=False)
        self.tool, self.how_to_use = tool, usage
        self.add_argument("url", nargs="*")

    def takes(self, *flags: str, to: str, parse: Callable[[str], Any] | None = None, repeated: bool = False) -> None:
        """A flag that is supported. Without `parse` it takes no value; if `repeated`, its values make a list."""
        if parse is None:
            self.add_argument(*flags, dest=to, action="store_true")
        else:
            self.add_argument(*flags, dest=to, type=parse, action="append" if repeated else "store")

    def refuses(self, *flags: str, reason: str, remedy: str, takes_value: bool = True) -> None:
        """Flags that the tool has and Fairtrial refuses, with the reason and what to do instead."""
        self.add_argument(*flags, action=_Refuse, nargs=None if takes_value else 0, const=(reason, remedy))

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The values of all flags by their names, and `url`.

        Single-dash flags may be grouped and joined with their value, as in `-kc20` and `-d10m`.

        Raises:
            Problem: a flag is unknown or unsupported, a value is wrong, or there is not exactly one URL.
        """
        values = self.parse_intermixed_args(list(arguments))
        if len(values.url) != 1:
            raise Problem(f"{self.tool} takes one URL, found {len(values.url)}", self.how_to_use)
        values.url = values.url[0]
        return values

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{self.tool}: {printable(message)}", self.how_to_use)


class _Refuse(argparse.Action):
    """Raises a `Problem` as soon as an unsupported flag is met."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        _namespace: argparse.Namespace,
        _values: object,
        option_string: str | None = None,
    ) -> None:
        assert isinstance(parser, ToolParser)
        reason, remedy = self.const
        raise Problem(f"{parser.tool} {option_string} is not supported: {reason}", remedy)


def whole_number(least: int) -> Callable[[str], int]:
    """A parser of whole numbers that are at least `least`, with the SI units of wrk: `1k`, `2M`."""

    def parse(text: str) -> int:
        factor = {"k": 10**3, "m": 10**6, "g": 10**9}.get(text[-1:].lower(), 1)
        digits = text if factor == 1 else text[:-1]
        if not digits.isdecimal() or int(digits) * factor < least:
            raise Problem(f"'{printable(text)}' is not a whole number from {least}", "write digits, such as 1000")
        return int(digits) * factor

    return parse
