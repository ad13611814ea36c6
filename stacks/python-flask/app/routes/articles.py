"""The workload similar-items: term vectors are kept, similarities are computed in each request."""

from heapq import nsmallest

from flask import Blueprint, abort

from app.databases.database import Database
from app.once import once
from app.terms import Vector, term_vectors

ARTICLES = "SELECT id, name, type, tags, description FROM articles"
MOST_SIMILAR = 10


def routes(database: Database) -> Blueprint:
    blueprint = Blueprint("articles", __name__)
    vectors = once(lambda: term_vectors(database.rows(ARTICLES)))

    @blueprint.get("/articles/<int:article_id>/similar")
    def similar(article_id: int) -> dict[str, int | list[int]]:
        if article_id not in vectors():
            abort(404)
        return {"id": article_id, "similar": most_similar(article_id, vectors())}

    return blueprint


def most_similar(article_id: int, vectors: dict[int, Vector]) -> list[int]:
    """Ids of other articles, the most similar first, ties by lower id."""
    own = vectors[article_id]
    ranked = [(-cosine(own, other), other_id) for other_id, other in vectors.items() if other_id != article_id]
    return [other_id for _, other_id in nsmallest(MOST_SIMILAR, ranked)]


def cosine(one: Vector, other: Vector) -> float:
    """Both are of length 1."""
    return sum(one[term] * other[term] for term in one.keys() & other.keys())
