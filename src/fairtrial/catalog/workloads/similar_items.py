"""Workload `similar-items`: the ten most similar texts, computed in each request. It needs the CPU only.

This is the reference implementation of the terms, stemming and weights of docs/workloads.md, "similar-items".
"""

import json
import math
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status
from fairtrial.catalog.tables import Data, GeneratedRows, Table
from fairtrial.catalog.workloads.model import NoOptions, ServerWorkload
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.dataset import describe, rows_by_id
from fairtrial.engine.plan import ExactBody, Expectation, Request
from fairtrial.experiment.model import DatasetOptions

ROWS = 400
REQUESTED = 16
"""How many articles are requested, in turn."""

MOST_SIMILAR = 10
PATH = "/articles/{id}/similar"
FIELD_WEIGHTS = {"name": 10, "description": 3, "type": 1, "tags": 1}
STOP_WORDS = frozenset(
    "a an and are as at be by for from in is it of on or that the to was with".split()  # noqa: SIM905
)
CLEARLY_APART = 1e-9
"""Only articles whose eleven most similar differ by more are requested, so that rounding never decides an order."""


def data(dataset_options: DatasetOptions, _options: NoOptions) -> Data:
    """The table of articles."""
    dataset = describe(
        {
            "name": "articles",
            "seed": dataset_options.seed,
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
    """The stemmed terms of a text, in order of appearance."""
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
    """The weights of each article's terms, by the article's id, scaled to vectors of length 1."""
    frequencies_by_id = {}
    for article in articles:
        frequencies: Counter[str] = Counter()
        for field, weight in FIELD_WEIGHTS.items():
            for term in terms(article[field]):
                frequencies[term] += weight
        frequencies_by_id[article["id"]] = frequencies
    documents = Counter(term for frequencies in frequencies_by_id.values() for term in frequencies)
    scaled = {}
    for article_id, frequencies in frequencies_by_id.items():
        weights = {term: count * math.log(len(articles) / documents[term]) for term, count in frequencies.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values()))
        scaled[article_id] = {term: weight / length for term, weight in weights.items()}
    return scaled


def most_similar(article_id: int, scaled: dict[int, dict[str, float]]) -> list[tuple[float, int]]:
    """(similarity, id) of the other articles, most similar first; ties by lower id."""
    own = scaled[article_id]
    others = [
        (sum(weight * other.get(term, 0.0) for term, weight in own.items()), other_id)
        for other_id, other in scaled.items()
        if other_id != article_id
    ]
    return sorted(others, key=lambda pair: (-pair[0], pair[1]))


@cache
def _expected(spec_json: str) -> dict[int, str]:
    scaled = vectors(rows_by_id(json.loads(spec_json), range(1, ROWS + 1)))
    answers: dict[int, str] = {}
    for article_id in range(1, ROWS + 1):
        first = most_similar(article_id, scaled)[: MOST_SIMILAR + 1]
        if min(higher - lower for (higher, _), (lower, _) in pairwise(first)) < CLEARLY_APART:
            continue
        similar = [other_id for _, other_id in first[:MOST_SIMILAR]]
        answers[article_id] = json.dumps({"id": article_id, "similar": similar}, separators=(",", ":"))
        if len(answers) == REQUESTED:
            break
    return answers


def expected_answers(data: Data) -> dict[int, str]:
    """The expected body for each article that is requested, by its id."""
    return _expected(json.dumps(data.generated.spec, sort_keys=True))


def requests(data: Data, _options: NoOptions) -> list[Request]:
    """GET /articles/ID/similar, for sixteen articles in turn."""
    return [
        Request(
            name="similar-items",
            path=f"/articles/{number}/similar",
            expect=Expectation(status=[200], content_type="application/json", body=ExactBody(text=text)),
        )
        for number, text in expected_answers(data).items()
    ]


def _is_exact(stack: StackUnderTest) -> str | None:
    for article_id, expected in expected_answers(stack.data).items():
        answer = ask(stack.client, "GET", f"/articles/{article_id}/similar")
        difference = mismatch(PATH, answer)
        if difference:
            return difference
        if answer.body != expected.encode():
            return f"article {article_id}: {answer.excerpt()}, not {expected}"
    return None


WORKLOAD = ServerWorkload(
    name="similar-items",
    title="the ten most similar texts, CPU only",
    services=("sqlite", "postgresql", "mariadb", "mongodb"),
    data=data,
    requests=requests,
    clauses=(
        ClauseTest("similar", "GET /articles/ID/similar answers the ten most similar, as compact JSON", _is_exact),
        answers_status("similar-unknown", "GET", "/articles/999999/similar", 404),
    ),
)
