"""Workload `similar-items`: the ten most similar texts, computed in each request. It needs the CPU only.

This is the reference implementation of the terms, stemming and weights of docs/workloads.md, "similar-items".
"""

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from fairtrial.catalog.contract.answer import ask
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status, unknown_id
from fairtrial.catalog.tables import Data, GeneratedRows, Table
from fairtrial.catalog.workloads.exact_json import compact, exact_difference, exact_request
from fairtrial.catalog.workloads.model import NoOptions, ServerWorkload, Work
from fairtrial.catalog.workloads.openapi import mismatch
from fairtrial.engine.dataset import Dataset, DatasetSpec, describe, every_row
from fairtrial.engine.plan import Request
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

Vector = Mapping[str, float]
"""Weights of terms; their squares add up to 1."""

Ranking = list[tuple[float, int]]
"""(similarity, id) of articles, most similar first; ties by lower id."""


def data(dataset_options: DatasetOptions, _options: NoOptions) -> Data:
    """The table of articles."""
    table, dataset = articles(dataset_options, ROWS)
    return Data([table], dataset)


def articles(dataset_options: DatasetOptions, rows: int) -> tuple[Table, Dataset]:
    """The table of so many articles, which other workloads use too, and the dataset of its rows."""
    dataset = describe(
        {
            "name": "articles",
            "seed": dataset_options.seed,
            "rows": rows,
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
    return Table(name="articles", columns=columns, rows=GeneratedRows(dataset)), dataset


def terms(text: str) -> list[str]:
    """The stemmed terms of a text, in order of appearance."""
    words = re.findall("[a-z]+", text.lower())
    return [stem(word) for word in words if word not in STOP_WORDS]


@cache
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
    return {
        article_id: scaled({term: count * math.log(len(articles) / documents[term]) for term, count in counted.items()})
        for article_id, counted in frequencies_by_id.items()
    }


def scaled(weights: Mapping[str, float]) -> dict[str, float]:
    """The same direction, of length 1."""
    length = math.sqrt(sum(weight * weight for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()}


def most_similar(article_id: int, vectors_by_id: Mapping[int, Vector]) -> Ranking:
    """The other articles by their similarity to this one."""
    return ranked(vectors_by_id[article_id], vectors_by_id, {article_id})


def ranked(vector: Vector, vectors_by_id: Mapping[int, Vector], left_out: Collection[int]) -> Ranking:
    """All articles but those left out, by their similarity to `vector`: the cosine of two vectors of length 1."""
    others = [
        (_product(vector, other), other_id) for other_id, other in vectors_by_id.items() if other_id not in left_out
    ]
    return sorted(others, key=lambda pair: (-pair[0], pair[1]))


def _product(first: Vector, second: Vector) -> float:
    return sum(first[term] * second[term] for term in first.keys() & second.keys())


def clearly_apart(ranking: Ranking) -> bool:
    """Whether rounding cannot have decided which are the most similar, and in which order."""
    first = ranking[: MOST_SIMILAR + 1]
    return all(higher - lower >= CLEARLY_APART for (higher, _), (lower, _) in pairwise(first))


@cache
def _vectors(spec_json: str) -> dict[int, dict[str, float]]:
    return vectors(every_row(json.loads(spec_json)))


def vectors_of(spec: DatasetSpec) -> Mapping[int, Vector]:
    """The vectors of a dataset's articles, by id; computed once."""
    return _vectors(json.dumps(spec, sort_keys=True))


@cache
def _expected(spec_json: str) -> dict[int, str]:
    answers: dict[int, str] = {}
    for article_id in _vectors(spec_json):
        ranking = most_similar(article_id, _vectors(spec_json))
        if not clearly_apart(ranking):
            continue
        similar = [other_id for _, other_id in ranking[:MOST_SIMILAR]]
        answers[article_id] = compact({"id": article_id, "similar": similar})
        if len(answers) == REQUESTED:
            break
    return answers


def expected_answers(data: Data) -> dict[int, str]:
    """The expected body for each article that is requested, by its id."""
    return _expected(json.dumps(data.generated.spec, sort_keys=True))


def requests(data: Data, _options: NoOptions) -> list[Request]:
    """GET /articles/ID/similar, for sixteen articles in turn."""
    return [
        exact_request("similar-items", PATH.format(id=number), text) for number, text in expected_answers(data).items()
    ]


def _is_exact(stack: StackUnderTest) -> str | None:
    for article_id, expected in expected_answers(stack.data).items():
        answer = ask(stack.client, "GET", f"/articles/{article_id}/similar")
        difference = mismatch(PATH, answer)
        if difference:
            return difference
        if inexact := exact_difference(answer, expected):
            return f"article {article_id}: {inexact}"
    return None


CLAUSES = (
    ClauseTest("similar", "GET /articles/ID/similar answers the ten most similar, as compact JSON", _is_exact),
    answers_status(
        "similar-unknown",
        "GET",
        lambda: f"/articles/{unknown_id()}/similar",
        404,
        "what is similar to an article that does not exist is answered 404",
    ),
)
WORKLOAD = ServerWorkload(
    name="similar-items",
    title="the ten most similar texts, CPU only",
    services=("sqlite", "postgresql", "mariadb", "mongodb"),
    data=data,
    requests=requests,
    work=lambda _options: Work(computations=1.0),
    clauses=CLAUSES,
)
