"""The questions of `fairtrial init`, and the answers: given by options, proposed, or typed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial_init.answers import (
    Answers,
    command_words,
    line_of,
    paths_to_ask,
    port_in_command,
    port_of,
    ready_of,
    ready_path,
    requests_of,
)
from fairtrial_init.proposal import TAKES_PORT, StartProposal

Ask = Callable[[str, str], str]
"""Asks a question, with what is proposed (or nothing), and returns the answer."""
Say = Callable[[str], None]
Answer = TypeVar("Answer")

QUESTIONS = {
    "command": "How is it started?",
    "port": "On which port does it listen? (a number, or PORT if it takes what that variable says)",
    "requests": "What is it asked? (paths such as /items, an OpenAPI document or a HAR file)",
}
"""By option."""


@dataclass(frozen=True, kw_only=True)
class InitOptions:
    """Answers on the command line; None: not given."""

    command: str | None = None
    build: Sequence[str] | None = None
    port: str | None = None
    ready: str | None = None
    requests: str | None = None


def answers_from(
    options: InitOptions,
    proposals: Sequence[StartProposal],
    documents: Sequence[str],
    folder: Path,
    ask: Ask | None,
    say: Say,
) -> Answers:
    """The answers.

    Args:
        proposals: the surest first.
        documents: that the requests can be imported from, relative to the folder, the best first.
        ask: None: nothing is asked, and what is proposed is taken.
        say: tells what is wrong with an answer that was typed, before it is asked for again.

    Raises:
        Problem: an option is wrong, or an answer is neither given, nor proposed, nor asked for.
    """
    best = proposals[0] if proposals else None
    proposed = line_of(best.command) if best else ""
    line, command = _answer("command", options.command, proposed, lambda text: (text, command_words(text)), ask, say)
    untouched = best is not None and line.strip() == proposed
    port_proposed = port_in_command(line) or (best.port if best else "")
    if untouched and best is not None:
        port_proposed = best.port
    port = _answer("port", options.port, port_proposed, port_of, ask, say)
    paths = best.paths if best else ()
    proposed_requests = documents[0] if documents else " ".join(paths_to_ask(paths)) or ("/" if best else "")
    words, (document, asked_paths) = _answer(
        "requests", options.requests, proposed_requests, lambda text: (text, requests_of(text, folder)), ask, say
    )
    if options.build is not None:
        build = tuple(command_words(each) for each in options.build if each.strip())
    else:
        build = best.build if best else ()
    proposed_ready = ready_path(paths)
    ready = options.ready or proposed_ready
    return Answers(
        command=command,
        build=build,
        port=port,
        ready=None if ready is None else ready_of(ready),
        document=document,
        paths=asked_paths,
        are_proposed=document is None and options.requests is None and words.strip() == proposed_requests,
    )


def _answer(
    option: str, value: str | None, proposed: str, read: Callable[[str], Answer], ask: Ask | None, say: Say
) -> Answer:
    if value is not None:
        return read(value)
    if ask is None:
        if proposed:
            return read(proposed)
        raise Problem(f"--{option} is missing, and nothing in the folder says it", f"give it: {QUESTIONS[option]}")
    while True:
        try:
            return read(ask(QUESTIONS[option], proposed))
        except Problem as problem:
            say(printable(f"{problem.reason}; {problem.remedy}"))


def missing_options(options: InitOptions) -> list[str]:
    """The questions that no option answers."""
    return [f"--{option}" for option in QUESTIONS if getattr(options, option) is None]


def takes_port(answers: Answers) -> str:
    """Where it listens, in words."""
    return f"the port that {TAKES_PORT} says" if answers.port is None else f"port {answers.port}"
