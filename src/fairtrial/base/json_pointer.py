"""JSON pointers: RFC 6901."""

import re
from collections.abc import Sequence
from typing import Any

INDEX = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)


def steps_of(pointer: str) -> tuple[str, ...]:
    """The names and indices by which a pointer leads from the whole document; of "" none."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def pointer_of(steps: Sequence[str | int]) -> str:
    """The pointer that leads by these steps."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def value_at(document: Any, pointer: str) -> Any:
    """The value to which a pointer leads in a document of JSON; "" is the document itself.

    Raises:
        LookupError: it leads nowhere; its argument says where it ends.
    """
    if pointer and not pointer.startswith("/"):
        raise LookupError(f"{pointer!r} is no JSON pointer")
    for step in steps_of(pointer):
        if isinstance(document, list) and INDEX.fullmatch(step) and int(step) < len(document):
            document = document[int(step)]
        elif isinstance(document, dict) and step in document:
            document = document[step]
        else:
            raise LookupError(f"there is no {step!r}")
    return document
