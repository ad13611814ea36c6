"""Texts in quotes of several shells: `$'…'` of bash, and cmd.exe's and PowerShell's forms as bash has them."""

import re
import shlex

ANSI = re.compile(
    r"\\(?:x(?P<byte>[0-9A-Fa-f]{1,2})|u(?P<short>[0-9A-Fa-f]{1,4})|U(?P<long>[0-9A-Fa-f]{1,8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<letter>.))",
    re.DOTALL,
)
LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
LETTERS |= {each: each for each in "'\"?\\"}
CMD = re.compile(r"""curl(?:\.exe)?\s(?:[^'\n|]|\^\r?\n){0,4000}?\^["\\{]|\^[ \t]*\r?\n[ \t]*-""")
CARET = re.compile(r"\^(?:\r?\n(\r?\n)?|(.))", re.DOTALL)
CMD_WORD = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+|\s+|"', re.DOTALL)
CMD_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
POWERSHELL = re.compile(r"""curl[^`]{0,4000}?[ \t]`[ \t]*\r?\n\s*(?:-|["']?https?:)""")
POWERSHELL_PART = re.compile(r"'[^']*'|`[ \t]*\r?\n|`(.)", re.DOTALL)


def as_bash(text: str) -> str:
    """A text that was written for cmd.exe or for PowerShell, as bash would have it; any other text as it is."""
    if CMD.search(text):
        return _of_cmd(text)
    if POWERSHELL.search(text):
        return POWERSHELL_PART.sub(_of_powershell, text)
    return text


def _of_cmd(text: str) -> str:
    """Carets escape the next character, and a line end where they stand before it; then the words are those of C."""
    plain = CARET.sub(lambda match: match[2] or match[1] or "", text)
    return "".join(
        word if word.isspace() or word == "&" else shlex.quote(CMD_QUOTED.sub(_of_c, word))
        for word in CMD_WORD.findall(plain)
    )


def _of_c(match: re.Match[str]) -> str:
    return re.sub(r'\\(["\\])', r"\1", match[1])


def _of_powershell(match: re.Match[str]) -> str:
    whole = match.group()
    if whole.startswith("'"):
        return whole.replace('\\"', '"')  # what PowerShell hands over as a quote
    return f"\\{match[1]}" if match[1] else " "


def ansi_text(text: str) -> str:
    """The inside of `$'…'` (Bash manual, 3.1.2.4).

    Bytes may be written one by one, and characters beyond U+FFFF as two halves, as browsers do.
    """
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
