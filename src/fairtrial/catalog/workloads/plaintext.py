"""Workload `plaintext`: a constant answer, which shows the cost of a stack that does no work."""

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.exact_json import exact_request
from fairtrial.catalog.workloads.model import NoOptions, ServerWorkload, no_tables
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import Request

PATH = "/plaintext"
TEXT = "Hello, World!"


def requests(_data: Data, _options: NoOptions) -> list[Request]:
    """GET /plaintext."""
    return [exact_request("plaintext", PATH, TEXT, content_type="text/plain")]


def _answers_the_text(stack: StackUnderTest) -> str | None:
    answer = ask(stack.client, "GET", PATH)
    difference = mismatch(PATH, answer)
    if difference is None and answer.body != TEXT.encode():
        return f"the body is {answer.excerpt()!r}"
    return difference


WORKLOAD = ServerWorkload(
    name="plaintext",
    title="a constant text",
    services=("none",),
    data=no_tables,
    requests=requests,
    clauses=(ClauseTest("plaintext", f"GET {PATH} answers {TEXT!r} as text/plain", _answers_the_text),),
)
