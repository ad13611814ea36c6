"""All that stacks and builders print, without the secrets that they were given."""

import mmap
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from fairtrial.base.private_file import opened_privately
from fairtrial.experiment.workload_file.secrets import Secrets

SHORTEST = 8
"""Characters of a variable of `env_from` whose value is hidden: `test` is no secret, and a part of other words."""


class Redaction:
    """Strips texts and logs of secrets.

    Args:
        urls: of databases, each after the name of the variable in which a stack gets it. Hidden are the whole, the part
            with user, password and host, the query, and the password, as it stands there or decoded.
        values: further secrets, by the names of their variables.
    """

    def __init__(self, urls: Sequence[tuple[str, str]] = (), *values: Mapping[str, str]) -> None:
        wholes: list[Mapping[str, str]] = []
        passwords: list[Mapping[str, str]] = []
        for name, url in urls:
            parts = urlsplit(url)
            if parts.netloc:  # the path of a file is no secret
                wholes += [{name: url}, {name: parts.netloc}, {name: parts.query}]
                passwords += [{name: parts.password or ""}, {name: unquote(parts.password or "")}]
        self._wholes, self._values = Secrets(*wholes), Secrets(*passwords, *values)

    def hidden(self, text: str) -> str:
        """The text with `{{env NAME}}` in place of each secret, however it is spelled."""
        return self._values.hidden(self._wholes.replaced(text))

    def redact_log(self, log: Path) -> None:
        """Replace the secrets in a log that nobody writes to any more. One that cannot be rewritten is removed."""
        spelled = dict([*self._wholes.spelled, *self._values.spelled])
        if not spelled:
            return
        pattern = re.compile(b"|".join(re.escape(text.encode()) for text in sorted(spelled, key=len, reverse=True)))
        part = log.with_name(f"{log.name}.part")
        try:
            if not log.exists() or log.stat().st_size == 0:
                return
            with log.open("rb") as file:
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if pattern.search(content) is None:
                return
            with opened_privately(part, "wb") as rewritten:
                end = 0
                for match in pattern.finditer(content):
                    rewritten.write(content[end : match.start()])
                    rewritten.write(spelled[match.group().decode()].encode())
                    end = match.end()
                rewritten.write(content[end:])
            part.replace(log)
        except OSError:
            part.unlink(missing_ok=True)
            log.unlink(missing_ok=True)

    @contextmanager
    def kept_log(self, log: Path) -> Iterator[BinaryIO]:
        """A log to add to, redacted at the end."""
        try:
            with new_log(log) as output:
                yield output
        finally:
            self.redact_log(log)


NOTHING_SECRET = Redaction()


def new_log(log: Path) -> BinaryIO:
    """Open a log to add to it; only its owner can read it."""
    log.parent.mkdir(parents=True, exist_ok=True)
    return opened_privately(log, "ab")


def redaction_of(environment: Mapping[str, str], env_from: Sequence[str]) -> Redaction:
    """A filter that strips a command's output of what its environment holds: values of `env_from`, passwords of URLs.

    Registries and proxies are named by URLs that may hold a password.
    """
    by_name = {name: environment[name] for name in env_from if len(environment[name]) >= SHORTEST}
    return Redaction([(name, value) for name, value in environment.items() if _holds_a_password(value)], by_name)


def _holds_a_password(value: str) -> bool:
    try:
        return urlsplit(value).password is not None
    except ValueError:
        return False
