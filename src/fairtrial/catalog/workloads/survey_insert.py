"""Workload `survey-insert`: one document stored by each request, and what is stored held against what was acknowledged.

After a public comparison of REST servers (2012), whose contenders stored null, a string and an object for the same body
and answered before they wrote.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data, Index, LiteralRows, Table
from fairtrial.catalog.workloads.model import Acknowledged, ServerWorkload, StoredRows, Work, write_faults
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import BodyRange, Expectation, Request
from fairtrial.experiment.model import DatasetOptions
from fairtrial.record.model import WriteFault

ANSWERS = {"s14": 14, "s8": 8, "s10": 10}
"""Answers by survey; the surveys take turns."""

LARGEST_BODY_BYTES = 65_536
TABLE = "surveys"
TRIED = "check"
"""The survey under which the contract is tried, before the load."""


class Options(Strict):
    """`[options]` of survey-insert."""

    mode: Literal["single", "batched", "upsert"] = "single"
    index: bool = Field(False, description="whether there is an index on survey and user_number")


def data(_dataset: DatasetOptions, options: Options) -> Data:
    """An empty table."""
    columns = ("survey", "user_number", "answers")
    table = Table(
        name=TABLE,
        columns={"id": "serial", "survey": "text", "user_number": "integer", "answers": "json"},
        rows=LiteralRows(columns, ()),
        indexes=(Index(["survey", "user_number"]),) if options.index else (),
    )
    return Data([table])


def answers(survey: str, user: int | str) -> dict[str, str]:
    """What this user answers in this survey."""
    return {f"Q{number}": f"answer {number} of user {user}" for number in range(1, ANSWERS[survey] + 1)}


def _path(mode: str) -> str:
    return "/surveybatched" if mode == "batched" else "/survey"


def requests(_data: Data, options: Options) -> list[Request]:
    """The surveys in turn, each user number once for each."""
    return [
        Request(
            name=survey,
            method="PUT" if options.mode == "upsert" else "POST",
            path=f"{_path(options.mode)}/{survey}/{{{{sequence 1}}}}",
            headers=[("content-type", "application/json")],
            body=json.dumps(answers(survey, "{{sequence 1}}"), separators=(",", ":")),
            template=True,
            acknowledge=True,
            expect=Expectation(status=[201], body_bytes=BodyRange(min=0, max=0)),
        )
        for survey in ANSWERS
    ]


def audit(
    _data: Data, _options: Options, acknowledged: Acknowledged, stored: StoredRows
) -> tuple[int, list[WriteFault]]:
    """Every stored row looked at, every acknowledged one looked for."""
    seen: Counter[tuple[str, int]] = Counter()
    faults: dict[str, list[str]] = {kind: [] for kind in ("missing", "doubled", "altered", "unasked")}
    for row in stored.rows(TABLE):
        survey, user = row.get("survey"), row.get("user_number")
        if survey == TRIED:
            continue  # the contract's own
        if survey not in ANSWERS or not isinstance(user, int) or not 1 <= user <= acknowledged.begun.get(survey, 0):
            faults["unasked"].append(f"survey {survey!r:.40} of user {user!r:.40}")
            continue
        seen[survey, user] += 1
        if row.get("answers") != answers(survey, user):
            faults["altered"].append(f"survey {survey} of user {user}: answers are {_described(row.get('answers'))}")
    faults["doubled"] = [f"survey {survey} of user {user}" for (survey, user), times in seen.items() if times > 1]
    faults["missing"] = [
        f"survey {survey} of user {user}"
        for survey, begun in acknowledged.begun.items()
        for user in range(1, begun + 1)
        if user not in acknowledged.not_acknowledged[survey] and (survey, user) not in seen
    ]
    return seen.total() + len(faults["unasked"]), write_faults(faults)


def _described(value: Any) -> str:
    if isinstance(value, str):
        return f"a string: {value!r:.60}"
    return "null" if value is None else f"{json.dumps(value, default=str):.80}"


def _stores(method: str, path: str) -> ClauseTest:
    def attempt(attempt: Attempt) -> str | None:
        body = answers("s8", 1)
        answer = ask(attempt.client, method, f"{path}/{TRIED}/1", json=body)
        documented = f"{path}/{{survey}}/{{user}}"
        fault = mismatch(documented, answer, method)
        if fault is None and answer.status != 201:
            return f"status {answer.status}: {answer.excerpt()}"
        return fault or (f"a body of {len(answer.body)} bytes" if answer.body else None)

    name = f"{method.lower()}-{path.strip('/')}"
    return ClauseTest(name, f"{method} {path}/SURVEY/USER answers 201 with an empty body", attempt)


def _refuses(name: str, requirement: str, status: int, content: bytes) -> ClauseTest:
    def attempt(attempt: Attempt) -> str | None:
        headers = {"content-type": "application/json"}
        seen = ask(attempt.client, "POST", f"/survey/{TRIED}/2", content=content, headers=headers).status
        return None if seen == status else f"status {seen}"

    return ClauseTest(name, requirement, attempt)


def work(options: Options) -> Work:
    """A row written by each; batches share their statements and commits."""
    if options.mode == "batched":
        return Work(rows_written=1.0)
    return Work(rows_written=1.0, writes=1.0)


def environment(_options: Options) -> Mapping[str, str]:
    """Eight rows a batch, unless a variant says otherwise."""
    return {"BATCH_SIZE": "8"}


WORKLOAD = ServerWorkload(
    name="survey-insert",
    title="one document stored by each request",
    services=("none", "postgresql", "mariadb", "mongodb"),
    options=Options,
    data=data,
    requests=requests,
    work=work,
    writes=True,
    audit=audit,
    environment=environment,
    clauses=(
        _stores("POST", "/survey"),
        _stores("POST", "/surveybatched"),
        _stores("PUT", "/survey"),
        _refuses("not-json", "a body that is no JSON answers 400", 400, b"{"),
        _refuses("not-an-object", "a JSON body that is no object answers 400", 400, b"[1]"),
        _refuses(
            "too-long", "a body beyond 65,536 bytes answers 413", 413, b'{"Q1":"%s"}' % (b"x" * LARGEST_BODY_BYTES)
        ),
    ),
)
