"""A text as tools print it, without what a terminal, a log, a mail or Markdown put around its lines."""

import html
import json
import re
from collections.abc import Sequence
from itertools import groupby

STYLE = re.compile(
    r"\x1b[\]_][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|\x1b\[[0-9;:?]{0,30}[A-Za-z]|\x1b[()][A-Z0-9]"
    r"|(?:\^\[|\\x1b|\\033|\\e|\\u001b)\[[0-9;:]{0,30}m|\[(?:[0-9]|[34][0-9]|9[0-7])(?:;\d{1,3}){0,4}m(?![\d\]])"
)
"""Sequences that colour text and move in a terminal, also where a log lost their first character."""
UNSEEN = re.compile("[\x00-\x08\u200b-\u200f\u2060\ufeff\u00ad]")
LINE_ENDS = re.compile("\r\n|[\x0b\x0c\x85\u2028\u2029]|<br ?/?>[ \t]*\r?\n?", re.IGNORECASE)
OTHER_DIGITS = re.compile(r"(?![0-9])\d")
GROUPED = re.compile("(?<=[0-9])['\u2019_\u2009\u202f](?=[0-9]{3}(?![0-9]))")
"""What separates thousands, beside the comma. A space that does not break stands between columns, too."""
CUT_UNIT = re.compile(r"(?<=[0-9][mnu\u00b5])\n(?=s(?:[\s,]|$))")
"""A unit whose two letters a narrow window put on two lines: the first alone would be minutes."""
ALIKE: dict[int, int | str] = {
    **{0xFF01 + place: 0x21 + place for place in range(0x5E)},  # wide forms
    **dict.fromkeys((0x2010, 0x2011, 0x2212), "-"),
    0x3BC: "\u00b5",
}
"""Characters that keyboards and pages put in the place of those that tools print."""
GARBLED = {
    character.encode().decode(encoding, "replace"): character
    for character in "\u00b5\u03bc\u00b1\u2026\u2713\u2717\u2502"
    for encoding in ("latin-1", "cp1252", "cp437", "cp850")
}
"""Characters that tools print in UTF-8, as programs read them that take it for another encoding."""
AS_GARBLED = re.compile("|".join(map(re.escape, GARBLED)))
DOTS = re.compile("\u2026(?=[\u2026.]*:)")
RECORD_KEYS = ("log", "message", "msg", "MESSAGE", "line", "output", "stdout")
"""Where logs and scripts that have an object of JSON on each line keep what was printed."""
SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u3000]")
TAG = re.compile(
    r"</?(?:pre|code|samp|kbd|tt|b|strong|em|i|u|mark|span|font|p|div|li|ul|ol|td|tr|th|table|tbody|details|summary|"
    r"blockquote|br)(?:\s[^<>\n]{0,200})?/?>",
    re.IGNORECASE,
)
CELL_END = re.compile(r"</t[dh]>", re.IGNORECASE)
ENTITY = re.compile("&(?:lt|gt|amp|quot|apos|nbsp|micro|plusmn|hellip|#39|#x27|#34|#8230);")
BOLD = re.compile(r"\*\*(?=\S)|(?<=\S)\*\*|`|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)")
EMPHASIS = re.compile(r"(?<![\w*_])([*_])(\d[\d.,]{0,30} ?[\w%/]{0,10})\1(?![\w*_])")
CONTINUED = re.compile(r"[ \t][\\`^][ \t]*\n[\s>#*]*")
"""The line of a call that goes on in the next one: of a shell, PowerShell and cmd."""
MARK = re.compile(
    r"(?:\^C(?=\s*\S)\s*|>+\s*|//+\s*|#+(?=\w)|[+-](?=[A-Z][a-z]))|(?:[^\w\s\[\](){}<\"'$=.:&\\]{1,3}|#{1,6}|\d{1,2}[.)]|<!--)(?:\s+|$)"
)
"""Quotes, comments, differences, marks of lists, borders of tables, ticks: what a tool puts there itself is no figure
either. The `^C` of whoever stopped it stands before what it prints then."""
EMPTY_LINES = re.compile(r"\n{3,}")
MOST_MARKS = 6
MOST_PREFIXES = 20
LONGEST_PREFIX = 160
NEAR_LINES = 12
FEWEST_LINES = 3
WORD = re.compile(r"\w+")
DIGITS = re.compile(r"\d+")
SUFFIX = re.compile(r"(?:\\n)?[\"'],?$|=20$|\\$")
"""What stands behind each line of a program's strings, of a mail that is quoted-printable, and of a long literal."""
SUFFIXED_SHARE = 0.8
DECIMAL_COMMA = re.compile(r"(?<![0-9.,:])[0-9]{1,9},(?:[0-9]{1,2}|[0-9]{4,9})(?![0-9,.])")
DECIMAL_POINT = re.compile(r"(?<![0-9.,:/])(?<!Version )[0-9]{1,9}\.[0-9]{1,9}(?![0-9.,])")
POINTS_OF_THOUSANDS = re.compile(r"(?<![0-9./])[0-9]{1,3}(?:\.[0-9]{3})+(?=[,\s]|$)", re.MULTILINE)
POINTS_BEFORE_COMMA = re.compile(r"(?<![0-9./])[0-9]{1,3}(?:\.[0-9]{3})+(?=,[0-9])")
COMMA = re.compile("(?<=[0-9]),(?=[0-9])")
CSV_LINE = re.compile(r"^[^,\n]{1,200}(?:,[A-Za-z\"][^,\n]{0,200}){2}", re.MULTILINE)
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
    text = AS_GARBLED.sub(lambda match: GARBLED[match[0]], _unrecorded(text))
    text = LINE_ENDS.sub("\n", text)
    text = CONTINUED.sub(" ", EMPTY_LINES.sub("\n\n", text))
    text = STYLE.sub("", ENTITY.sub(lambda match: html.unescape(match[0]), TAG.sub("", CELL_END.sub(" ", text))))
    text = OTHER_DIGITS.sub(lambda match: str(int(match[0])), UNSEEN.sub("", text).translate(ALIKE))
    text = SPACES.sub(" ", GROUPED.sub("", text)).replace("\r", "\n").replace("\ufffds", "us")
    text = CUT_UNIT.sub("", DOTS.sub("...", text))
    lines = _without_suffixes([line.strip() for line in EMPHASIS.sub(r"\2", BOLD.sub("", text)).split("\n")])
    lines = [_unmarked(line) for line in lines]
    lines = [_unmarked(line) for line in _without_prefixes(lines, lines_of_tools)]
    if 2 * lines.count("") >= len(lines) - 1:  # an empty line behind each, as of pages that were copied
        lines = [line for line in lines if line]
    return EMPTY_LINES.sub("\n\n", "\n".join(lines))


