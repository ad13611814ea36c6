"""From what was found to what is written: one server, no secrets, equal requests as one, names, weights, defaults."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import gcd
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial_import.bodies import LONGEST_CHARACTERS
from fairtrial_import.headers import left_out_in_words
from fairtrial_import.model import METHODS, FoundRequest, FoundRows, ImportedRequests, body_key
from fairtrial_import.redact import TooDeep, without_secrets
from fairtrial_import.template import PLACEHOLDER
from fairtrial_import.variables import Variables

LONGEST_NAME = 60
LARGEST_SUM = 1000
"""The largest sum of weights that stay whole: beyond, they are rounded to thousandths."""


@dataclass(frozen=True)
class Workload:
    """The document for the writer. `defaults` hold what all requests share, and the requests lack."""

    title: str
    origin: str | None
    requests: Sequence[FoundRequest]
    default_headers: Mapping[str, str]
    default_expect: Mapping[str, Any]
    purposes: Mapping[str, str]
    """by variable of the environment, what it stands for"""
    remarks: Sequence[str] = field(default_factory=tuple)

    @property
    def rows(self) -> list[FoundRows]:
        """The rows of all requests."""
        return [request.rows for request in self.requests if request.rows is not None]


def assemble(source: ImportedRequests, variables: Variables, hosts: Sequence[str], most: int, label: str) -> Workload:
    """The workload that the requests found make.

    Args:
        hosts: names of servers, with or without a port, whose requests are wanted; empty: the source's own.
        most: how many different requests are kept, the most frequent ones first.
        label: names the source in errors.

    Raises:
        Problem: nothing is left.
    """
    remarks = list(source.remarks)
    requests = _with_known_methods(source.requests, remarks)
    site = next((each.origin for each in requests if each.origin), None) if not hosts else None
    site = site if source.page_origin is None else source.page_origin
    requests = _of_hosts(requests, hosts, site, remarks)
    requests = _merged(_redacted(requests, variables, remarks))
    requests = _most_frequent(requests, most, remarks)
    if not requests:
        raise Problem(
            f"{label}: no request is left" + "".join(f"; {printable(remark, 200)}" for remark in remarks),
            "import what holds a request" + (", or name another --host" if hosts else ""),
        )
    requests = _weighted(_with_names(requests), remarks)
    remarks += left_out_in_words(name for request in requests for name in request.left_out_headers)
    common = _common_remarks(requests)
    remarks += common
    headers = _shared_headers(requests)
    expect = _shared_expectation(requests)
    return Workload(
        title=source.title,
        origin=next((request.origin for request in requests if request.origin), None),
        requests=[
            replace(
                request,
                headers=tuple((name, value) for name, value in request.headers if name not in headers),
                statuses=() if "status" in expect else request.statuses,
                media_type=None if "type" in expect else request.media_type,
                remarks=tuple(remark for remark in request.remarks if remark not in common),
            )
            for request in requests
        ],
        default_headers=headers,
        default_expect=expect,
        purposes=_used(variables, requests),
        remarks=remarks,
    )


def _used(variables: Variables, requests: Sequence[FoundRequest]) -> dict[str, str]:
    """The variables that these requests hold; others belong to what was left out."""
    text = repr(requests)
    return {name: purpose for name, purpose in variables.purposes.items() if f"{{{{env {name}}}}}" in text}


def _of_hosts(
    requests: Sequence[FoundRequest], hosts: Sequence[str], site: str | None, remarks: list[str]
) -> list[FoundRequest]:
    """Those that go to these hosts (or to the own one, or nowhere in particular)."""

    def is_wanted(origin: str | None) -> bool:
        if origin is None:
            return True
        authority = origin.partition("://")[2]
        name = re.sub(r":\d+$", "", authority)
        return bool({authority, name} & {host.lower() for host in hosts}) if hosts else origin == site

    others = Counter(request.origin for request in requests if request.origin and not is_wanted(request.origin))
    if others and site:
        to_site = sum(request.origin == site for request in requests)
        remarks.append(f"Taken: {to_site:,} to {site.partition('://')[2]}.")
    for origin, number in others.most_common(10):
        name = str(origin).partition("://")[2]
        remarks.append(f"Left out: {number:,} to {name}. Take them with --host {name}.")
    if len(others) > 10:
        remarks.append(f"Left out: those to {len(others) - 10:,} more hosts.")
    selection = [request for request in requests if is_wanted(request.origin)]
    origins = list(dict.fromkeys(request.origin for request in selection if request.origin))
    if len(origins) > 1:
        names = ", ".join(origin.partition("://")[2] for origin in origins[:10])
        remarks.append(f"The requests went to several servers ({names}). A load sends all of them to one.")
    return selection


def _with_known_methods(requests: Sequence[FoundRequest], remarks: list[str]) -> list[FoundRequest]:
    unknown = Counter(request.method for request in requests if request.method not in METHODS)
    for method, number in unknown.items():
        remarks.append(f"Left out: {number:,} with the method {printable(method.upper(), 20) or '(none)'}.")
    return [request for request in requests if request.method in METHODS]


def _redacted(requests: Sequence[FoundRequest], variables: Variables, remarks: list[str]) -> list[FoundRequest]:
    redacted = []
    for request in requests:
        if len(body_key(request.body)) > LONGEST_CHARACTERS:
            limit = f"{LONGEST_CHARACTERS:,} characters"
            remarks.append(f"Left out: a request with a body of more than {limit}. Write it with body_file.")
            continue
        try:
            redacted.append(without_secrets(request, variables))
        except TooDeep:
            remarks.append("Left out: a request whose JSON nests too deeply.")
    return redacted


def _merged(requests: Sequence[FoundRequest]) -> list[FoundRequest]:
    """Equal requests as one, with their weights added up, in the order in which they were found first."""
    merged: dict[tuple[object, ...], list[FoundRequest]] = {}
    for request in requests:
        key = (
            request.method,
            request.path,
            request.headers,
            body_key(request.body),
            request.name,
            request.follow_redirects,
        )
        merged.setdefault(key, []).append(request)
    return [_joined(equal) for equal in merged.values()]


def _joined(equal: Sequence[FoundRequest]) -> FoundRequest:
    types = {request.media_type for request in equal}
    return replace(
        equal[0],
        weight=sum(request.weight for request in equal),
        statuses=tuple(sorted({status for request in equal for status in request.statuses})),
        media_type=types.pop() if len(types) == 1 else None,
        remarks=tuple(dict.fromkeys(remark for request in equal for remark in request.remarks)),
        left_out_headers=tuple(dict.fromkeys(name for request in equal for name in request.left_out_headers)),
    )


def _most_frequent(requests: Sequence[FoundRequest], most: int, remarks: list[str]) -> list[FoundRequest]:
    if len(requests) <= most:
        return list(requests)
    ranked = sorted(requests, key=lambda request: -request.weight)  # stable: those found first stay first
    frequent, rest = ranked[:most], ranked[most:]
    share = sum(request.weight for request in rest) / sum(request.weight for request in requests)
    remarks.append(
        f"Left out: {len(rest):,} rarer requests of {len(requests):,} different ones, {share:.1%} of all. "
        "Keep more with --most N."
    )
    names = {id(request) for request in frequent}
    return [request for request in requests if id(request) in names]


def _with_names(requests: Sequence[FoundRequest]) -> list[FoundRequest]:
    """With names that are slugs and differ."""
    names: set[str] = set()
    result = []
    for request in requests:
        name = unused_name(request_name(request), names)
        names.add(name)
        result.append(replace(request, name=name))
    return result


def request_name(request: FoundRequest) -> str:
    """Its proposed name, or method and path, as a slug: `get-items`."""
    path = PLACEHOLDER.sub(" ", request.path.partition("?")[0])
    return slug(request.name) or slug(f"{request.method} {path.strip('/ ') or 'root'}")


def slug(text: str) -> str:
    """Lower-case letters, digits and single hyphens, at most 60; `createItem` becomes `create-item`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", re.sub(r"%[0-9A-Fa-f]{2}", "-", text))
    return re.sub(r"[^a-z0-9]+", "-", spaced.lower()).strip("-")[:LONGEST_NAME].strip("-")


