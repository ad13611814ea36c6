"""Shell scripts as their simple commands, as bash reads them. Nothing of a script is carried out.

`shlex` knows no `$'…'`, in which browsers write bodies that hold a quote or a line end, no here-documents and no
variables.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field

from fairtrial.base.problem import Problem
from fairtrial_import.shell_quotes import ansi_text

DEEPEST = 20
"""So many commands may stand within each other."""
MOST_BROKEN = 100
HOLE = re.compile("\ue000([^\ue001]*)\ue001")
"""What a variable or another command prints, which only a run of the script would tell."""
TOKEN = re.compile(
    r"""
    (?P<joint>\\\r?\n)              # the command goes on in the next line
    | (?P<newline>\r?\n)
    | (?P<space>[^\S\n]+)
    | \$'(?P<ansi>(?:[^'\\]|\\.)*)'
    | '(?P<single>[^']*)'
    | (?P<double>")
    | <<(?P<dash>-?)(?!<)[ \t]*(?P<delimiter>(?:'[^'\n]*'|"[^"\n]*"|\\.|[^\s;&|<>()'"\\])+)
    | (?P<redirection><<<|&>>?|>>|>\||[<>]&|<>|[<>](?!\())
    | (?P<operator>;;|&&|\|\||\|&|[;|()]|&(?=\s|\Z|\)|;))
    | (?P<expansion>[$`])
    | \\(?P<escaped>.)
    | (?P<plain>[^\s'"\\$`;&|<>()]+|&|[<>](?=\())
    """,
    re.VERBOSE | re.DOTALL,
)
WITHIN_QUOTES = re.compile(
    r"""(?P<end>")|\\(?:\r?\n|(?P<escaped>[$`"\\]))|(?P<expansion>[$`])|(?P<plain>[^"\\$`]+|\\)"""
)
WITHIN_DOCUMENT = re.compile(r"""\\(?:\r?\n|(?P<escaped>[$`\\]))|(?P<expansion>[$`])|(?P<plain>[^\\$`]+|\\)""")
VARIABLE = re.compile(
    r"\$(?:(?P<name>\w+|[@*#?!-])|\{(?P<long>\w+|[@*#?!])(?::?[-=](?P<default>[^{}$`]*))?\}|\{[^\w{}]*(?P<other>\w*)[^{}]*\})",
    re.ASCII,
)
ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
ASSIGNING = frozenset({"export", "local", "readonly", "declare", "typeset"})
BEFORE_COMMANDS = frozenset("$ ! { if then elif else while until do time sudo exec nohup command env".split())  # noqa: SIM905
"""Words that stand before a command."""


class _Unclosed(Exception):
    """A quotation, or a command within another, that does not end."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


@dataclass
class ShellCommand:
    """One command. Words may hold holes (`HOLE`)."""

    line: int
    words: list[str] = field(default_factory=list)
    stdin: str | None = None
    """the text on its standard input, where the script tells it"""
    stdin_file: str | None = None
    is_piped: bool = False
    """whether another command's output is its standard input"""
    problem: str = ""
    """why the command cannot be read to its end"""


def shell_commands(text: str, label: str) -> list[ShellCommand]:
    """The commands of a script, those within `$(…)` and in functions among them. Variables that it sets are replaced.

    Args:
        label: names the text in errors.

    Raises:
        Problem: too many quotations are not closed: it is no script.
    """
    script = _Script(text, {})
    broken = 0
    while script.place < len(script.text):
        try:
            script.read(depth=0, nested=False)
        except _Unclosed as unclosed:
            broken += 1
            if broken > MOST_BROKEN:
                reason = f"{label}: more than {MOST_BROKEN} quotations are not closed"
                raise Problem(reason, "give a script, or the whole command") from unclosed
            script.give_up(unclosed.place, f"the quotation at character {unclosed.place + 1} is not closed")
    script.end()
    return script.commands


