"""A workload as the text of a workload file, and its rows as CSV."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairtrial.base.csv_text import csv_table
from fairtrial_import.assemble import Workload, status_value
from fairtrial_import.bodies import JSON
from fairtrial_import.model import FileBody, FormBody, FormFile, FoundJson, FoundRequest, FoundRows, TextBody
from fairtrial_import.toml_text import comments, string, table_lines


def workload_text(workload: Workload, label: str, out: Path | None, row_files: Sequence[str]) -> str:
    """The workload file.

    Args:
        label: names the source.
        out: the workload file; None where it goes to standard output.
        row_files: the files of its rows, in their order.
    """
    blocks = [_head(workload, label, out.name if out else None), [f"title = {string(workload.title)}"]]
    defaults = {
        name: values
        for name, values in (("headers", workload.default_headers), ("expect", workload.default_expect))
        if values
    }
    if defaults:
        blocks.append(table_lines(["defaults"], defaults))
    for rows, row_file in zip(workload.rows, row_files, strict=True):
        remark = [] if out else ["Not written, as this went to standard output: import again with -o."]
        blocks.append(comments(remark) + table_lines(["rows", rows.name], {"file": row_file, "pick": "random"}))
    folder = out.parent if out else Path()
    for request in workload.requests:
        blocks.append(comments(request.remarks) + table_lines(["requests", request.name], _keys(request, folder)))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def rows_text(rows: FoundRows) -> str:
    """Rows as CSV, with their columns in the first line (RFC 4180, with line feeds)."""
    return csv_table(rows.columns, rows.rows)


def load_command(workload: Workload, name: str) -> str:
    """The command that offers the load of the workload's file."""
    return f"fairtrial load -f {name} {workload.origin or 'http://127.0.0.1:8080'}"


def _head(workload: Workload, label: str, file: str | None) -> list[str]:
    name = file or "shop.workload.toml"
    remarks = [
        f"Imported from {label}. Look through it, change what you like, and use it:",
        f"  {load_command(workload, name)}",
        "Aim it only at servers that are yours. docs/workload-file.md explains every key.",
    ]
    if workload.purposes:
        remarks += ["", "Secrets are not in this file. Set these variables in the environment:"]
        remarks += [f"  {variable}: {purpose}" for variable, purpose in workload.purposes.items()]
    if workload.remarks:
        remarks += ["", *workload.remarks]
    return [line for remark in remarks for line in (comments([remark]) or ["#"])]


def _keys(request: FoundRequest, folder: Path) -> dict[str, Any]:
    """The keys of a request, in the order in which a person would write them."""
    keys: dict[str, Any] = {}
    if request.weight != 1:
        keys["weight"] = request.weight
    keys[request.method] = request.path
    body = request.body
    headers = dict(request.headers)
    if isinstance(body, FoundJson) and headers.get("content-type") == JSON:
        del headers["content-type"]  # follows from `json`
    if headers:
        keys["headers"] = headers
    if isinstance(body, FoundJson):
        keys["json"] = body.value
    elif isinstance(body, TextBody):
        keys["body"] = body.text
    elif isinstance(body, FileBody):
        keys["body_file"] = _beside(body.path, folder)
    elif isinstance(body, FormBody):
        keys["multipart"] = {name: _part(part, folder) for name, part in body.parts}
    if request.follow_redirects:
        keys["follow_redirects"] = request.follow_redirects
    expect: dict[str, Any] = {}
    if request.statuses:
        expect["status"] = status_value(request.statuses)
    if request.media_type:
        expect["type"] = request.media_type
    if request.schema:
        path, _, pointer = request.schema.partition("#")
        is_below = Path(path).absolute().is_relative_to(folder.absolute())
        expect["schema"] = f"{os.path.relpath(path, folder) if is_below else _beside(path, folder)}#{pointer}"
    if expect:
        keys["expect"] = expect
    return keys


def _part(part: str | FormFile, folder: Path) -> str | dict[str, str]:
    if isinstance(part, str):
        return part
    keys = {"file": _beside(part.path, folder), "name": part.name, "type": part.media_type}
    return {key: value for key, value in keys.items() if value}


def _beside(path: str, folder: Path) -> str:
    """A path as it stands in a file of this folder."""
    return path if os.path.isabs(path) else os.path.relpath(path, folder)
