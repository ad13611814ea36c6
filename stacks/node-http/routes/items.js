// random-item: one row, picked by the database on each request; nothing of it is kept.

import { empty, json, unavailable } from "../lib/reply.js";

export function itemRoutes(items) {
  return [
    ["GET", "/items/random", items ? async () => itemReply(await items.random()) : unavailable],
    ["GET", "/items/{uuid}", items ? async ({ uuid }) => itemReply(await items.byUuid(uuid)) : unavailable],
  ];
}

function itemReply(item) {
  return item ? json(item) : empty(404);
}
