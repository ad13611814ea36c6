"""A request as it was found: what every reader gives, and the one writer takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
"""Keys of a request of a workload file, in their order."""


@dataclass(frozen=True)
class FoundJson:
    """A body of JSON. Its strings are templates, its keys are not."""

    value: Any


@dataclass(frozen=True)
class TextBody:
    """A body of any other text, which is a template."""

    text: str


@dataclass(frozen=True)
class FileBody:
    """A body that stays in its file. The path is absolute, or relative to the working folder."""

    path: str


@dataclass(frozen=True)
class FormFile:
    """A file as a part of a form; its path is as that of a body."""

    path: str
    name: str = ""
    """that is sent; empty: that of the file"""
    media_type: str = ""
    """empty: by the name's ending"""


@dataclass(frozen=True)
class FormBody:
    """A body of several parts (`multipart/form-data`): by field a text, which is a template, or a file."""

    parts: tuple[tuple[str, str | FormFile], ...]


Body = FoundJson | TextBody | FileBody | FormBody


@dataclass(frozen=True)
class FoundRows:
    """Values for the placeholders of one request, `{{row NAME COLUMN}}`, each row as often as it was found."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class FoundRequest:
    """One request. Path, header values and body are templates: two braces that mean nothing else are written as four.

    `path` is percent-encoded but for its placeholders and holds the query. Header names are in lower case.
    """

    method: str
    """in lower case"""
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    body: Body | None = None
    statuses: tuple[int, ...] = ()
    """that were answered, or that the document promises"""
    media_type: str | None = None
    """the media type of the answer, without parameters"""
    schema: str | None = None
    """the schema of the answer: `FILE#POINTER`; the path is absolute, or relative to the working folder"""
    follow_redirects: int = 0
    """so many redirects are followed"""
    weight: int = 1
    """how often it was found"""
    name: str = ""
    """a proposal; empty: made of method and path"""
    origin: str | None = None
    """`https://host:port`; None where the source does not say"""
    remarks: tuple[str, ...] = ()
    """remarks on this request for a reader of the file"""
    left_out_headers: tuple[str, ...] = ()
    """names of headers that it had and that do not say what is asked"""
    rows: FoundRows | None = None
    no_secrets: frozenset[str] = frozenset()
    """values that are none, though their names are those of secrets"""


@dataclass(frozen=True, kw_only=True)
class ImportedRequests:
    """The contents of a source."""

    title: str
    requests: Sequence[FoundRequest]
    remarks: Sequence[str] = ()
    """remarks on what was left out, and on what was made up"""
    page_origin: str | None = None
    """the server whose requests are wanted; empty: those that name none; None: that of the first that names one"""


def body_key(body: Body | None) -> str:
    """A text that two bodies share only if they are equal."""
    return repr(body)
