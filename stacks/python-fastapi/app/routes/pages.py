"""The workload page: an item's page of three queries, and the list of categories from the cache."""

from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from markupsafe import Markup

from app.caches import Cache
from app.databases.database import Database
from app.routes.categories import CATEGORIES
from app.services import UsesCache, UsesDatabase

ITEM = "SELECT id, name, uuid, description FROM items WHERE id = $1"
PRECEDING = "SELECT name FROM items WHERE id < $1 ORDER BY id DESC LIMIT 10"
CATEGORY_COUNT = "SELECT count(*) AS count FROM categories"

FRAGMENT = "fragment:categories"
FRAGMENT_SECONDS = 60

router = APIRouter()
templates = Jinja2Templates(Path(__file__).parents[1] / "templates")


@router.get("/pages/{item_id}")
async def page(item_id: int, request: Request, database: UsesDatabase, cache: UsesCache) -> HTMLResponse:
    item = await database.row(ITEM, item_id)
    if item is None:
        raise HTTPException(404)
    content = {
        "item": item,
        "preceding": await database.rows(PRECEDING, item_id),
        "category_count": (await database.row(CATEGORY_COUNT))["count"],
        "navigation": await _navigation(database, cache),
    }
    return templates.TemplateResponse(request, "page.html", content)


async def _navigation(database: Database, cache: Cache) -> Markup:
    fragment = await cache.get(FRAGMENT)
    if fragment is None:
        categories = await database.rows(CATEGORIES)
        fragment = templates.get_template("categories.html").render(categories=categories)
        await cache.put(FRAGMENT, fragment, FRAGMENT_SECONDS)
    return Markup(fragment)  # it was escaped when it was rendered
