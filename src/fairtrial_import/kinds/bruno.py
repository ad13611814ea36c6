"""A collection of Bruno: a folder of `.bru` or OpenCollection files, one of them, or an export in one file."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fairtrial.base.problem import Problem
from fairtrial_import.bodies import FORM, JSON
from fairtrial_import.bru_text import bru_blocks
from fairtrial_import.collected import (
    Auth,
    Call,
    CallBody,
    Item,
    as_text,
    auth_of,
    below_at,
    enabled_pairs,
    form_parts,
    graphql_body,
    requests_of,
    with_environment,
)  # fmt: skip
from fairtrial_import.document import parsed
from fairtrial_import.entries import left_out_in_words
from fairtrial_import.json_value import member_at, objects, text
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import ImportedRequests
from fairtrial_import.source import ImportSource, open_source
from fairtrial_import.variables import Variables

LARGEST_BYTES = 4 << 20
METHODS = ("get", "head", "post", "put", "patch", "delete", "options", "trace", "connect", "http")
TYPES = {
    "json": JSON, "xml": "application/xml", "text": "text/plain", "sparql": "application/sparql-query",
}  # fmt: skip
"""What Bruno sends as content-type for a body of this mode."""
MODES = {"form-urlencoded": "formUrlEncoded", "multipart-form": "multipartForm"}
"""Modes of a body that blocks of `.bru` files and exports name differently."""
BLOCKS = {mode: block for block, mode in MODES.items()}
BEGINNING = re.compile(
    rf"\A\s*(?:meta|{'|'.join(METHODS)}|(?:vars|headers|auth|params|script|docs)(?::[\w:-]+)?)\s*\{{\s*$", re.MULTILINE
)
MARK, ENVIRONMENTS = "bruno.json", "environments"
ROOTS = (MARK, "collection.bru", "opencollection.yml", "folder.bru", "folder.yml")
FILE = re.compile(r"@file\((?P<path>[^)]*)\)")


def read(source: ImportSource, variables: Variables) -> ImportedRequests:
    """The requests of a collection, with the variables of one of its environments replaced.

    Raises:
        Problem: it cannot be read, or holds no request that can.
    """
    if source.files:
        problems: list[Problem] = []
        root, environments = _of_folder(source, problems)
    else:
        document = _document(source)
        root = _item(document)
        config = member_at(document, "config", "environments") or document.get("environments")
        environments = {text(each.get("name")): _values(each) for each in objects(config)}
        problems = []
    root, remarks = with_environment(root, environments)
    return requests_of(root, source, variables, [*remarks, *left_out_in_words(problems, source.label)])


def _document(source: ImportSource) -> dict[str, Any]:
    """An export as it is; a file of a collection as an export would have it."""
    if source.label.endswith(".bru") or BEGINNING.match(source.head):
        return _of_bru(source.text(LARGEST_BYTES))
    return parsed(source)


def _of_folder(source: ImportSource, problems: list[Problem]) -> tuple[Item, dict[str, dict[str, str]]]:
    """The folders of a collection, and its environments. Files of Bruno that cannot be read are added to `problems`."""
    folders: dict[str, Item] = {"": Item(name=source.stem)}
    below: dict[str, list[Item]] = {"": []}
    environments: dict[str, dict[str, str]] = {}
    for name in source.files:
        stem, ending = os.path.splitext(name)
        folder, file = os.path.split(name)
        if ending not in (".bru", ".yml", ".yaml") and name != MARK:
            continue
        try:
            document = _document(open_source(os.path.join(source.folder, name)))
        except Problem as problem:
            problems += [problem] if ending == ".bru" else []
            continue
        if os.path.basename(folder) == ENVIRONMENTS:
            environments[os.path.basename(stem)] = _values(document)
            continue
        for place in _above(folder):
            if place not in folders:
                folders[place], below[place] = Item(name=os.path.basename(place)), []
        item = _item(document)
        if file in ROOTS:
            folders[folder] = replace(item, name=item.name or folders[folder].name)
        elif ending == ".bru" and item.call is None:
            problems.append(Problem(f"{name}: holds no request with a URL"))
        else:
            below[folder].append(replace(item, name=item.name or os.path.basename(stem)))
    for place in sorted(folders, key=lambda each: -len(each)):
        folders[place] = replace(folders[place], below=below[place])
        if place:
            below[os.path.dirname(place)].append(folders[place])
    return folders[""], environments


def _above(folder: str) -> Iterator[str]:
    """A folder, and those that hold it, the outermost first."""
    parts = folder.split(os.sep) if folder else []
    yield from (os.sep.join(parts[:number]) for number in range(len(parts) + 1))


def _values(environment: dict[str, Any]) -> dict[str, str]:
    """The variables of an environment that are no secrets."""
    values = [each for each in objects(environment.get("variables")) if not each.get("secret")]
    return dict(enabled_pairs(values))


def _of_bru(content: str) -> dict[str, Any]:
    blocks = bru_blocks(content)

    def pairs(name: str) -> dict[str, str]:
        return dict(enabled_pairs(blocks.get(name)))

    method = next((name for name in METHODS if name in blocks), "")
    line = pairs(method)
    auth = line.get("auth") or pairs("auth").get("mode", "")
    mode = line.get("body", "none")
    graphql = {"query": blocks.get("body:graphql", ""), "variables": blocks.get("body:graphql:vars", "")}
    body = graphql if mode == "graphql" else blocks.get(f"body:{BLOCKS.get(mode, mode)}", blocks.get("body"))
    in_path = [{**each, "type": "path"} for each in objects(blocks.get("params:path"))]
    query = [{**each, "type": "query"} for each in objects(blocks.get("params:query", blocks.get("query")))]
    request = {
        "method": line.get("method") or method,
        "url": line.get("url"),
        "headers": blocks.get("headers"),
        "params": [*in_path, *query],
        "body": {"mode": mode, MODES.get(mode, mode): body},
        "auth": {"mode": auth, auth: pairs(f"auth:{auth}")},
        "vars": {"req": blocks.get("vars:pre-request")},
        "script": {name: content for name, content in blocks.items() if name.startswith(("script", "tests"))},
    }
    return {"name": pairs("meta").get("name", ""), "request": request, "variables": blocks.get("vars")}


def _item(value: dict[str, Any], depth: int = 0) -> Item:
    """An item of an export, of OpenCollection, or what became of a file."""
    info = value.get("info")
    request = value.get("http") or value.get("graphql") or value.get("request") or member_at(value, "root", "request")
    auth = member_at(request, "auth")
    runtime = value.get("runtime")
    variables = member_at(request, "vars", "req") or member_at(request, "variables") or member_at(runtime, "variables")
    scripts = [*(member_at(request, name) for name in ("script", "scripts", "tests")), member_at(runtime, "scripts")]
    has_script = any(any(each.values()) if isinstance(each, dict) else each for each in scripts)
    return Item(
        name=text(value.get("name")) or text(member_at(info, "name")),
        call=_call(request, is_graphql="graphql" in value) if text(member_at(request, "url")) else None,
        below=[_item(each, depth + 1) for each in below_at(depth, value.get("items"))],
        headers=enabled_pairs(member_at(request, "headers")),
        auth=_auth(auth),
        values=dict(enabled_pairs(variables)),
        has_script=has_script,
    )


def _auth(value: Any) -> Auth | None:
    """Credentials: under the name of their kind, or beside it."""
    kind = text(value) or text(member_at(value, "mode")) or text(member_at(value, "type"))
    return auth_of(kind, member_at(value, kind) or value) if kind else None


def _call(request: dict[str, Any], *, is_graphql: bool) -> Call:
    params = objects(request.get("params"))
    url = text(request.get("url"))
    body = request.get("body")
    return Call(
        method=text(request.get("method")) or ("POST" if is_graphql else "GET"),
        url=url,
        query=() if "?" in url else enabled_pairs([each for each in params if each.get("type") != "path"]),
        in_path=enabled_pairs([each for each in params if each.get("type") == "path"]),
        body=_body({"mode": "graphql", "graphql": body} if is_graphql else body),
    )


def _body(body: Any) -> CallBody:
    if isinstance(body, list):  # of several, one is chosen
        choices = [each for each in objects(body) if each.get("selected")] or objects(body)
        body = member_at(choices[0], "body") if choices else None
    mode = text(member_at(body, "mode")) or text(member_at(body, "type"))
    content = member_at(body, MODES.get(mode, mode))
    content = member_at(body, "data") if content is None else content
    mode = MODES.get(mode, mode)
    if mode == "formUrlEncoded":
        return CallBody(content_type=FORM, form=enabled_pairs(content))
    if mode == "multipartForm":
        return form_parts(content)
    if mode == "graphql":
        return graphql_body(text(member_at(content, "query")), as_text(member_at(content, "variables")))
    if mode == "file":
        choices = [each for each in objects(content) if each.get("selected", each.get("enabled", True))]
        path = next((as_text(each.get("filePath", each.get("value"))) for each in choices), "")
        match = FILE.search(path)
        return CallBody(file=match["path"] if match else path, content_type="application/octet-stream")
    return CallBody(content_type=TYPES.get(mode, ""), text=as_text(content)) if mode in TYPES else CallBody()


def _recognises(source: ImportSource) -> bool:
    keys = source.keys
    return (
        bool(source.files)
        or "opencollection" in keys
        or {"info", "http"} <= keys
        or ({"items", "version"} <= keys and "brunoConfig" in source.long_head)
        or BEGINNING.match(source.head) is not None
    )


KIND = SourceKind("bruno", "a collection of Bruno", _recognises, read)