def unused_name(name: str, names: set[str]) -> str:
    """The name, or with a number behind it: `items-2`."""
    number, candidate = 1, name
    while candidate in names:
        number += 1
        candidate = f"{name}-{number}"
    return candidate


def _weighted(requests: Sequence[FoundRequest], remarks: list[str]) -> list[FoundRequest]:
    """With weights without a common divisor, or in thousandths where there are many."""
    total = sum(request.weight for request in requests)
    divisor = gcd(*(request.weight for request in requests))
    if total // divisor <= max(LARGEST_SUM, len(requests)):
        return [replace(request, weight=request.weight // divisor) for request in requests]
    remarks.append("Weights are thousandths of the requests that were taken, at least 1.")
    return [replace(request, weight=max(1, round(LARGEST_SUM * request.weight / total))) for request in requests]


def _common_remarks(requests: Sequence[FoundRequest]) -> list[str]:
    """Remarks on all requests, which the file needs once; none for a single request."""
    if len(requests) < 2:
        return []
    return [remark for remark in requests[0].remarks if all(remark in other.remarks for other in requests)]


def _shared_headers(requests: Sequence[FoundRequest]) -> dict[str, str]:
    """Headers that all requests have with the same value; none for a single request."""
    if len(requests) < 2:
        return {}
    first, *others = (dict(request.headers) for request in requests)
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _shared_expectation(requests: Sequence[FoundRequest]) -> dict[str, Any]:
    if len(requests) < 2:
        return {}
    shared: dict[str, Any] = {}
    if len({request.statuses for request in requests}) == 1 and requests[0].statuses:
        shared["status"] = status_value(requests[0].statuses)
    if len({request.media_type for request in requests}) == 1 and requests[0].media_type:
        shared["type"] = requests[0].media_type
    return shared


def status_value(statuses: Sequence[int]) -> int | list[int]:
    """One status as a number, several as a list."""
    return statuses[0] if len(statuses) == 1 else list(statuses)
