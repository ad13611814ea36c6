"""The workload page: an item's page of three queries, and the list of categories from the cache."""

from flask import Blueprint, abort, render_template
from markupsafe import Markup

from app.caches import Cache
from app.databases.database import Database
from app.routes.categories import CATEGORIES

ITEM = "SELECT id, name, uuid, description FROM items WHERE id = %s"
PRECEDING = "SELECT name FROM items WHERE id < %s ORDER BY id DESC LIMIT 10"
CATEGORY_COUNT = "SELECT count(*) AS count FROM categories"

FRAGMENT = "fragment:categories"
FRAGMENT_SECONDS = 60


def routes(database: Database, cache: Cache) -> Blueprint:
    blueprint = Blueprint("pages", __name__)

    @blueprint.get("/pages/<int:item_id>")
    def page(item_id: int) -> str:
        item = database.row(ITEM, item_id)
        if item is None:
            abort(404)
        return render_template(
            "page.html",
            item=item,
            preceding=database.rows(PRECEDING, item_id),
            category_count=database.row(CATEGORY_COUNT)["count"],
            navigation=navigation(),
        )

    def navigation() -> Markup:
        fragment = cache.get(FRAGMENT)
        if fragment is None:
            fragment = render_template("categories.html", categories=database.rows(CATEGORIES))
            cache.put(FRAGMENT, fragment, FRAGMENT_SECONDS)
        return Markup(fragment)  # it was escaped when it was rendered

    return blueprint
