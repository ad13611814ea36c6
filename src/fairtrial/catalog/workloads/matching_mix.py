"""Workload `matching-mix`: short requests, and now and then one that matches all articles with an article or a user.

A match is work for the CPU alone, so it shows whether a request that computes delays the others. Articles are matched
with an article as in `similar-items`, by its reference implementation. A user is the sum of the articles that he rated.
"""

import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Literal

from pydantic import Field

from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.catalog.contract.clause import ClauseTest, StackUnderTest, answers_status, unknown_id
from fairtrial.catalog.tables import Data, LiteralRows, Table
from fairtrial.catalog.workloads import similar_items
from fairtrial.catalog.workloads.exact_json import compact, exact_request, exact_violation
from fairtrial.catalog.workloads.model import ServerWorkload, Work
from fairtrial.catalog.workloads.similar_items import MOST_SIMILAR, REQUESTED, Ranking, Vector
from fairtrial.engine.dataset import DatasetSpec
from fairtrial.engine.plan import Request
from fairtrial.experiment.model import DatasetOptions

ROWS = 2_000
FEWEST_ROWS, MOST_ROWS = 100, 100_000

USERS = 100
RATED = 20
"""How many articles a user has rated."""

ARTICLE, OF_USER = "/articles/{id}", "/users/{id}/articles"
MILLION = 1_000_000
CLEARLY_ROUNDED = 1e-3
"""Only users are requested none of whose similarities, in millionths, is as close to a half: rounding cannot differ."""

Match = Literal["similar", "user"]
MATCHES: tuple[Match, ...] = ("similar", "user")


class Options(Strict):
    """`[options]` of matching-mix."""

    matches_per_1000: int = Field(20, ge=0, le=1000, description="of 1,000 requests; 0: short ones alone")
    matches: list[Match] = Field(
        default_factory=lambda: list(MATCHES), min_length=1, description="the kinds of matches, which take turns"
    )


def data(dataset: DatasetOptions, _options: Options) -> Data:
    """The tables of articles and of ratings.

    Raises:
        Problem: there are too few articles, or too many.
    """
    rows = dataset.rows or ROWS
    if not FEWEST_ROWS <= rows <= MOST_ROWS:
        raise Problem(
            f"[dataset] rows: matching-mix takes {FEWEST_ROWS:,} to {MOST_ROWS:,} articles, not {rows:,}",
            "choose a number in this range",
        )
    articles, generated = similar_items.articles(dataset, rows)
    by_user = rated(generated.spec)
    pairs = [(user, article) for user, of_user in by_user.items() for article in of_user]
    ratings = Table(
        name="ratings",
        columns={"id": "key", "user_number": "integer", "article_id": "integer"},
        rows=LiteralRows(
            ("id", "user_number", "article_id"), [(number, *pair) for number, pair in enumerate(pairs, start=1)]
        ),
    )
    return Data([articles, ratings], generated)


def rated(spec: DatasetSpec) -> dict[int, list[int]]:
    """The articles that each user has rated, by the user's number: a function of the articles' seed and number."""
    return {user: _draw_articles(f"{spec['seed']} {user}", spec["rows"]) for user in range(1, USERS + 1)}


def _draw_articles(seed: str, articles: int) -> list[int]:
    # Of a generator, Python promises the same numbers in every version for `random()` alone.
    draw = random.Random(seed)  # noqa: S311 (data, not a secret)
    numbers: dict[int, None] = {}
    while len(numbers) < RATED:
        numbers[1 + int(draw.random() * articles)] = None
    return list(numbers)


def user_vector(articles: Sequence[int], vectors_by_id: Mapping[int, Vector]) -> Vector:
    """The sum of the vectors of these articles, scaled to length 1."""
    total: dict[str, float] = defaultdict(float)
    for article in articles:
        for term, weight in vectors_by_id[article].items():
            total[term] += weight
    return similar_items.scaled(total)


