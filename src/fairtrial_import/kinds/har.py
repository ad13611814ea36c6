"""`site.har`: what a browser's developer tools record (HTTP Archive 1.2)."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from fairtrial.base.problem import Problem
from fairtrial_import.address import read_address
from fairtrial_import.bodies import FORM, media_type, typed_body
from fairtrial_import.headers import keep_headers
from fairtrial_import.json_value import as_whole, member_at, objects, text
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import Body, FoundRequest, ImportedRequests
from fairtrial_import.source import Source
from fairtrial_import.template import literal
from fairtrial_import.variables import Variables

LARGEST_BYTES = 64 << 20
MOST_ENTRIES = 20_000
BEGINNING = re.compile(r'\s*\{\s*"log"\s*:\s*\{')

ASSET_RESOURCES = frozenset("stylesheet script image font media texttrack manifest ping preflight websocket".split())  # noqa: SIM905
"""Chrome's names of resources that are none of the service's own answers (`_resourceType`)."""
ASSET_TYPES = re.compile(
    r"(?:image|font|video|audio)/.*|text/css|(?:text|application)/(?:x-)?javascript|application/wasm"
)
ASSET_ENDINGS = re.compile(
    r"\.(?:css|js|mjs|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|eot|mp[34]|webm|wasm)(?:\?|$)", re.IGNORECASE
)
NOT_MODIFIED = 304
MULTIPART = "multipart/form-data"


def read(source: Source, _variables: Variables) -> ImportedRequests:
    """The requests of a recording: documents and data, without assets.

    Raises:
        Problem: it is no HTTP archive, or holds too much.
    """
    entries = _entries(source)
    left_out: Counter[str] = Counter()
    requests = []
    for number, entry in enumerate(entries):
        reason = _reason_to_leave_out(entry)
        if reason:
            left_out[reason] += 1
            continue
        requests.append(_request(entry, f"{source.label}: log.entries[{number}].request.url"))
    remarks = [f"Left out: {number:,} {reason}." for reason, number in left_out.items()]
    return ImportedRequests(
        title=source.stem,
        requests=requests,
        remarks=remarks,
        page_origin=_page_origin(entries, source.label),
    )


def _entries(source: Source) -> list[dict[str, Any]]:
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


def _reason_to_leave_out(entry: dict[str, Any]) -> str | None:
    """In words that follow a count."""
    request = entry.get("request")
    url = text(member_at(request, "url"))
    if not url.lower().startswith(("http://", "https://")):
        return "that are no HTTP requests (data:, blob:, ws:)"
    answered = text(member_at(entry, "response", "content", "mimeType"))
    if (
        text(entry.get("_resourceType")) in ASSET_RESOURCES
        or ASSET_TYPES.fullmatch(media_type(answered))
        or (not media_type(answered) and ASSET_ENDINGS.search(url))
    ):
        return "assets (scripts, styles, images, fonts, media, preflights)"
    if not as_whole(member_at(entry, "response", "status")):
        return "that had no answer (blocked, broken off, or from the browser's cache)"
    if media_type(text(member_at(request, "postData", "mimeType"))) == MULTIPART:
        return "with a body of several parts"
    if text(member_at(request, "postData", "encoding")) == "base64":
        return "with a binary body"
    return None


def _request(entry: dict[str, Any], where: str) -> FoundRequest:
    recorded = entry["request"]
    address = read_address(text(recorded.get("url")), where)
    pairs = [(text(each.get("name")), text(each.get("value"))) for each in objects(recorded.get("headers"))]
    if address.credentials is not None and not any(name.lower() == "authorization" for name, _ in pairs):
        pairs.append(("authorization", f"Basic {address.credentials}"))
    content_type = text(member_at(recorded, "postData", "mimeType"))
    if content_type and not any(name.lower() == "content-type" for name, _ in pairs):
        pairs.append(("content-type", content_type))
    selection = keep_headers(pairs)
    status = as_whole(member_at(entry, "response", "status")) or 0
    # A recorded 304 answered the browser's conditions, which are left out: without them it is a 200.
    return FoundRequest(
        method=text(recorded.get("method")).lower(),
        path=address.path,
        headers=selection.headers,
        body=_body(recorded, content_type),
        statuses=(200 if status == NOT_MODIFIED else status,) if 100 <= status <= 599 else (),
        media_type=media_type(text(member_at(entry, "response", "content", "mimeType"))) or None,
        origin=address.origin,
        left_out_headers=selection.left_out,
    )


def _body(recorded: dict[str, Any], content_type: str) -> Body | None:
    body = text(member_at(recorded, "postData", "text"))
    if not body and media_type(content_type) == FORM:
        parameters = objects(member_at(recorded, "postData", "params"))
        body = urlencode([(text(each.get("name")), text(each.get("value"))) for each in parameters])
    return typed_body(literal(body), content_type) if body else None


def _page_origin(entries: Sequence[dict[str, Any]], label: str) -> str | None:
    """The server of the first document; without a document, that of the first request."""
    answers = [
        (text(member_at(entry, "request", "url")), text(member_at(entry, "response", "content", "mimeType")))
        for entry in entries
    ]
    http = [(url, kind) for url, kind in answers if url.lower().startswith(("http://", "https://"))]
    documents = [url for url, kind in http if media_type(kind) == "text/html"]
    first = [*documents, *(url for url, _ in http)][:1]
    return read_address(first[0], label).origin if first else None


KIND = SourceKind(
    "har", "a recording of a browser (.har)", lambda source: BEGINNING.match(source.head) is not None, read
)
