"""Bodies of several parts: `multipart/form-data` (RFC 7578)."""

import hashlib
import mimetypes
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import Field

from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict

LARGEST_FILE_BYTES = 64 << 20
"""The engine holds the body in memory, once for all connections."""

OCTETS = "application/octet-stream"

FORM_METHODS = ("POST", "PUT", "PATCH")
"""Those of requests that may have such a body."""
SENT_TYPE = re.compile(r"^[!-~]+(?:; ?[!-~]+)*$")
"""A media type, perhaps with parameters."""


class FilePart(Strict):
    """A file as a part: `photo = { file = "cat.jpg" }`."""

    file: str = Field(min_length=1, description="relative to the workload file, sent as it is")
    name: str | None = Field(None, min_length=1, description="the name that is sent; that of the file if left out")
    type: str | None = Field(
        None, pattern=SENT_TYPE.pattern, description="the media type; by the name's ending if left out"
    )


def boundary_of(fields: Mapping[str, str | FilePart]) -> str:
    """The same for the same fields; it stands in no text or file but by malice."""
    text = repr([(name, part if isinstance(part, str) else part.model_dump()) for name, part in fields.items()])
    return f"fairtrial-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def parts_of_body(fields: Mapping[str, str | FilePart], boundary: str) -> Iterator[str | FilePart]:
    """The body from front to back: texts, in which fields are as they were given, and files."""
    for name, part in fields.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}"'
        if isinstance(part, str):
            yield f"{head}\r\n\r\n{part}\r\n"
            continue
        file_name = part.name or Path(part.file).name
        media_type = part.type or mimetypes.guess_type(file_name)[0] or OCTETS
        yield f'{head}; filename="{_quoted(file_name)}"\r\nContent-Type: {media_type}\r\n\r\n'
        yield part
        yield "\r\n"
    yield f"--{boundary}--\r\n"


def assert_bounded(file: Path, where: str) -> None:
    """Raise a Problem if a file cannot be read, or is too large to be a part.

    Args:
        where: the key that names it, for messages.
    """
    try:
        with file.open("rb"):
            size = file.stat().st_size
    except OSError as error:
        raise Problem(f"{where}: {file}: {error.strerror}", "name a file that can be read") from error
    if size > LARGEST_FILE_BYTES:
        raise Problem(f"{where}: {file}: larger than {LARGEST_FILE_BYTES >> 20} MiB", "name a smaller one")


def _quoted(text: str) -> str:
    """A name as browsers write it (HTML standard, section 4.10.21.8); braces are no placeholders."""
    escaped = text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
    return escaped.replace("{{", "{{{{")
