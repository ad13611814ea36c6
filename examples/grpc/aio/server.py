"""A shop by gRPC on grpc.aio, with its items in memory."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from typing import Any

import grpc
import shop_pb2
import shop_pb2_grpc

KINDS = ("teapot", "cup", "saucer", "spoon")
ITEMS = {
    id: shop_pb2.Item(id=id, name=f"{KINDS[id % 4]} {id}", price_cents=100 + id, tags=[KINDS[id % 4], "new"])
    for id in range(1, 1001)
}


class Shop(shop_pb2_grpc.ShopServicer):
    """Looks items up, and takes orders."""

    async def Look(self, request: Any, context: grpc.aio.ServicerContext) -> Any:
        """The item."""
        return await item(request.id, context)

    async def Order(self, request: Any, context: grpc.aio.ServicerContext) -> Any:
        """What so many of the item cost."""
        if request.quantity < 1:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "a quantity is 1 or more")
        ordered = await item(request.item, context)
        return shop_pb2.Receipt(item=ordered.id, total_cents=ordered.price_cents * request.quantity)

    async def Browse(self, request: Any, context: grpc.aio.ServicerContext) -> AsyncIterator[Any]:
        """So many items, from the first on."""
        for id in range(request.first, request.first + request.count):
            yield await item(id, context)


async def item(id: int, context: grpc.aio.ServicerContext) -> Any:
    """The item with this id; without one, the call ends with NOT_FOUND."""
    found = ITEMS.get(id)
    if found is None:
        await context.abort(grpc.StatusCode.NOT_FOUND, f"there is no item {id}")
    return found


async def main() -> None:
    """Serve until SIGTERM, and let calls end that are under way."""
    server = grpc.aio.server()
    shop_pb2_grpc.add_ShopServicer_to_server(Shop(), server)
    server.add_insecure_port(f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8080')}")
    await server.start()
    ends = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ends.set)
    await ends.wait()
    await server.stop(grace=2)


if __name__ == "__main__":
    asyncio.run(main())
