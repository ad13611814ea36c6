"""A text as tools print it, without what a terminal, a log, a mail or Markdown put around its lines."""

import html
import re
from collections.abc import Sequence
from itertools import groupby

STYLE = re.compile(
    r"\x1b\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b[()][A-Z0-9]"
    r"|(?:\^\[|\\x1b|\\033|\\e|\\u001b)\[[0-9;]{0,20}m|\[(?:[0-9]|[34][0-9]|9[0-7])(?:;\d{1,3}){0,4}m(?![\d\]])"
)
"""Sequences that colour text and move in a terminal, also where a log lost their first character."""
UNSEEN = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u3000]")
TAG = re.compile(
    r"</?(?:pre|code|samp|kbd|tt|b|strong|em|i|u|mark|span|font|p|div|li|ul|ol|td|tr|th|table|tbody|details|summary|"
    r"blockquote|br)(?:\s[^<>\n]{0,200})?/?>",
    re.IGNORECASE,
)
ENTITY = re.compile("&(?:lt|gt|amp|quot|apos|nbsp|micro|plusmn|hellip|#39|#x27|#34|#8230);")
BOLD = re.compile(r"\*\*(?=\S)|(?<=\S)\*\*|`|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)")
EMPHASIS = re.compile(r"(?<![\w*_])([*_])(\d[\d.,]{0,30} ?[\w%/]{0,10})\1(?![\w*_])")
CONTINUED = re.compile(r"[ \t][\\`^][ \t]*\n[\s>#*]*")
"""The line of a call that goes on in the next one: of a shell, PowerShell and cmd."""
MARK = re.compile(r"(?:>+\s*|//+\s*|#+(?=\w))|(?:[^\w\s\[\](){}<\"'$=.:&\\]{1,3}|#{1,6}|\d{1,2}[.)]|<!--)(?:\s+|$)")
"""Quotes, comments, marks of lists, borders of tables, ticks: what a tool puts there itself is no figure either."""
EMPTY_LINES = re.compile(r"\n{3,}")
MOST_MARKS = 6
MOST_PREFIXES = 20
LONGEST_PREFIX = 160
NEAR_LINES = 12
FEWEST_LINES = 3
WORD = re.compile(r"\w+")
DIGITS = re.compile(r"\d+")
TIME = re.compile(
    r"\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]?)?\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"(?: [0-9a-f]{2}[OE]\+?)?"
)
"""A time stamp; in logs of GitLab the number of the stream follows."""


def cleaned(text: str, lines_of_tools: Sequence[str]) -> str:
    """The lines of a text without styles, spaces at both ends, and whatever else stands before what a tool printed.

    What stands before a line is found by the lines themselves: where one that a tool prints stands in the middle of a
    line, and what is before it begins lines near it, too, this is a prefix, whoever wrote it.

    Args:
        lines_of_tools: patterns of lines by which outputs are found, without a `^` before them.
    """
    text = CONTINUED.sub(" ", EMPTY_LINES.sub("\n\n", text.replace("\r\n", "\n")))
    text = STYLE.sub("", ENTITY.sub(lambda match: html.unescape(match[0]), TAG.sub("", text)))
    text = SPACES.sub(" ", UNSEEN.sub("", text)).replace("\r", "\n").replace("\ufffds", "us")
    lines = [_unmarked(line.strip()) for line in EMPHASIS.sub(r"\2", BOLD.sub("", text)).split("\n")]
    lines = [_unmarked(line) for line in _without_prefixes(lines, lines_of_tools)]
    if 2 * lines.count("") >= len(lines) - 1:  # an empty line behind each, as of pages that were copied
        lines = [line for line in lines if line]
    return EMPTY_LINES.sub("\n\n", "\n".join(lines))


def _unmarked(line: str) -> str:
    for _ in range(MOST_MARKS):
        match = MARK.match(line)
        if match is None:
            break
        line = line[match.end() :]
    return line


def _without_prefixes(lines: list[str], lines_of_tools: Sequence[str]) -> list[str]:
    """The lines without prefixes; those of each service together, where several took turns."""
    prefixes = _prefixes(lines, lines_of_tools)
    if not prefixes:
        return lines
    pattern = re.compile("|".join(prefixes))
    matches = [(pattern.match(line), line) for line in lines]
    stripped = [line if match is None else line[match.end() :].strip() for match, line in matches]
    services = [None if match is None else _service(match[0]) for match, _ in matches]
    turns = [service for service, _ in groupby(each for each in services if each is not None)]
    if len(turns) == len(set(turns)):
        return stripped
    # What stands between them, such as a call, is nobody's any more.
    order = {service: place for place, service in enumerate([*dict.fromkeys(turns), None])}
    return [stripped[place] for place in sorted(range(len(lines)), key=lambda place: order[services[place]])]


def _service(prefix: str) -> str:
    """The words of a prefix without its time."""
    return " ".join(WORD.findall(TIME.sub("", prefix)))


def _prefixes(lines: list[str], lines_of_tools: Sequence[str]) -> list[str]:
    """Patterns of what stands before lines of tools, the longest first."""
    at_start = re.compile("|".join(lines_of_tools))
    inside = re.compile(rf"(?<=[\s|\]>:/*#;-])(?:{at_start.pattern})")
    shapes: dict[str, int] = {}
    for number, line in enumerate(lines):
        match = inside.search(line, 1, 2 * LONGEST_PREFIX)
        if match is None or match.start() > LONGEST_PREFIX or at_start.match(line):
            continue
        shape = _shape(line[: match.start()])
        if shape not in shapes:
            starts = re.compile(shape)
            near = lines[max(number - NEAR_LINES, 0) : number + NEAR_LINES]
            shapes[shape] = sum(starts.match(other) is not None for other in near)
    shared = [shape for shape, number in shapes.items() if number >= FEWEST_LINES]
    return sorted(shared[:MOST_PREFIXES], key=len, reverse=True)


def _shape(prefix: str) -> str:
    """A pattern of prefixes like this one: other digits, more or fewer spaces, and none at the end of an empty line."""
    words = [DIGITS.sub(r"\\d+", re.escape(word)) for word in prefix.split()]
    return r"\s+".join(words) + r"(?:\s+|$)" if prefix[-1:].isspace() else r"\s+".join(words)
