"""The workload categories: all of them, read from the database on each request."""

from fastapi import APIRouter
from pydantic import BaseModel

from app.services import UsesDatabase

CATEGORIES = "SELECT id, name, slug, description FROM categories ORDER BY id"

router = APIRouter()


class Category(BaseModel):
    id: int
    name: str
    slug: str
    description: str


@router.get("/categories")
async def categories(database: UsesDatabase) -> list[Category]:
    return [Category.model_validate(row) for row in await database.rows(CATEGORIES)]
