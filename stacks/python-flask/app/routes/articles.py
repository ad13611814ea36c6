"""The workloads similar-items and matching-mix: term vectors are kept, matches are computed in each request."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, abort

from app.databases.database import Database
from app.matches import best_for, similar_to
from app.once import once
from app.terms import Vector, term_vectors

ARTICLES = "SELECT id, name, type, tags, description FROM articles"
RATINGS = "SELECT user_number, article_id FROM ratings"


@dataclass(frozen=True)
class Articles:
    """What is kept of the articles, by id."""

    names: dict[int, str]
    vectors: dict[int, Vector]


def routes(database: Database) -> Blueprint:
    blueprint = Blueprint("articles", __name__)
    articles = once(lambda: read_articles(database))
    rated_by = once(lambda: read_ratings(database))

    @blueprint.get("/articles/<int:article_id>")
    def article(article_id: int) -> dict[str, int | str]:
        name = articles().names.get(article_id)
        if name is None:
            abort(404)
        return {"id": article_id, "name": name}

    @blueprint.get("/articles/<int:article_id>/similar")
    def similar(article_id: int) -> dict[str, int | list[int]]:
        if article_id not in articles().vectors:
            abort(404)
        return {"id": article_id, "similar": similar_to(article_id, articles().vectors)}

    @blueprint.get("/users/<int:user>/articles")
    def articles_for(user: int) -> dict[str, Any]:
        rated = rated_by().get(user)
        if rated is None:
            abort(404)
        found = best_for(rated, articles().vectors)
        best = [{"id": number, "similarity_millionths": round(similarity * 1e6)} for number, similarity in found]
        return {"id": user, "articles": best}

    return blueprint


def read_articles(database: Database) -> Articles:
    rows = database.rows(ARTICLES)
    return Articles({row["id"]: row["name"] for row in rows}, term_vectors(rows))


def read_ratings(database: Database) -> dict[int, list[int]]:
    """The ids of the articles that each user has rated."""
    rated = defaultdict(list)
    for row in database.rows(RATINGS):
        rated[row["user_number"]].append(row["article_id"])
    return dict(rated)
