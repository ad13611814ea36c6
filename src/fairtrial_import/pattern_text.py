"""A plain text that a `pattern` of JSON Schema is found in, for the usual patterns: `^AC[0-9a-f]{32}$`."""

import re

LONGEST = 10_000
DEEPEST = 32
ATOM = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|.", re.DOTALL)
QUANTIFIER = re.compile(r"(?:[*+?]|\{(?P<least>\d{1,5})(?P<comma>,(?P<most>\d{1,5})?)?\})[?+]?")
GROUP = re.compile(r"\((?:\?(?::|P?<[A-Za-z]\w*>))?(?!\?)")
EMPTY = frozenset({"^", "$", r"\A", r"\Z", r"\z", r"\b"})
UNREAD = frozenset({*"[*+?", *(f"\\{each}" for each in "123456789kpPB")})
LITERAL = re.compile(r"\\?[^\w\\]|\w|\\\\", re.ASCII)
CHARACTERS = "a1A-_./: " + "".join(map(chr, range(33, 127)))
"""In the order in which they are tried."""


class _NotFollowed(Exception):
    """The pattern holds what is not followed: look-around, back-references, properties of Unicode."""


def text_of(pattern: str, least: int) -> str | None:
    """The shortest text, or one of at least so many characters; None where the pattern is not followed."""
    for more in (0, least):
        try:
            text, end = _alternatives(pattern, 0, more, 0)
        except _NotFollowed:
            return None
        if end < len(pattern):
            return None
        if len(text) >= least:
            return text
    return None


def _alternatives(pattern: str, place: int, more: int, depth: int) -> tuple[str, int]:
    """The first of the alternatives from a place on, and where they end."""
    if depth > DEEPEST:
        raise _NotFollowed
    first, place = _sequence(pattern, place, more, depth)
    while place < len(pattern) and pattern[place] == "|":
        _, place = _sequence(pattern, place + 1, more, depth)
    return first, place


def _sequence(pattern: str, place: int, more: int, depth: int) -> tuple[str, int]:
    text = ""
    while place < len(pattern) and pattern[place] not in "|)":
        if pattern[place] == "(":
            group = GROUP.match(pattern, place)
            if group is None:
                raise _NotFollowed
            piece, place = _alternatives(pattern, group.end(), more, depth + 1)
            if place >= len(pattern):
                raise _NotFollowed
            place += 1
        else:
            atom = ATOM.match(pattern, place)
            if atom is None:
                raise _NotFollowed
            piece, place = _character(atom.group()), atom.end()
        if quantifier := QUANTIFIER.match(pattern, place):
            number, place = _number(quantifier, more), quantifier.end()
            if len(piece) * number > LONGEST:
                raise _NotFollowed
            piece *= number
        text += piece
        if len(text) > LONGEST:
            raise _NotFollowed
    return text, place


def _number(quantifier: re.Match[str], more: int) -> int:
    """How often, with `more` where the quantifier allows it."""
    sign = quantifier.group()[0]
    if sign == "?":
        return 0
    if sign in "*+":
        return int(sign == "+") + more
    least = int(quantifier["least"])
    most = int(quantifier["most"] or LONGEST) if quantifier["comma"] else least
    return min(least + more, max(most, least))


def _character(atom: str) -> str:
    """The first character that fits."""
    if atom in EMPTY:
        return ""
    if atom in UNREAD:
        raise _NotFollowed
    if atom != "." and LITERAL.fullmatch(atom):
        return atom[-1]
    try:
        expression = re.compile(atom, re.ASCII)
    except re.error as error:
        raise _NotFollowed from error
    character = next((each for each in CHARACTERS if expression.fullmatch(each)), None)
    if character is None:
        raise _NotFollowed
    return character
