"""`site.har`: what a browser's developer tools record (HTTP Archive 1.2), and other tools export."""

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from fairtrial.base.problem import Problem
from fairtrial_import.address import read_address
from fairtrial_import.bodies import FORM, MULTIPART, form_body, media_type, typed_body
from fairtrial_import.entries import read_each
from fairtrial_import.headers import keep_headers
from fairtrial_import.json_value import as_whole, member_at, objects, text
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import Body, FormBody, FoundRequest, ImportedRequests
from fairtrial_import.multipart_text import SentPart, sent_parts
from fairtrial_import.source import ImportSource
from fairtrial_import.template import literal
from fairtrial_import.variables import Variables

LARGEST_BYTES = 64 << 20
MOST_ENTRIES = 20_000
BEGINNING = re.compile(r'"log"\s*:\s*\{')
BINARY = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd]")

ASSET_RESOURCES = frozenset("stylesheet script image font media texttrack manifest ping preflight websocket".split())  # noqa: SIM905
"""Chrome's names of resources that are none of the service's own answers (`_resourceType`)."""
ASSET_TYPES = re.compile(
    r"(?:image|font|video|audio)/.*|text/css|(?:text|application)/(?:x-)?javascript"
    r"|application/(?:wasm|manifest\+json|(?:x-)?font.*|vnd\.ms-fontobject)"
)
ASSET_ENDINGS = re.compile(
    r"\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|webm|wasm)(?:\?|$)", re.IGNORECASE
)
NO_TYPE = ("", "application/octet-stream", "binary/octet-stream")
SWITCHED = 101
SECOND_LEVEL = frozenset("ac co com edu gov net org".split())  # noqa: SIM905
NOT_MODIFIED = 304


def read(source: ImportSource, _variables: Variables) -> ImportedRequests:
    """The requests of a recording: documents and data, without assets.

    Raises:
        Problem: it is no HTTP archive, or holds too much.
    """
    entries = list(enumerate(_entries(source)))
    answered = any(_status(entry) for _, entry in entries)
    left_out: Counter[str] = Counter()
    to_read = []
    for number, entry in entries:
        reason = _reason_to_leave_out(entry, has_answer=bool(_status(entry)) or not answered)
        if reason:
            left_out[reason] += 1
        else:
            to_read.append((number, entry))
    requests, broken = read_each(
        to_read, lambda each: [_request(each[1], f"{source.label}: log.entries[{each[0]}].request.url")], source.label
    )
    remarks = [f"Left out: {number:,} {reason}." for reason, number in left_out.items()]
    if to_read and not answered:
        remarks.append("It holds no answers: nothing is expected of them.")
    return ImportedRequests(
        title=source.stem, requests=requests, remarks=[*remarks, *broken], page_origin=_origin_of_data(to_read)
    )


def _entries(source: ImportSource) -> list[dict[str, Any]]:
    try:
        document = json.loads(source.text(LARGEST_BYTES))
    except json.JSONDecodeError as error:
        raise Problem(
            f"{source.label}: line {error.lineno}: not valid JSON: {error.msg}", "export the recording again"
        ) from error
    except RecursionError as error:
        raise Problem(f"{source.label}: nests too deeply for a recording", "export the recording again") from error
    entries = member_at(document, "log", "entries")
    if not isinstance(entries, list):
        raise Problem(f"{source.label}: log.entries: is no list", "export the recording as HAR 1.2")
    if len(entries) > MOST_ENTRIES:
        raise Problem(f"{source.label}: log.entries: more than {MOST_ENTRIES:,}", "record fewer requests")
    return objects(entries)


def _status(entry: dict[str, Any]) -> int:
    """The status of the answer; 0 without one."""
    return as_whole(member_at(entry, "response", "status")) or 0


def _answered_type(entry: dict[str, Any]) -> str:
    return media_type(text(member_at(entry, "response", "content", "mimeType")))


def _pairs(value: Any) -> list[tuple[str, str]]:
    """Headers, parameters or cookies."""
    return [(text(each.get("name")), text(each.get("value"))) for each in objects(value)]


def _header(entry: dict[str, Any], name: str) -> str:
    pairs = _pairs(member_at(entry, "request", "headers"))
    return next((value for each, value in pairs if each.lower() == name), "")


def _reason_to_leave_out(entry: dict[str, Any], *, has_answer: bool) -> str | None:
    """In words that follow a count."""
    request = entry.get("request")
    url = text(member_at(request, "url"))
    if not url.lower().startswith(("http://", "https://")) or _status(entry) == SWITCHED:
        return "that are no HTTP requests (data:, blob:, ws:)"
    answered = _answered_type(entry)
    if (
        text(entry.get("_resourceType")) in ASSET_RESOURCES
        or ASSET_TYPES.fullmatch(answered)
        or (answered in NO_TYPE and ASSET_ENDINGS.search(url))
        or (text(member_at(request, "method")).upper() == "OPTIONS" and _header(entry, "access-control-request-method"))
    ):
        return "assets (scripts, styles, images, fonts, media, preflights)"
    if not has_answer:
        return "that had no answer (blocked, broken off, or from the browser's cache)"
    return _reason_of_body(request)


