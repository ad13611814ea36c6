"""The workload random-item."""

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route


async def random_item(request: Request) -> Response:
    return _answer(await request.state.store.random_item())


async def item_by_uuid(request: Request) -> Response:
    return _answer(await request.state.store.item_by_uuid(request.path_params["uuid"]))


def _answer(item: dict | None) -> Response:
    return JSONResponse(item) if item is not None else PlainTextResponse("Not Found", status_code=404)


routes = [
    Route("/items/random", random_item),
    Route("/items/{uuid}", item_by_uuid),
]
