"""Makes text from a server, a log or a command safe to print."""

import re
from collections.abc import Callable
from pathlib import Path

CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0 and C1: escape sequences begin with these
    "\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"  # invisible, line ends, changes of direction
    "\ud800-\udfff"  # lone surrogates cannot be encoded
    "]"
)
SPACE = {"\t": " ", "\n": " ", "\r": " "}


def printable(text: str, limit: int | None = None) -> str:
    """`text` on one line, without characters that control a terminal.

    Line ends and tabs become a space. Other control, invisible and direction-changing characters become visible escapes
    such as `\\x1b`. HTML and rich markup are left as they are: each output escapes its own syntax.

    Args:
        limit: cut to this many characters, the last of them an ellipsis.
    """
    line = CONTROL.sub(_escape, text).strip()
    if limit is not None and len(line) > limit:
        return line[: max(limit - 1, 0)] + "…"
    return line


def printable_end(text: str, limit: int) -> str:
    """The end of `text` on one line, as `printable` has it: whole words, at most so many characters. An ellipsis stands
    for what is left out before them."""
    line = printable(text)
    if len(line) <= limit:
        return line
    end = line[len(line) - limit + 2 :]
    return f"… {end.partition(' ')[2] or end}"


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character in SPACE:
        return SPACE[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


LOG_TAIL_LINES = 10
LOG_TAIL_BYTES = 8192


def log_tail(log: Path, hidden: Callable[[str], str] = lambda text: text) -> str:
    """The last ten lines of a log, printable, for an error message. Empty if the log cannot be read.

    Args:
        hidden: strips a text of secrets. It gets the whole of what is read: a line that is cut may end within one.
    """
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - LOG_TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    return "\n".join(printable(line, 200) for line in hidden(text).splitlines()[-LOG_TAIL_LINES:])
