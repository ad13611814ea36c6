"""The command typed before an output: the options that tools do not repeat in what they print."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from fairtrial_cross_examine.figures import DURATION, duration, exactly
from fairtrial_cross_examine.model import Figure

CALL = re.compile(
    r"(?<![\w.-])(ab|wrk2?|hey|oha|k6|h2load|autocannon|vegeta|hyperfine|bombardier|siege|loadtest|ghz)(?:\.exe|[_:@-][\w.-]{1,60})?(?=\s)"
)
"""The name of a tool, with what a release, an image or a package manager puts behind it."""
ARGUMENT = re.compile(r"--?[A-Za-z]|['\"]?https?://|(?:run|attack)\s")
ADDRESS = re.compile(r"https?://[^\s'\"]{1,1000}")
LONGEST_LINE = 2000
ENDS = ("|", "||", "&", "&&", ";", "2>&1")
MOST_LINES = 200
"""A call stands closely above its output; a tool may print its progress in between."""
THOUSANDS = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6}
NO_RATE = ("0", "0/s", "0/1s", "0.0", "infinity", "inf", "max", "unlimited")
"""Values with which options that ask for a rate ask for none: a closed load."""


@dataclass(frozen=True)
class PrintedCall:
    """A call of a tool."""

    tool: str
    words: Sequence[str]
    line: str = ""
    """the whole line that it stands in"""

    def option(self, *names: str) -> str | None:
        """The value of an option in any of its spellings: `-c 10`, `-c10`, `--connections=10`, `-rate=5`."""
        for place, word in enumerate(self.words):
            for name in names:
                if word == name:
                    return self.words[place + 1] if place + 1 < len(self.words) else None
                if word.startswith(f"{name}="):
                    return word.removeprefix(f"{name}=")
                if len(name) == 2 and word.startswith(name) and word[2:3].isdigit():
                    return word[2:]
        return None

    @property
    def is_given(self) -> bool:
        return self.tool != ""

    @property
    def url(self) -> str | None:
        """The first address of its line, which may be in what is piped into it."""
        match = ADDRESS.search(self.line)
        return None if match is None else match[0]

    def has(self, *names: str) -> bool:
        """Whether an option is given."""
        return self.option(*names) is not None

    def number(self, *names: str) -> float | None:
        """The value of an option as a number; `1k` is 1000, and of `50/1s` it is 50."""
        match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([kKM]?)(?:/1?s)?", self.option(*names) or "")
        return None if match is None else float(match[1]) * THOUSANDS[match[2]]

    def rate(self, *names: str) -> float | None:
        """The rate that an option asks for; 0 where it is not given or one of NO_RATE; None: it cannot be read."""
        text = self.option(*names)
        if text is None or text.lower() in NO_RATE:
            return 0.0
        return self.number(*names)

    def connections(self, default: int, *names: str) -> int | None:
        """The value of an option as a count; `default` where it is not given; None: it cannot be read, as `$n`, or
        there is no call."""
        return self.whole(*names) if self.has(*names) else default if self.is_given else None

    def seconds(self, *names: str) -> Figure | None:
        """The value of an option as a time, such as `30s`; a number alone is in seconds, and 0 is no time."""
        text = self.option(*names) or ""
        text = f"{text}s" if re.fullmatch(r"\d{1,9}", text) else text
        value = duration(text).value if re.fullmatch(DURATION, text) else 0.0
        return exactly(value) if value else None

    def whole(self, *names: str) -> int | None:
        """The value of an option as a count of at least 1."""
        value = self.number(*names)
        return None if value is None or value < 1 else int(value)


NO_CALL = PrintedCall("", ())


def last_command(text: str, tools: Sequence[str]) -> PrintedCall:
    """The last call of one of these tools in the last lines of a text; NO_CALL if there is none."""
    return next(last_commands(text, tools), NO_CALL)


def last_commands(text: str, tools: Sequence[str]) -> Iterator[PrintedCall]:
    """The first call of one of these tools in each of the last lines of a text, the last line first."""
    for line in reversed(text[-MOST_LINES * LONGEST_LINE :].splitlines()[-MOST_LINES:]):
        for match in CALL.finditer(line[:LONGEST_LINE]):
            arguments = line[match.end() : LONGEST_LINE].strip()
            if match[1] in tools and _is_call(arguments):
                yield PrintedCall(match[1], _words(arguments), line[:LONGEST_LINE])
                break


def _is_call(arguments: str) -> bool:
    """Whether an option, a URL or a subcommand follows at once, as in no sentence about the tool."""
    return ARGUMENT.match(arguments) is not None


def _words(arguments: str) -> list[str]:
    """The arguments up to the end of the command."""
    try:
        words = shlex.split(arguments)
    except ValueError:  # a quotation that is not closed
        words = arguments.split()
    return list(takewhile(lambda word: word not in ENDS, words))
