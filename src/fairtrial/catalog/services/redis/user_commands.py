"""Redis loads a user's file of commands, as redis-cli takes them."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import redis

from fairtrial.catalog.services.common.user_files import refused, text_of
from fairtrial.catalog.services.redis import TITLE
from fairtrial.catalog.services.redis.client import RedisClient, driver_errors

AT_ONCE = 1000


def load(client: RedisClient, files: Sequence[Path]) -> None:
    """Give the commands in the files, one on each line; empty lines and those that begin with # are passed over.

    Raises:
        Problem: a line cannot be read, or the server refused a command; the reason names file and line.
    """
    for file in files:
        commands = []
        for number, line in enumerate(text_of(file).split("\n"), 1):
            try:
                words = [] if line.lstrip().startswith("#") else shlex.split(line)
            except ValueError as error:
                raise refused(TITLE, file, f"line {number}: {error}") from None
            if words:
                commands.append((number, words))
        for begin in range(0, len(commands), AT_ONCE):
            _give(client, file, commands[begin : begin + AT_ONCE])


def _give(client: RedisClient, file: Path, commands: Sequence[tuple[int, Sequence[str]]]) -> None:
    with driver_errors(), client.driver.pipeline(transaction=False) as steps:
        for _, words in commands:
            steps.execute_command(*words)  # type: ignore[no-untyped-call]
        answers = steps.execute(raise_on_error=False)
    for (number, _), answer in zip(commands, answers, strict=True):
        if isinstance(answer, redis.RedisError):
            raise refused(TITLE, file, f"line {number}: {answer}")
