"""Variables of a workload file, named by `{{var NAME}}`: taken from the answers to its setup requests, or to
earlier steps of a journey."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fairtrial.base.http_syntax import TOKEN
from fairtrial.base.registry import did_you_mean
from fairtrial.experiment.workload_file.journeys import by_user
from fairtrial.experiment.workload_file.placeholders import placeholders_in

FIXED = ("row", "env", "var")
"""The placeholders that a setup request may hold: it is sent once, so that nothing is drawn for it."""

IN_LOAD = 'each connection takes its own, and this request is sent once: write per = "connection" here as well'
EXPECTED = "each connection has its own value: expect what is the same for all"
OF_USER = "each user has its own value: expect what is the same for all"

Texts = Sequence[tuple[str, str]]
"""(key, template)"""


@dataclass(frozen=True)
class ValueSource:
    """Where in an answer a variable stands: at a JSON pointer of its body, or in a header."""

    pointer: str | None
    header: str = ""
    pattern: re.Pattern[str] | None = None
    """of one group, which is the value"""


def parse_taken(text: str) -> ValueSource:
    r"""`/access_token`, `header Location` or `header Location ~ /carts/([0-9]+)`.

    Raises:
        ValueError: it is none of these; the message says how to write it.
    """
    if text.startswith("/"):
        return ValueSource(text)
    word, _, rest = text.partition(" ")
    name, tilde, pattern = (part.strip() for part in rest.partition("~"))
    if word != "header" or not TOKEN.fullmatch(name):
        raise ValueError(f'{text!r}: write a JSON pointer, "/token", or a header, "header Location ~ /carts/([0-9]+)"')
    if not tilde:
        return ValueSource(None, name)
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
    if compiled.groups != 1:
        raise ValueError(f"{pattern!r} has {compiled.groups} groups: put the value, and only that, in parentheses")
    return ValueSource(None, name, compiled)


@dataclass(frozen=True)
class EntryTexts:
    """A request, as far as variables go."""

    request: Texts
    expected: Texts
    takes: Collection[str]
    per: str = "load"
    """of a setup request: load or connection"""
    journey: str | None = None
    """whose step it is"""


def assert_variables(setup: Mapping[str, EntryTexts], requests: Mapping[str, EntryTexts]) -> None:
    """Every variable is taken by one setup request, or by an earlier step of the same journey, and is used.

    Args:
        setup: the setup requests by name, in the order of the file. Those of the load are sent before those of
            connections.
        requests: those of the mix, in the order of the file.

    Raises:
        ValueError: it is not so, or a setup request draws a number; the message begins with the key.
    """
    takers: dict[str, str] = {}
    used: set[str] = set()
    of_connections = {variable for step in setup.values() if step.per == "connection" for variable in step.takes}
    in_order = sorted(setup.items(), key=lambda each: each[1].per == "connection")
    for name, step in in_order:
        if step.per == "load":
            _assert_none(f"setup.{name}", [*step.request, *step.expected], of_connections, IN_LOAD)
        _assert_none(f"setup.{name}", step.expected, of_connections, EXPECTED)
        for key, text in step.request:
            for each in placeholders_in(text):
                if each.name not in FIXED:
                    raise ValueError(f"setup.{name}.{key}: {each}: a setup request is sent once: write a value instead")
        later = {variable: other for other, its in setup.items() for variable in its.takes}
        used |= set(_used(f"setup.{name}", [*step.request, *step.expected], takers, later))
        for variable in step.takes:
            if variable in takers:
                raise ValueError(f"setup.{name}.take: setup.{takers[variable]} takes {variable} already: name it apart")
            takers[variable] = name
    for steps in by_user(requests.items(), lambda each: each[1].journey):
        used |= _used_by_user(dict(steps), takers, of_connections)
    if unused := sorted(takers.keys() - used):
        where = f"setup.{takers[unused[0]]}.take.{unused[0]}"
        raise ValueError(f"{where}: no request uses it: leave it out, or write {{{{var {unused[0]}}}}} in one")


def _used_by_user(
    steps: Mapping[str, EntryTexts], takers: Mapping[str, str], of_connections: Collection[str]
) -> set[str]:
    """The variables of setup requests that one user's requests use, each of which may take some for those behind it."""
    own: dict[str, str] = {}
    used: set[str] = set()
    for name, step in steps.items():
        where = f"requests.{name}"
        _assert_none(where, step.expected, of_connections, EXPECTED)
        _assert_none(where, step.expected, own, OF_USER)
        used |= set(_used(where, [*step.request, *step.expected], {**takers, **own}, {}))
        for variable in step.takes:
            if variable in takers or variable in own:
                taker = own.get(variable, f"setup.{takers.get(variable)}")
                raise ValueError(f"{where}.take: {taker} takes {variable} already: name it apart")
            own[variable] = where
    if unused := sorted(own.keys() - used):
        reason = f"no later step uses it: leave it out, or write {{{{var {unused[0]}}}}} in one"
        raise ValueError(f"{own[unused[0]]}.take.{unused[0]}: {reason}")
    return used - own.keys()


def _assert_none(where: str, texts: Texts, variables: Collection[str], reason: str) -> None:
    for key, text in texts:
        for each in placeholders_in(text):
            if each.name == "var" and each.arguments[0] in variables:
                raise ValueError(f"{where}.{key}: {each}: {reason}")


def _used(where: str, texts: Texts, takers: Mapping[str, str], later: Mapping[str, str]) -> Iterator[str]:
    for key, text in texts:
        for each in placeholders_in(text):
            if each.name != "var":
                continue
            (name,) = each.arguments
            if name in later and name not in takers:
                hint = 'write it below that request, or leave out a header of the defaults with ""'
                raise ValueError(
                    f"{where}.{key}: {each}: it is taken only from the answer to setup.{later[name]}: {hint}"
                )
            if name not in takers:
                none = f"no request before takes it{did_you_mean(name, takers)}"
                to_whom = "of a setup request, or of an earlier step of its journey"
                raise ValueError(f"{where}.{key}: {each}: {none}: add it to `take` {to_whom}")
            yield name