class _Script:
    """Reads a script from `place` on."""

    def __init__(self, text: str, values: dict[str, str], first_line: int = 1) -> None:
        self.text = text
        self.place = 0
        self.commands: list[ShellCommand] = []
        self._values = values
        self._first_line = first_line
        self._line_ends = [match.start() for match in re.finditer("\n", text)]
        self._line: list[ShellCommand] = []
        """commands whose here-documents are still to come"""
        self._documents: list[tuple[ShellCommand, str, bool, bool]] = []
        self._command: ShellCommand | None = None
        self._word: list[str] | None = None
        self._redirection = ""
        self._after_pipe = False

    def read(self, *, depth: int, nested: bool) -> None:
        """Read to the end, or to the bracket that closes `$(`."""
        if depth > DEEPEST:
            raise _Unclosed(self.place)
        open_brackets = 0
        while self.place < len(self.text):
            if self._word is None and self.text[self.place] == "#":
                end = self.text.find("\n", self.place)
                self.place = len(self.text) if end < 0 else end
                continue
            match = TOKEN.match(self.text, self.place)
            if match is None:
                raise _Unclosed(self.place)
            operator = match["operator"]
            if nested and operator == ")" and not open_brackets:
                break
            open_brackets += {"(": 1, ")": -1}.get(operator or "", 0)
            self._take(match, depth)
        if nested and self.place >= len(self.text):
            raise _Unclosed(self.place)
        self._end_command("")

    def _take(self, match: re.Match[str], depth: int) -> None:
        self.place = match.end()
        kind = match.lastgroup
        if kind == "space":
            self._end_word()
        elif kind == "newline":
            self._end_command("\n")
            self._end_line()
        elif kind == "operator":
            self._end_command(match.group())
        elif kind == "redirection":
            if self._word is not None and "".join(self._word).isdigit():
                self._word = None  # of which output it speaks
            self._end_word()
            self._redirection = match.group()
        elif kind == "delimiter":
            self._end_word()
            delimiter = re.sub(r"['\"\\]", "", match["delimiter"])
            self._documents.append((self._this(), delimiter, delimiter != match["delimiter"], bool(match["dash"])))
        elif kind == "double":
            self._add(self._quoted(WITHIN_QUOTES, depth))
        elif kind == "expansion":
            self._add(self._expansion(match.start(), depth))
        elif kind == "ansi":
            self._add(ansi_text(match["ansi"]))
        elif kind != "joint" and kind is not None:
            self._this()
            self._add(match[kind])

    def _this(self) -> ShellCommand:
        if self._command is None:
            self._command = ShellCommand(self._line_at(self.place - 1), is_piped=self._after_pipe)
            self._after_pipe = False
        return self._command

    def _line_at(self, place: int) -> int:
        return self._first_line + bisect_right(self._line_ends, place)

    def _add(self, text: str) -> None:
        self._this()
        if self._word is None:
            self._word = []
        self._word.append(text)

    def _quoted(self, pattern: re.Pattern[str], depth: int) -> str:
        """The text to the closing quote, or of all of a here-document."""
        parts: list[str] = []
        start = self.place - 1
        while self.place < len(self.text):
            match = pattern.match(self.text, self.place)
            assert match is not None  # one of the parts fits any character
            self.place = match.end()
            if match.lastgroup == "end":
                return "".join(parts)
            if match.lastgroup == "expansion":
                parts.append(self._expansion(match.start(), depth))
            else:
                parts.append(match["plain"] or match["escaped"] or "")
        if pattern is WITHIN_QUOTES:
            raise _Unclosed(start)
        return "".join(parts)

    def _expansion(self, start: int, depth: int) -> str:
        """The placeholder of a variable or a command within this one, whose commands are read as well."""
        if self.text.startswith("`", start):
            end = self.text.find("`", start + 1)
            if end < 0:
                raise _Unclosed(start)
            within = _Script(self.text[start + 1 : end], dict(self._values), self._line_at(start))
            self._read_within(within, depth, nested=False)
            self.place = end + 1
            return self._output_hole(start)
        if self.text.startswith("$(", start):
            within = copy(self)  # of the same text, whose lines are counted once
            within.place, within.commands, within._values = start + 2, [], dict(self._values)
            within._line, within._documents, within._command, within._word = [], [], None, None
            within._redirection, within._after_pipe = "", False
            self._read_within(within, depth, nested=True)
            self.place = within.place + 1
            return self._output_hole(start)
        match = VARIABLE.match(self.text, start)
        if match is None:
            self.place = start + 1
            return "$"
        self.place = match.end()
        name = match["name"] or match["long"] or match["other"] or "value"
        value = self._values.get(name, match["default"])
        return _hole(_in_words(name)) if value is None else value

    def _output_hole(self, place: int) -> str:
        """A command is not quoted: it may hold a secret."""
        return _hole(f"output of line {self._line_at(place)}")

    def _read_within(self, within: "_Script", depth: int, *, nested: bool) -> None:
        within.read(depth=depth + 1, nested=nested)
        within.end()
        self.commands += within.commands

    def _end_word(self) -> None:
        if self._word is None:
            return
        word, self._word = "".join(self._word), None
        command = self._this()
        if not self._redirection:
            command.words.append(word)
        elif self._redirection == "<<<":
            command.stdin = f"{word}\n"
        elif self._redirection == "<":
            command.stdin_file = word
        self._redirection = ""

    def _end_command(self, operator: str) -> None:
        self._end_word()
        self._redirection = ""
        command, self._command = self._command, None
        if command is not None:
            self._assign(command)
            self._line.append(command)
        if command is not None or operator != "\n":
            self._after_pipe = operator in ("|", "|&")

    def _assign(self, command: ShellCommand) -> None:
        """Take what stands before a command away, and remember the variables that it sets."""
        words = command.words
        while words and (words[0] in BEFORE_COMMANDS or (len(words) > 1 and ASSIGNMENT.fullmatch(words[0]))):
            if ASSIGNMENT.fullmatch(words[0]) and all(ASSIGNMENT.fullmatch(word) for word in words):
                break
            del words[0]
        if words[:1] == ["for"]:
            self._values.pop("".join(words[1:2]), None)
        for word in words[1:] if words and words[0] in ASSIGNING else words:
            match = ASSIGNMENT.fullmatch(word)
            if match is None:
                break
            if HOLE.fullmatch(match["value"]):
                self._values.pop(match["name"], None)  # a run would tell
            else:
                self._values[match["name"]] = match["value"]

    def end(self) -> None:
        """Say what is known of the last commands."""
        self._after_pipe = False
        self._end_line()

    def _end_line(self) -> None:
        """Read the here-documents that begin in the next line, and say what is known of standard inputs."""
        for command, delimiter, is_quoted, has_tabs in self._documents:
            lines = []
            while self.place < len(self.text):
                end = self.text.find("\n", self.place)
                line = self.text[self.place : end if end >= 0 else None]
                self.place = end + 1 if end >= 0 else len(self.text)
                line = line.lstrip("\t") if has_tabs else line
                if line.rstrip("\r") == delimiter:
                    break
                lines.append(f"{line}\n")
            command.stdin = "".join(lines)
            try:
                if not is_quoted:
                    command.stdin = _Script(command.stdin, self._values)._quoted(WITHIN_DOCUMENT, 0)
            except _Unclosed:
                command.problem = "a command within its here-document does not end"
        self._documents = []
        if self._after_pipe:
            return
        before: ShellCommand | None = None
        for command in self._line:
            if command.is_piped and command.stdin is None and before is not None:
                command.stdin = _output(before)
            before = command
        self.commands += self._line
        self._line = []

    def give_up(self, place: int, reason: str) -> None:
        """Leave the command that cannot be read there, and go on in the line behind its beginning."""
        self._word = None
        line = self._line_at(place)
        if self._command is not None:
            line = self._command.line
            self._assign(self._command)
            self._command.problem = reason
            self._line.append(self._command)
            self._command = None
        self._redirection, self._after_pipe, self._documents = "", False, []
        self.place = self._line_ends[line - 1] + 1 if line <= len(self._line_ends) else len(self.text)
        self._end_line()


def _in_words(name: str) -> str:
    """The name of a variable in words: `argument 1` for one of a script's or a function's arguments."""
    if name.isdigit():
        return f"argument {name}"
    return name if name[0].isalpha() or name[0] == "_" else "arguments"


def _hole(name: str) -> str:
    return f"\ue000{name}\ue001"


def _output(command: ShellCommand) -> str | None:
    """The output of a command, where the script tells it."""
    name, *words = command.words or [""]
    if name == "cat" and words in ([], ["-"]):
        return command.stdin
    if name == "echo" and words[:1] != ["-e"]:
        ends = words[:1] != ["-n"]
        return " ".join(words if ends else words[1:]) + ("\n" if ends else "")
    if name == "printf" and (words[:1] in (["%s"], ["%s\\n"])) and len(words) == 2:
        return words[1] + ("\n" if words[0].endswith("n") else "")
    return None


def without_holes(text: str) -> str:
    """A text as it was found, in which no hole may be."""
    return text.translate({0xE000: None, 0xE001: None})


def between_holes(text: str) -> Iterator[tuple[str, str | None]]:
    """The parts of a text, each with the name of the hole that follows it."""
    parts = HOLE.split(text)
    yield from zip(parts[::2], [*parts[1::2], None], strict=True)
