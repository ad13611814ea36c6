"""Workload `plaintext`: a constant. What a stack costs without any work."""

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data
from fairtrial.catalog.workloads.model import NoOptions, ServerWorkload
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.plan import ExactBody, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

PATH = "/plaintext"
TEXT = "Hello, World!"


def data(_options: DatasetOptions, _none: NoOptions) -> Data:
    """Nothing."""
    return Data()


def requests(_data: Data, _none: NoOptions) -> list[Request]:
    """GET /plaintext."""
    expect = Expectation(status=[200], content_type="text/plain", body=ExactBody(text=TEXT))
    return [Request(name="plaintext", path=PATH, expect=expect)]


def _answers_the_text(attempt: Attempt) -> str | None:
    answer = ask(attempt.client, "GET", PATH)
    fault = mismatch(PATH, answer)
    if fault is None and answer.body != TEXT.encode():
        return f"the body is {answer.excerpt()!r}"
    return fault


WORKLOAD = ServerWorkload(
    name="plaintext",
    title="a constant text",
    services=("none",),
    data=data,
    requests=requests,
    clauses=(ClauseTest("plaintext", f"GET {PATH} answers {TEXT!r} as text/plain", _answers_the_text),),
)