def _reason_of_body(request: Any) -> str | None:
    data = member_at(request, "postData")
    if media_type(text(member_at(data, "mimeType"))) == MULTIPART:
        try:
            return "with a file in its form" if any(part.file_name is not None for part in _parts(data)) else None
        except ValueError:
            return "with a form that cannot be read"
    body = _text(data)
    if body is None or BINARY.search(body):
        return "with a binary body"
    if not body and not objects(member_at(data, "params")) and (as_whole(member_at(request, "bodySize")) or 0) > 0:
        return "whose body the recording does not hold"
    return None


def _text(data: Any) -> str | None:
    """The text of a body; None for bytes that are none."""
    body = text(member_at(data, "text"))
    if "base64" not in (member_at(data, "encoding"), member_at(data, "_encoding")):
        return body
    try:
        return base64.b64decode(body, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _parts(data: Any) -> list[SentPart]:
    """The parts of a form, which a recording holds as it was sent, as a list, or both.

    Raises:
        ValueError: it holds neither.
    """
    body = _text(data)
    if body is None or body:
        return sent_parts(body or "", text(member_at(data, "mimeType")))
    if not (params := objects(member_at(data, "params"))):
        raise ValueError("it has no part")
    return [
        SentPart(
            text(each.get("name")),
            text(each["fileName"]) if each.get("fileName") else None,
            text(each.get("contentType")),
            text(each.get("value")),
        )
        for each in params
    ]


def _request(entry: dict[str, Any], where: str) -> FoundRequest:
    recorded = entry["request"]
    url = text(recorded.get("url"))
    if "?" not in url and (query := urlencode(_pairs(recorded.get("queryString")))):  # as Insomnia exports it
        url = f"{url.partition('#')[0]}?{query}"
    address = read_address(url, where)
    pairs = _pairs(recorded.get("headers"))
    cookies = "; ".join(f"{name}={value}" for name, value in _pairs(recorded.get("cookies")))
    if cookies and not _header(entry, "cookie"):
        pairs.append(("cookie", cookies))
    if address.credentials is not None and not any(name.lower() == "authorization" for name, _ in pairs):
        pairs.append(("authorization", f"Basic {address.credentials}"))
    content_type = text(member_at(recorded, "postData", "mimeType"))
    if content_type and not any(name.lower() == "content-type" for name, _ in pairs):
        pairs.append(("content-type", content_type))
    body = _body(recorded, content_type, where)
    remarks: list[str] = []
    if isinstance(body, FormBody):  # the boundary is that of the body that is written
        remarks = [part.remark for part in _parts(recorded["postData"]) if part.remark]
        pairs = [(name, value) for name, value in pairs if name.lower() != "content-type"]
    selection = keep_headers(pairs)
    status = _status(entry)
    # A recorded 304 answered the browser's conditions, which are left out: without them it is a 200.
    return FoundRequest(
        method=text(recorded.get("method")).lower(),
        path=address.path,
        headers=selection.headers,
        body=body,
        statuses=(200 if status == NOT_MODIFIED else status,) if 100 <= status <= 599 else (),
        media_type=_answered_type(entry) or None,
        origin=address.origin,
        remarks=tuple(remarks),
        left_out_headers=selection.left_out,
    )


def _body(recorded: dict[str, Any], content_type: str, where: str) -> Body | None:
    data = recorded.get("postData")
    if media_type(content_type) == MULTIPART:
        parts = [(literal(part.name), literal(part.content)) for part in _parts(data)]
        return form_body(text(recorded.get("method")), parts, where, "write the request yourself, with body_file")
    body = _text(data)
    if not body and media_type(content_type) == FORM:
        body = urlencode(_pairs(member_at(data, "params")))
    return typed_body(literal(body), content_type) if body else None


def _origin_of_data(entries: Sequence[tuple[int, dict[str, Any]]]) -> str | None:
    """The server that gives the data; without data, that of the pages.

    A page may come from another server than its data, from a server where one logs in, or with data of others, such as
    those who count visits. So a server with data and of the pages' own site comes first, then the one that answered
    most, and of equals the last, as one logs in before.
    """
    data: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    for origin, entry in _with_origins(entries):
        if _answered_type(entry) == "text/html":
            pages[origin] += _header(entry, "sec-fetch-dest") in ("", "document")
        else:
            data[origin] += 1
    sites = {_site(origin) for origin, number in pages.items() if number}
    ranked = [
        (bool(data[origin]) and _site(origin) in sites, data[origin] + pages[origin], data[origin], number, origin)
        for number, origin in enumerate(dict.fromkeys(origin for origin, _ in _with_origins(entries)))
    ]
    return max(ranked)[-1] if ranked else None


def _with_origins(entries: Sequence[tuple[int, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    for _, entry in entries:
        try:
            origin = read_address(text(member_at(entry, "request", "url")), "").origin
        except Problem:
            continue
        if origin:
            yield origin, entry


def _site(origin: str) -> str:
    """The last two names of a host, three under such as `co.uk`; an address is a site of its own."""
    host = re.sub(r":\d+$", "", origin.partition("://")[2])
    names = host.split(".")
    if host.startswith("[") or names[-1].isdigit():
        return host
    return ".".join(names[-3:] if names[-2:-1] and names[-2] in SECOND_LEVEL else names[-2:])


def _recognises(source: ImportSource) -> bool:
    return "log" in source.keys and BEGINNING.search(source.long_head) is not None and '"entries"' in source.long_head


KIND = SourceKind("har", "a recording of a browser (.har)", _recognises, read)
