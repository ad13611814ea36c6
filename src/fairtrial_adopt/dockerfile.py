"""The instructions of a Dockerfile, by stages (docs.docker.com/reference/dockerfile)."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fairtrial.base.problem import Problem

INSTRUCTION = re.compile(r"\s*([A-Za-z]+)\s+(.*)", re.DOTALL)
FROM = re.compile(r"(?:--platform=\S+\s+)?(\S+)(?:\s+[Aa][Ss]\s+(\S+))?\s*")
VARIABLE = re.compile(r"\\\$|\$\{(\w+)(?::([-+])([^}]*))?\}|\$(\w+)")
FLAG = re.compile(r"--([a-z-]+)(?:=(\S+))?\s+")


@dataclass(frozen=True)
class Instruction:
    """One instruction: its name in capitals, and what follows, its lines joined."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name} {self.text}"


@dataclass(frozen=True)
class Stage:
    """A `FROM` and what follows it."""

    name: str
    """in lower case; else its number"""
    image: str
    instructions: list[Instruction] = field(default_factory=list)


def stages_of(text: str) -> list[Stage]:
    """The stages of a Dockerfile.

    Raises:
        Problem: it has none, or is written in a way that is not read.
    """
    stages: list[Stage] = []
    arguments: dict[str, str] = {}
    for instruction in _instructions(text):
        if instruction.name == "FROM":
            match = FROM.fullmatch(expanded(instruction.text, arguments))
            if match is None:
                raise Problem(f"{instruction}: not read", "write FROM IMAGE AS NAME")
            stages.append(Stage((match[2] or str(len(stages))).lower(), unquoted(match[1])))
        elif stages and instruction.name == "ARG" and "=" not in instruction.text:
            stages[-1].instructions.extend(_asked_for(instruction.text.split(), arguments))
        elif stages:
            stages[-1].instructions.append(instruction)
        elif instruction.name == "ARG":
            name, _, value = instruction.text.partition("=")
            arguments[name] = unquoted(value)
    if not stages:
        raise Problem("its Dockerfile has no FROM", "is it the right file?")
    return stages


def _asked_for(names: Sequence[str], values: Mapping[str, str]) -> list[Instruction]:
    """An ARG of a stage, for each name one. A value from before the first FROM it has only by this."""
    return [Instruction("ARG", f"{name}={values[name]}" if name in values else name) for name in names]


def _instructions(text: str) -> list[Instruction]:
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\[ \t]*\n", " ", "\n".join(lines))
    instructions = []
    for line in joined.splitlines():
        match = INSTRUCTION.fullmatch(line)
        if match is None:
            raise Problem(f"{line.strip()[:100]}: no instruction of a Dockerfile", "is it the right file?")
        instruction = Instruction(match[1].upper(), match[2].strip())
        if instruction.name in ("RUN", "COPY", "ADD") and re.search(r"<<-?['\"]?\w", instruction.text):
            raise Problem(f"{instruction.name} <<: a document within a Dockerfile is not read", "adopt another entry")
        instructions.append(instruction)
    return instructions


def flags_of(text: str) -> tuple[dict[str, str], str]:
    """The flags of an instruction (`--from=build`), and what follows them."""
    flags = {}
    while (match := FLAG.match(text)) is not None:
        flags[match[1]] = match[2] or ""
        text = text[match.end() :]
    return flags, text


def words_of(text: str) -> list[str] | None:
    """The words of an instruction in the form of a list of JSON; None: it has another form."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return [str(each) for each in value] if isinstance(value, list) else None


def expanded(text: str, values: Mapping[str, str]) -> str:
    """The text with the values of its variables; one that has none is left as it is, for the shell."""

    def value(match: re.Match[str]) -> str:
        current = values.get(match[1] or match[4] or "")
        if match[2] == "-":
            return current or match[3]
        if match[2] == "+":
            return match[3] if current else ""
        return match[0] if current is None else current

    return VARIABLE.sub(value, text)


def unquoted(text: str) -> str:
    """A value without the quotes around it."""
    value = text.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
