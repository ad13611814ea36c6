"""The requests to a service where nobody has said them: those of its own document, else of its source."""

import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
from rich.console import Console
from rich.text import Text

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.text_file import write_text
from fairtrial.catalog.contract.answer import ask, client_of
from fairtrial_import.import_source import Import, import_source
from fairtrial_import.model import FoundRequest, ImportedRequests
from fairtrial_init.answers import HEALTH_PATHS, MOST_PATHS, with_made_up
from fairtrial_init.files import SERVED_ENDING, proposed_workload
from fairtrial_init.served_document import served_document

MOST_ASKED = 80
ASK_FOR_SECONDS = 15.0
MOST_IMPORTED = 100
MOST_OTHERS_NAMED = 20
ANSWER_WITHIN_SECONDS = 2.0
OF_ENVIRONMENT = re.compile(r"\{\{env (\w+)\}\}")


@dataclass(frozen=True, kw_only=True)
class UserRequests:
    """A service as it is known before it is started, and where its requests are written."""

    workload: Path
    name: str
    paths: tuple[str, ...]
    """paths of its GET requests, as its source writes them, with their parameters"""
    prefixes: tuple[str, ...]
    """below which the source puts some of them"""
    documents: tuple[str, ...]
    """paths at which its source says that it serves a document"""

    def write(self, url: str, console: Console) -> None:
        """Write the workload file anew, if the service, which has started, says more than what it holds."""
        with client_of(url, ANSWER_WITHIN_SECONDS) as client:
            if not self._from_document(client, console):
                self._from_source(client, console)

    def _from_document(self, client: httpx.Client, console: Console) -> bool:
        served = served_document(client, self.documents)
        if served is None:
            return False
        place, text = served
        console.print(Text(printable(f"found: {place} of the started service", 200)), soft_wrap=True)
        file = self.workload.with_name(f"{self.name}{SERVED_ENDING}")
        write_text(file, text if text.endswith("\n") else f"{text}\n")
        call = Import(source=str(file), kind="openapi", hosts=[], most=MOST_IMPORTED, out=self.workload, force=True)
        try:
            import_source(call, console, lambda imported: _asked_safely(imported, client, file.name))
        except Problem as problem:
            console.print(Text(printable(f"not used: {problem.reason}", 500), style="yellow"), soft_wrap=True)
            file.unlink()
            return False
        return True

    def _from_source(self, client: httpx.Client, console: Console) -> None:
        """Ask for the paths of the source, below each prefix, with made-up values for parameters; keep what works."""
        answered: dict[str, list[str]] = {}
        until = time.monotonic() + ASK_FOR_SECONDS
        for number, (path, candidate) in enumerate(_candidates(self.paths, self.prefixes)):
            if number >= MOST_ASKED or time.monotonic() > until:
                break
            is_router_root = path == "/"  # each router may have one of its own, with a slash or without
            before = answered.get(path, [])
            is_known = candidate.rstrip("/") in before if is_router_root else bool(before)
            if not is_known and _status(client, candidate) in range(200, 300):
                answered.setdefault(path, []).append(candidate)
        to_ask = list(dict.fromkeys(candidate for candidates in answered.values() for candidate in candidates))
        others = [path for path in to_ask if path.rstrip("/") not in HEALTH_PATHS]
        choice = (others or to_ask)[:MOST_PATHS]
        if not choice:
            return
        left_out = [path for path in self.paths if path not in answered]
        without = f"; without a right answer: {count(len(left_out), 'path')} of the source" if left_out else ""
        words = f"paths of the source that are taken: {', '.join(choice)}{without}"
        console.print(Text(printable(words, 300)), soft_wrap=True)
        write_text(self.workload, proposed_workload(self.name, choice, left_out[:MOST_OTHERS_NAMED]))


def _candidates(paths: Sequence[str], prefixes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each path of the source, and what to ask for it: without a prefix, below each, and below two of them."""
    bases = ["", *prefixes, *(f"{first}{second}" for first in prefixes for second in prefixes if first != second)]
    for base in bases:
        for path in paths:
            candidate = with_made_up(f"{base.rstrip('/')}{path}")
            if candidate is None:
                continue
            if base and path == "/":
                yield path, candidate.rstrip("/")
            yield path, candidate


def _status(client: httpx.Client, path: str) -> int | None:
    """The status of an answer; None: there was none, or it is larger than a load should ask for."""
    try:
        return ask(client, "GET", path).status
    except (Problem, httpx.ConnectError):
        return None


def _asked_safely(imported: ImportedRequests, client: httpx.Client, document: str) -> ImportedRequests:
    """Those that change nothing, whose secrets are set, and whose made-up values are answered; what is left out is
    said."""
    requests, remarks = [], list(imported.remarks)
    others = [f"{each.method.upper()} {each.path}" for each in imported.requests if each.method != "get"]
    if others:
        remarks.append(
            f"Left out: {count(len(others), 'request')} that may change something, such as {others[0]}. "
            f"Take them with: fairtrial import {document}"
        )
    for request in imported.requests:
        if request.method != "get":
            continue
        why_not = _why_not(request, client)
        if why_not:
            remarks.append(f"Left out: GET {request.path}, {why_not}.")
        else:
            requests.append(request)
    beside = [each for each in requests if each.path.rstrip("/") not in HEALTH_PATHS]
    return replace(imported, requests=beside or requests, remarks=remarks)


def _why_not(request: FoundRequest, client: httpx.Client) -> str:
    missing = [name for name in OF_ENVIRONMENT.findall(repr(request)) if name not in os.environ]
    if missing:
        return f"which needs the variable {missing[0]}: set it, and try again with --force"
    if not any(remark.startswith("made up") for remark in request.remarks):
        return ""
    status = _status(client, request.path)
    if status in (request.statuses or range(200, 300)):
        return ""
    return f"as values in it are made up, and it answered {status}: put in some that exist"
