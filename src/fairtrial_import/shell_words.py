"""A command line of a shell as words: quotes, escapes and `$'…'`, as browsers write them."""

import re
from collections.abc import Sequence

from fairtrial.base.problem import Problem

WORD_PART = re.compile(
    r"""
    \$'(?P<ansi>(?:[^'\\]|\\.)*)'
    | '(?P<single>[^']*)'
    | "(?P<double>(?:[^"\\]|\\.)*)"
    | (?P<joint>\\\r?\n)            # the command goes on in the next line
    | \\(?P<escaped>.)
    | (?P<space>\s+)
    | (?P<plain>[^\s'"\\$]+|\$)
    """,
    re.VERBOSE | re.DOTALL,
)
ANSI = re.compile(
    r"\\(?:x(?P<byte>[0-9A-Fa-f]{1,2})|u(?P<short>[0-9A-Fa-f]{1,4})|U(?P<long>[0-9A-Fa-f]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<letter>.))",
    re.DOTALL,
)
LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
LETTERS |= {each: each for each in "'\"?\\"}
OPERATOR = re.compile(r";|&&?|\|\|?|\d?[<>].*")
CMD = re.compile(r'curl(?:\.exe)?\s+\^"|\^[ \t]*\r?\n[ \t]*-')


class Operator(str):
    """A word without quotes that ends a command, or begins what is no argument of it."""

    __slots__ = ()


def shell_words(text: str, label: str) -> list[str]:
    """The words of a command line, as bash splits them; an `Operator` ends a command. Nothing is expanded.

    `shlex` knows no `$'…'`, in which browsers write bodies that hold a quote or a line end.

    Args:
        label: names the text in errors.

    Raises:
        Problem: a quotation is not closed, or the text was copied for another shell.
    """
    if CMD.search(text):
        raise Problem(f"{label}: is written for cmd.exe", "copy it again, as cURL (bash)")
    words: list[str] = []
    parts: list[re.Match[str]] = []
    place = 0
    while place < len(text):
        match = WORD_PART.match(text, place)
        if match is None:
            raise Problem(f"{label}: the quotation at character {place + 1} is not closed", "copy all of the command")
        place = match.end()
        if match.lastgroup == "space":
            words += _word(parts)
            parts = []
            if "\n" in match["space"]:
                words.append(Operator("\n"))
        elif match.lastgroup != "joint":
            parts.append(match)
    return [*words, *_word(parts)]


def _word(parts: Sequence[re.Match[str]]) -> list[str]:
    """The word that these parts make; none without parts."""
    if not parts:
        return []
    word = "".join(_meaning(part) for part in parts)
    is_bare = all(part.lastgroup == "plain" for part in parts)
    return [Operator(word) if is_bare and OPERATOR.fullmatch(word) else word]


def _meaning(match: re.Match[str]) -> str:
    """The text of a part of a word (POSIX.1-2017, Shell Command Language, 2.2; `$'…'`: Bash manual, 3.1.2.4)."""
    if match["ansi"] is not None:
        return _ansi(match["ansi"])
    if match["double"] is not None:
        return re.sub(r'\\(?:\r?\n|([$`"\\]))', lambda escape: escape[1] or "", match["double"])
    return str(match[match.lastgroup or 0])


def _ansi(text: str) -> str:
    """Bytes may be written one by one, and characters beyond U+FFFF as two halves, as browsers do."""
    parts, last = [], 0
    for match in ANSI.finditer(text):
        parts += [text[last : match.start()].encode("utf-8", "surrogatepass"), _escaped(match)]
        last = match.end()
    joined = b"".join([*parts, text[last:].encode("utf-8", "surrogatepass")])
    try:
        decoded = joined.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        decoded = joined.decode("utf-8", "replace")
    return decoded.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _escaped(match: re.Match[str]) -> bytes:
    if match["byte"] or match["octal"]:
        return bytes([int(match["byte"], 16) if match["byte"] else int(match["octal"], 8) & 0xFF])
    if match["letter"]:
        return LETTERS.get(match["letter"], match.group()).encode("utf-8", "surrogatepass")
    code = int(match["short"] or match["long"], 16)
    return chr(code if code <= 0x10FFFF else 0xFFFD).encode("utf-8", "surrogatepass")
