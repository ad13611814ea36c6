"""The workloads similar-items and matching-mix: term vectors are kept, matches are computed in each request."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException
from pydantic import BaseModel

from app.databases.database import Database
from app.matches import best_for, similar_to
from app.once import Once
from app.services import UsesDatabase
from app.terms import Vector, term_vectors

ARTICLES = "SELECT id, name, type, tags, description FROM articles"
RATINGS = "SELECT user_number, article_id FROM ratings"

router = APIRouter()


class Article(BaseModel):
    id: int
    name: str


class Similar(BaseModel):
    id: int
    similar: list[int]


class Match(BaseModel):
    id: int
    similarity_millionths: int


class BestOfUser(BaseModel):
    id: int
    articles: list[Match]


@dataclass(frozen=True)
class Articles:
    """What is kept of the articles, by id."""

    names: dict[int, str]
    vectors: dict[int, Vector]


async def _read_articles(database: Database) -> Articles:
    rows = await database.rows(ARTICLES)
    return Articles({row["id"]: row["name"] for row in rows}, term_vectors(rows))


async def _read_ratings(database: Database) -> dict[int, list[int]]:
    rated = defaultdict(list)
    for row in await database.rows(RATINGS):
        rated[row["user_number"]].append(row["article_id"])
    return dict(rated)


known_articles = Once(_read_articles)
known_ratings = Once(_read_ratings)


async def _articles(database: UsesDatabase) -> Articles:
    return await known_articles.value(database)


async def _ratings(database: UsesDatabase) -> dict[int, list[int]]:
    return await known_ratings.value(database)


UsesArticles = Annotated[Articles, Depends(_articles)]
UsesRatings = Annotated[dict[int, list[int]], Depends(_ratings)]


@router.get("/articles/{article_id}")
async def article(article_id: int, articles: UsesArticles) -> Article:
    if article_id not in articles.names:
        raise HTTPException(404)
    return Article(id=article_id, name=articles.names[article_id])


# Plain functions, which FastAPI calls in another thread: what they compute does not hold up the event loop.
@router.get("/articles/{article_id}/similar")
def similar(article_id: int, articles: UsesArticles) -> Similar:
    if article_id not in articles.vectors:
        raise HTTPException(404)
    return Similar(id=article_id, similar=similar_to(article_id, articles.vectors))


@router.get("/users/{user}/articles")
def best_of_user(user: int, articles: UsesArticles, ratings: UsesRatings) -> BestOfUser:
    if user not in ratings:
        raise HTTPException(404)
    found = best_for(ratings[user], articles.vectors)
    best = [Match(id=number, similarity_millionths=round(similarity * 1e6)) for number, similarity in found]
    return BestOfUser(id=user, articles=best)
