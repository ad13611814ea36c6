"""Workload `similar-items`: the ten most similar texts, computed in each request. CPU only: nothing to wait for.

Terms, stemming and weights are in docs/workloads.md, "similar-items"; this is their reference implementation.
"""

import json
import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import Attempt, ClauseTest
from fairtrial.catalog.tables import Data, GeneratedRows, Table
from fairtrial.catalog.workloads.model import NoOptions, ServerWorkload
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.dataset import describe, rows_by_id
from fairtrial.engine.plan import ExactBody, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

ROWS = 400
ASKED = 16
MOST_SIMILAR = 10
PATH = "/articles/{id}/similar"
FIELD_WEIGHTS = {"name": 10, "description": 3, "type": 1, "tags": 1}
STOP_WORDS = frozenset(
    "a an and are as at be by for from in is it of on or that the to was with".split()  # noqa: SIM905
)
CLEARLY_APART = 1e-9
"""Asked for are only articles whose first eleven differ by more: floating point decides no order."""


def data(options: DatasetOptions, _none: NoOptions) -> Data:
    """The articles."""
    dataset = describe(
        {
            "name": "articles",
            "seed": options.seed,
            "rows": ROWS,
            "gaps": 0.0,
            "fields": [
                {"name": "id", "kind": "id"},
                {"name": "name", "kind": "words", "count": 4},
                {"name": "type", "kind": "words", "count": 1},
                {"name": "tags", "kind": "words", "count": 3},
                {"name": "description", "kind": "text", "characters": 300},
            ],
        }
    )
    columns: dict[str, Any] = {"id": "key", "name": "text", "type": "text", "tags": "text", "description": "text"}
    return Data([Table(name="articles", columns=columns, rows=GeneratedRows(dataset))], dataset)


def terms(text: str) -> list[str]:
    """The stemmed terms of a text, in their order."""
    words = re.findall("[a-z]+", text.lower())
    return [stem(word) for word in words if word not in STOP_WORDS]


def stem(word: str) -> str:
    """Harman's S stemmer: D. Harman, How effective is suffixing?, JASIS 42(1), 1991, table 1."""
    if len(word) > 4 and word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if len(word) > 2 and word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def vectors(articles: list[dict[str, Any]]) -> dict[int, dict[str, float]]:
    """Weights of terms by article, scaled to length 1."""
    counts = {}
    for article in articles:
        counted: Counter[str] = Counter()
        for field, weight in FIELD_WEIGHTS.items():
            for term in terms(article[field]):
                counted[term] += weight
        counts[article["id"]] = counted
    document_frequency = Counter(term for counted in counts.values() for term in counted)
    scaled = {}
    for number, counted in counts.items():
        weights = {term: count * math.log(len(articles) / document_frequency[term]) for term, count in counted.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        scaled[number] = {term: weight / length for term, weight in weights.items()}
    return scaled


def most_similar(wanted: int, scaled: dict[int, dict[str, float]]) -> list[tuple[float, int]]:
    """(similarity, id) of the others, most similar first."""
    mine = scaled[wanted]
    others = [
        (sum(weight * other.get(term, 0.0) for term, weight in mine.items()), number)
        for number, other in scaled.items()
        if number != wanted
    ]
    return sorted(others, key=lambda pair: (-pair[0], pair[1]))


@cache
def _expected(spec_json: str) -> dict[int, str]:
    """Answers by id, for the articles that are asked for."""
    articles = rows_by_id(json.loads(spec_json), range(1, ROWS + 1))
    scaled = vectors(articles)
    answers: dict[int, str] = {}
    for number in range(1, ROWS + 1):
        first = most_similar(number, scaled)[: MOST_SIMILAR + 1]
        if min(one[0] - next_one[0] for one, next_one in pairwise(first)) < CLEARLY_APART:
            continue
        ids = [other for _, other in first[:MOST_SIMILAR]]
        answers[number] = json.dumps({"id": number, "similar": ids}, separators=(",", ":"))
        if len(answers) == ASKED:
            break
    return answers


def expected(data: Data) -> dict[int, str]:
    """The right answer for each article that is asked for, by its id."""
    return _expected(json.dumps(data.generated.spec, sort_keys=True))


def requests(data: Data, _none: NoOptions) -> list[Request]:
    """Sixteen articles in turn."""
    return [
        Request(
            name=f"similar-{number}",
            path=f"/articles/{number}/similar",
            expect=Expectation(status=[200], content_type="application/json", body=ExactBody(text=text)),
        )
        for number, text in expected(data).items()
    ]


def _is_right(attempt: Attempt) -> str | None:
    for number, right in expected(attempt.data).items():
        answer = ask(attempt.client, "GET", f"/articles/{number}/similar")
        fault = mismatch(PATH, answer)
        if fault:
            return fault
        if answer.body != right.encode():
            return f"article {number}: {answer.excerpt()}, not {right}"
    return None


def _unknown(attempt: Attempt) -> str | None:
    status = ask(attempt.client, "GET", "/articles/999999/similar").status
    return None if status == 404 else f"status {status}"


WORKLOAD = ServerWorkload(
    name="similar-items",
    title="the ten most similar texts, CPU only",
    services=("sqlite", "postgresql", "mariadb", "mongodb"),
    data=data,
    requests=requests,
    clauses=(
        ClauseTest("similar", "GET /articles/ID/similar answers the ten most similar, compact", _is_right),
        ClauseTest("similar-unknown", "GET /articles/999999/similar answers 404", _unknown),
    ),
)
