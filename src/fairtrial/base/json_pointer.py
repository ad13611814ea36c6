"""JSON pointers: RFC 6901."""

import re
from typing import Any

INDEX = re.compile(r"0|[1-9][0-9]{0,17}", re.ASCII)


def value_at(document: Any, pointer: str) -> Any:
    """The value to which a pointer leads in a document of JSON; "" is the document itself.

    Raises:
        LookupError: there is none.
    """
    if not pointer:
        return document
    for part in pointer.removeprefix("/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, list) and INDEX.fullmatch(name):
            document = document[int(name)]
        elif isinstance(document, dict):
            document = document[name]
        else:
            raise LookupError(pointer)
    return document
