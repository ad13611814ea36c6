"""Bodies that the engine hands on: wrong ones count as errors, wherever they are in a load."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads.sent_requests import sent_requests
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.run import run_engine
from fairtrial.engine.windows import PartHandler, WindowPart, in_turn
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial.load.engine_terms import Closed, StopAfterRequests
from fairtrial.record.engine_summary import EngineSummary
from tests.catalog.contract.scripted import answer, answering

FILE = """
[requests.page]
get = "/items"
expect.schema = "page.yaml#/page"
[requests.price]
get = "/price"
expect.matches = { "" = '^\\d+$' }
"""
SCHEMA = "page: {type: array, minItems: 1, items: {type: object, properties: {id: {type: integer}}}}"
SECRET = "s3cret-of-mine"  # of nobody


def loaded(
    folder: Path, wrong: Sequence[int], requests: int = 400, on_part: PartHandler | None = None
) -> EngineSummary:
    """A load on a server whose answers of these numbers hold one wrong item among many."""
    file = folder / "shop.workload.toml"
    file.write_text(FILE)
    (folder / "page.yaml").write_text(SCHEMA)
    asked = 0

    def reply(line: str, _headers: str) -> Sequence[bytes]:
        nonlocal asked
        if line.startswith("GET /price"):
            return [answer(200, b"17")]
        asked += 1
        items = [{"id": asked + place, "more": None} for place in range(50)]
        if asked in wrong:
            items[31]["id"] = f"{SECRET}"  # type: ignore[assignment]
        return [answer(200, json.dumps(items).encode())]

    with answering(reply) as url:
        plan = EnginePlan(
            address=url.removeprefix("http://"),
            requests=list(sent_requests(read_workload_file(file), check_every=1).requests),
            load=Closed(connections=1),
            stop=StopAfterRequests(requests=requests),
            secrets={"MINE": SECRET},
        )
        return run_engine(plan, lambda event: None, on_part=on_part)


def test_one_wrong_item_in_one_of_many_answers_is_found(tmp_path: Path, engine: Path, snapshot: object) -> None:
    summary = loaded(tmp_path, [150, 151])
    assert summary.errors["wrong_body"] == 2 and summary.verified == summary.answers - 2
    assert summary.goodput_per_second == summary.verified / summary.window_seconds
    assert (summary.run_verified, summary.run_errors) == (398, 2)
    page, price = summary.mix
    assert (page.verified, price.verified) == (page.answers - 2, price.answers)
    example = summary.examples[0]
    assert example.what == snapshot
    assert example.excerpt.startswith('[{"id": 150') and len(example.excerpt) <= 200


def test_right_answers_stay_as_they_are(tmp_path: Path, engine: Path) -> None:
    summary = loaded(tmp_path, [], 60)
    assert summary.verified == summary.answers == 60 and not summary.error_share
    assert (summary.checked_bodies, summary.bodies_left_out) == (60, 0)


def test_windows_in_turn_have_the_wrong_answers_of_each(tmp_path: Path, engine: Path, snapshot: object) -> None:
    parts: list[WindowPart] = []
    summaries = [loaded(tmp_path, wrong, on_part=parts.append) for wrong in ([150, 151], [], [7])]
    whole = in_turn(parts)
    assert whole.errors["wrong_body"] == 3 and whole.verified == whole.answers - 3 == sum(s.verified for s in summaries)
    assert whole.window_seconds == pytest.approx(sum(summary.window_seconds for summary in summaries))
    assert whole.response_time.count == sum(summary.response_time.count for summary in summaries)
    assert [share.verified for share in whole.mix] == [
        sum(shares)
        for shares in zip(*([share.verified for share in summary.mix] for summary in summaries), strict=True)
    ]
    assert whole.examples and SECRET not in whole.model_dump_json()
    with pytest.raises(Problem) as error:
        in_turn([])
    assert str(error.value) == snapshot
