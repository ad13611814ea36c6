"""The workload similar-items: term vectors are kept, similarities are computed in each request."""

from heapq import nsmallest
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException
from pydantic import BaseModel

from app.databases.database import Database
from app.once import Once
from app.services import UsesDatabase
from app.terms import Vector, term_vectors

ARTICLES = "SELECT id, name, type, tags, description FROM articles"
MOST_SIMILAR = 10

router = APIRouter()


class Similar(BaseModel):
    id: int
    similar: list[int]


async def _read_vectors(database: Database) -> dict[int, Vector]:
    return term_vectors(await database.rows(ARTICLES))


known_vectors = Once(_read_vectors)


async def vectors(database: UsesDatabase) -> dict[int, Vector]:
    return await known_vectors.value(database)


# A plain function, which FastAPI calls in another thread: what it computes does not hold up the event loop.
@router.get("/articles/{article_id}/similar")
def similar(article_id: int, vectors: Annotated[dict[int, Vector], Depends(vectors)]) -> Similar:
    if article_id not in vectors:
        raise HTTPException(404)
    return Similar(id=article_id, similar=most_similar(article_id, vectors))


def most_similar(article_id: int, vectors: dict[int, Vector]) -> list[int]:
    """Ids of other articles, the most similar first, ties by lower id."""
    own = vectors[article_id]
    ranked = [(-cosine(own, other), other_id) for other_id, other in vectors.items() if other_id != article_id]
    return [other_id for _, other_id in nsmallest(MOST_SIMILAR, ranked)]


def cosine(one: Vector, other: Vector) -> float:
    """Both are of length 1."""
    return sum(one[term] * other[term] for term in one.keys() & other.keys())
