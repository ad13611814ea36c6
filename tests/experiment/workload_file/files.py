"""Workload files for tests."""

from pathlib import Path

SHOP = """
title = "a shop"
ready = { path = "/healthz" }
defaults = { headers = { authorization = "Bearer {{env SHOP_TOKEN}}", accept = "application/json" }, expect = { status = 200, type = "application/json" } }
[rows.items]
file = "items.csv"
[requests.browse]
weight = 6
get = "/items?page={{uniform 1 20}}"
expect.bytes = [10, 4096]
[requests.look]
get = "/items/{{row items id}}"
headers = { Accept = "" }
expect.json = { "/id" = "{{row items id}}", "/kind" = "book" }
[requests.order]
post = "/orders"
json = { item = "{{row items id}}", quantity = "{{uniform 1 3}}" }
expect = { status = [201, 202] }
"""  # noqa: E501 (an inline table is one line)
"""As in docs/workload-file.md."""

ITEMS = "id,name\n7,seven\n8,eight\n"


def shop(folder: Path, text: str = SHOP, items: str = ITEMS) -> Path:
    """The workload file of a shop in a folder, with its rows."""
    (folder / "items.csv").write_text(items)
    file = folder / "shop.workload.toml"
    file.write_text(text)
    return file
