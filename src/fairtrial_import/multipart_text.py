"""A form of several parts as it is sent (`multipart/form-data`, RFC 7578)."""

import email.parser
import re
from dataclasses import dataclass

from fairtrial.base.printable import printable
from fairtrial_import.bodies import MULTIPART

BOUNDARY = re.compile(r'boundary="?(?P<boundary>[^";\r\n]+)', re.IGNORECASE)


@dataclass(frozen=True)
class SentPart:
    """One part. `file_name` is None for a text, `media_type` empty where none is said."""

    name: str
    file_name: str | None
    media_type: str
    content: str

    @property
    def remark(self) -> str:
        """A remark on what a workload file cannot say of a text; empty if it says all."""
        return typed_text_remark(self.name) if self.media_type else ""


def typed_text_remark(name: str) -> str:
    """The same of a part of this name, from whatever source."""
    return f"Left out: media type or name of the part {printable(name, 40)}, which is a text."


def sent_parts(text: str, content_type: str) -> list[SentPart]:
    """The parts of a form. Without a boundary in the content type, it is that of the first line.

    Raises:
        ValueError: it is no such form.
    """
    match = BOUNDARY.search(content_type)
    boundary = match["boundary"].strip() if match else text.lstrip().partition("\n")[0].strip().removeprefix("--")
    sign = re.escape(f"--{boundary}")
    if not re.search(rf"(?m)^{sign}\s", text) or not re.search(rf"(?m)^{sign}--", text):
        raise ValueError("its first or last boundary is missing")
    whole = email.parser.Parser().parsestr(f'Content-Type: {MULTIPART}; boundary="{boundary}"\n\n{text}')
    parts = []
    for part in whole.get_payload():
        content = part if isinstance(part, str) else part.get_payload()
        name = None if isinstance(part, str) else part.get_param("name", header="content-disposition")
        if isinstance(part, str) or not isinstance(content, str) or not isinstance(name, str) or not name:
            raise ValueError("a part of it has no name, or has parts itself")
        parts.append(SentPart(name, part.get_filename(), part.get("content-type", "").strip(), content))
    return parts