def _unrecorded(text: str) -> str:
    """The output within a log whose lines are objects of JSON, such as those of containers; else the text."""
    if not text.lstrip().startswith("{"):
        return text
    return "\n".join(_of_record(line) for line in text.splitlines())


def _of_record(line: str) -> str:
    try:
        record = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return line
    printed = [record[key] for key in RECORD_KEYS if isinstance(record.get(key), str)] if record else []
    return printed[0].removesuffix("\n") if printed else line


def _without_suffixes(lines: list[str]) -> list[str]:
    """The lines without what stands behind nearly all of them."""
    filled = [line for line in lines if line]
    marked = sum(SUFFIX.search(line) is not None for line in filled)
    if len(filled) < FEWEST_LINES or marked < SUFFIXED_SHARE * len(filled):
        return lines
    return [SUFFIX.sub("", line).lstrip("\"'").strip() for line in lines]


def with_points(parts: Sequence[str]) -> str:
    """The parts of a text together, with points for the decimal commas of each that has more of these.

    Three digits behind a comma tell nothing, nor do they behind a point where the part has other decimal points. An
    output without any decimals that tell goes by the other ones. Beside points, few commas are none of decimals.

    Args:
        parts: text between outputs and outputs, in turns; the first is no output.
    """
    commas, points = ([len(form.findall(part)) for part in parts] for form in (DECIMAL_COMMA, DECIMAL_POINT))
    if sum(commas) < (FEWEST_LINES if sum(points) else 1):
        return "".join(parts)
    of_outputs = sum(commas[1::2]) - sum(points[1::2])
    more = [comma - point if comma or point else of_outputs for comma, point in zip(commas, points, strict=True)]
    return "".join(_with_points(part) if number > 0 else part for number, part in zip(more, parts, strict=True))


def _with_points(part: str) -> str:
    if CSV_LINE.search(part):
        return part
    has_decimal = any(POINTS_OF_THOUSANDS.fullmatch(point) is None for point in DECIMAL_POINT.findall(part))
    of_thousands = POINTS_BEFORE_COMMA if has_decimal else POINTS_OF_THOUSANDS
    return COMMA.sub(".", of_thousands.sub(lambda match: match[0].replace(".", ""), part))


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
