"""Matches of all articles with one of them, or with a user: the most similar first, ties by lower id."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from heapq import nsmallest

from app.terms import Vector, scaled

MOST_SIMILAR = 10


def similar_to(article_id: int, vectors: Mapping[int, Vector]) -> list[int]:
    """Ids of the articles most similar to this one."""
    return [other_id for other_id, _ in _most_similar(vectors[article_id], vectors, {article_id})]


def best_for(rated: Collection[int], vectors: Mapping[int, Vector]) -> list[tuple[int, float]]:
    """Ids and similarities of the articles that are most similar to the sum of these, without them."""
    total: dict[str, float] = defaultdict(float)
    for article_id in rated:
        for term, weight in vectors[article_id].items():
            total[term] += weight
    return _most_similar(scaled(total), vectors, set(rated))


def _most_similar(own: Vector, vectors: Mapping[int, Vector], left_out: set[int]) -> list[tuple[int, float]]:
    ranked = ((-_cosine(own, other), other_id) for other_id, other in vectors.items() if other_id not in left_out)
    return [(other_id, -negative) for negative, other_id in nsmallest(MOST_SIMILAR, ranked)]


def _cosine(one: Vector, other: Vector) -> float:
    """Both are of length 1."""
    return sum(one[term] * other[term] for term in one.keys() & other.keys())