def best_for(articles: Sequence[int], vectors_by_id: Mapping[int, Vector]) -> Ranking:
    """The articles that a user who rated these has not rated, by their similarity to him."""
    return similar_items.ranked(user_vector(articles, vectors_by_id), vectors_by_id, set(articles))


def _clearly_rounded(similarity: float) -> bool:
    return abs(similarity * MILLION % 1 - 0.5) > CLEARLY_ROUNDED


@cache
def _expected_of_users(spec_json: str) -> dict[int, str]:
    spec = json.loads(spec_json)
    vectors_by_id = similar_items.vectors_of(spec)
    answers: dict[int, str] = {}
    for user, articles in rated(spec).items():
        ranking = best_for(articles, vectors_by_id)
        best = ranking[:MOST_SIMILAR]
        if similar_items.clearly_apart(ranking) and all(_clearly_rounded(similarity) for similarity, _ in best):
            matched = [{"id": number, "similarity_millionths": round(value * MILLION)} for value, number in best]
            answers[user] = compact({"id": user, "articles": matched})
        if len(answers) == REQUESTED:
            break
    return answers


def expected_of_users(data: Data) -> dict[int, str]:
    """The expected body for each user that is requested, by the user's number."""
    return _expected_of_users(json.dumps(data.generated.spec, sort_keys=True))


def short_answer(data: Data) -> tuple[str, str]:
    """The path of the short request, and its answer: an article by its id."""
    (article,) = data.generated.rows_at([data.generated.described["last_id"]])
    return ARTICLE.format(id=article["id"]), compact({"id": article["id"], "name": article["name"]})


def requests(data: Data, options: Options) -> list[Request]:
    """One short request, and matches of sixteen articles and of sixteen users, which take turns.

    The short ones have one path: the engine spreads matches evenly among them if the short one is a single request.
    """
    similar = {f"/articles/{number}/similar": text for number, text in similar_items.expected_answers(data).items()}
    of_users = {OF_USER.format(id=number): text for number, text in expected_of_users(data).items()}
    answers: dict[Match, dict[str, str]] = {"similar": similar, "user": of_users}
    of_kinds = [[(kind, path, text) for path, text in answers[kind].items()] for kind in options.matches]
    matches = list(chain.from_iterable(zip(*of_kinds, strict=True))) if options.matches_per_1000 else []
    short_weight = (1000 - options.matches_per_1000) * (len(matches) or 1)
    return [
        *([exact_request("short", *short_answer(data), weight=short_weight)] if short_weight else []),
        *(exact_request(kind, path, text, weight=options.matches_per_1000) for kind, path, text in matches),
    ]


def _short_is_exact(stack: StackUnderTest) -> str | None:
    return exact_violation(stack, ARTICLE, *short_answer(stack.data), is_one_of_several=True)


def _users_are_exact(stack: StackUnderTest) -> str | None:
    differences = (
        exact_violation(stack, OF_USER, OF_USER.format(id=number), text, is_one_of_several=True)
        for number, text in expected_of_users(stack.data).items()
    )
    return next(filter(None, differences), None)


WORKLOAD = ServerWorkload(
    name="matching-mix",
    title="short requests beside matches of articles, CPU only",
    services=("sqlite", "postgresql", "mariadb"),
    rows=ROWS,
    check_rows=similar_items.ROWS,  # each match reads all articles
    options=Options,
    data=data,
    requests=requests,
    work=lambda _options: Work(computations=1.0),
    clauses=(
        ClauseTest("article", "GET /articles/ID answers its id and name, as compact JSON", _short_is_exact),
        answers_status(
            "article-unknown",
            "GET",
            lambda: ARTICLE.format(id=unknown_id()),
            404,
            "an article that does not exist is answered 404",
        ),
        *similar_items.CLAUSES,
        ClauseTest(
            "user-articles",
            "GET /users/ID/articles answers the ten best articles that the user has not rated, as compact JSON",
            _users_are_exact,
        ),
        answers_status(
            "user-unknown",
            "GET",
            lambda: OF_USER.format(id=unknown_id()),
            404,
            "articles for a user who does not exist are answered 404",
        ),
    ),
)
