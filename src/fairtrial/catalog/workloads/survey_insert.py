"""Workload `survey-insert`: each request stores one document, and an audit compares what is stored with what was sent.

It follows a public comparison of REST servers (2012), whose contenders stored null, a string and an object for the same
body, and answered before they wrote.
"""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status
from fairtrial.catalog.tables import Data, Index, LiteralRows, Table
from fairtrial.catalog.workloads.model import Acknowledged, ServerWorkload, StoredRows, Work, write_faults
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.nonce import new_nonce_key, nonce_of
from fairtrial.engine.plan import BodyRange, Expectation, Request
from fairtrial.experiment.model import DatasetOptions
from fairtrial.record.proof import WriteFault

ANSWER_COUNTS = {"s14": 14, "s8": 8, "s10": 10}
"""Number of answers by survey; the surveys take turns."""

LARGEST_BODY_BYTES = 65_536
TABLE = "surveys"
NONCE_IN = "Q2"
CHECK_SURVEY = "check"
"""The survey under which the contract check stores its rows, before the load."""


class Options(Strict):
    """`[options]` of survey-insert."""

    mode: Literal["single", "batched", "upsert"] = "single"
    index: bool = Field(False, description="whether there is an index on survey and user_number")


def data(_dataset: DatasetOptions, options: Options) -> Data:
    """The table of surveys, empty."""
    columns = ("survey", "user_number", "answers")
    table = Table(
        name=TABLE,
        columns={"id": "serial", "survey": "text", "user_number": "integer", "answers": "json"},
        rows=LiteralRows(columns, ()),
        indexes=(Index(["survey", "user_number"]),) if options.index else (),
    )
    return Data([table])


def answers(survey: str, user: int | str, nonce: str) -> dict[str, str]:
    """The answers that this user gives in this survey: one holds a nonce, which nobody knows before it is sent."""
    numbered = {f"Q{number}": f"answer {number} of user {user}" for number in range(1, ANSWER_COUNTS[survey] + 1)}
    return {**numbered, NONCE_IN: f"{numbered[NONCE_IN]} is {nonce}"}


def _path(mode: str) -> str:
    return "/surveybatched" if mode == "batched" else "/survey"


def requests(_data: Data, options: Options) -> list[Request]:
    """The surveys in turn, each with every user number once."""
    return [
        Request(
            name=survey,
            method="PUT" if options.mode == "upsert" else "POST",
            path=f"{_path(options.mode)}/{survey}/{{{{sequence 1}}}}",
            headers=[("content-type", "application/json")],
            body=json.dumps(_template(survey), separators=(",", ":")),
            template=True,
            acknowledge=True,
            expect=Expectation(status=[201], body_bytes=BodyRange(min=0, max=0)),
        )
        for survey in ANSWER_COUNTS
    ]


def _template(survey: str) -> dict[str, str]:
    return answers(survey, "{{sequence 1}}", f"{{{{nonce {survey} 1}}}}")


def audit(
    _data: Data, _options: Options, acknowledged: Acknowledged, stored: StoredRows
) -> tuple[int, list[WriteFault]]:
    """Look at every stored row, and for every acknowledged one.

    Returns:
        The number of stored rows, those of the contract check excluded, and what is wrong with them.
    """
    times_stored: Counter[tuple[str, int]] = Counter()
    faults: dict[str, list[str]] = {kind: [] for kind in ("missing", "doubled", "altered", "unasked")}
    for row in stored.rows(TABLE):
        survey, user = row.get("survey"), row.get("user_number")
        if survey == CHECK_SURVEY:
            continue
        # A document database may hold any type in either.
        if (
            not isinstance(survey, str)
            or not isinstance(user, int)
            or not 1 <= user <= acknowledged.last_numbers.get(survey, 0)
        ):
            faults["unasked"].append(f"survey {survey!r:.40} of user {user!r:.40}")
            continue
        times_stored[survey, user] += 1
        if row.get("answers") != answers(survey, user, acknowledged.nonce(survey, user)):
            faults["altered"].append(f"survey {survey} of user {user}: answers are {_described(row.get('answers'))}")
    faults["doubled"] = [
        f"survey {survey} of user {user}" for (survey, user), times in times_stored.items() if times > 1
    ]
    faults["missing"] = [
        f"survey {survey} of user {user}"
        for survey, last_number in acknowledged.last_numbers.items()
        for user in range(1, last_number + 1)
        if user not in acknowledged.not_acknowledged[survey] and (survey, user) not in times_stored
    ]
    return times_stored.total() + len(faults["unasked"]), write_faults(faults)


def _described(value: Any) -> str:
    if isinstance(value, str):
        return f"a string: {value!r:.60}"
    return "null" if value is None else f"{json.dumps(value, default=str):.80}"


def _stores(method: str, path: str) -> ClauseTest:
    def violation(stack: StackUnderTest) -> str | None:
        content = answers("s8", 1, nonce_of(new_nonce_key(), CHECK_SURVEY, 1))
        answer = ask(stack.client, method, f"{path}/{CHECK_SURVEY}/1", json=content)
        difference = mismatch(f"{path}/{{survey}}/{{user}}", answer, method)
        if difference is None and answer.status != 201:
            return f"status {answer.status}: {answer.excerpt()}"
        return difference or (f"a body of {len(answer.body)} bytes" if answer.body else None)

    name = f"{method.lower()}-{path.strip('/')}"
    return ClauseTest(name, f"{method} {path}/SURVEY/USER answers 201 with an empty body", violation)


def _refuses(name: str, requirement: str, status: int, content: bytes) -> ClauseTest:
    headers = {"content-type": "application/json"}
    path = f"/survey/{CHECK_SURVEY}/2"
    return answers_status(name, "POST", path, status, requirement, content=content, headers=headers)


def work(options: Options) -> Work:
    """Each answer implies a row written; in batches, rows share their statement and its commit."""
    if options.mode == "batched":
        return Work(rows_written=1.0)
    return Work(rows_written=1.0, writes=1.0, commits=1.0, writing_commits=1.0)


def work_in_tables(options: Options) -> Mapping[str, float]:
    """The same by table; statements by table are counted where rows are not."""
    statements = {} if options.mode == "batched" else {f"writes.{TABLE}": 1.0}
    return {f"rows_written.{TABLE}": 1.0, **statements}


def environment(_options: Options) -> Mapping[str, str]:
    """Eight rows per batch, unless a variant sets another size."""
    return {"BATCH_SIZE": "8"}


WORKLOAD = ServerWorkload(
    name="survey-insert",
    title="one document stored by each request",
    services=("none", "postgresql", "mariadb", "mongodb"),
    options=Options,
    data=data,
    requests=requests,
    work=work,
    work_in_tables=work_in_tables,
    writes=True,
    audit=audit,
    environment=environment,
    clauses=(
        _stores("POST", "/survey"),
        _stores("POST", "/surveybatched"),
        _stores("PUT", "/survey"),
        _refuses("not-json", "a body that is not JSON answers 400", 400, b"{"),
        _refuses("not-an-object", "a JSON body that is not an object answers 400", 400, b"[1]"),
        _refuses(
            "too-long",
            "a body of more than 65,536 bytes answers 413",
            413,
            b'{"Q1":"%s"}' % (b"x" * LARGEST_BODY_BYTES),
        ),
    ),
)
