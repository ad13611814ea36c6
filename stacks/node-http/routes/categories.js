// categories: all of them, read from the database on each request.

import { json, unavailable } from "../lib/reply.js";

export function categoryRoutes(categories) {
  return [["GET", "/categories", categories ? async () => json(await categories.all()) : unavailable]];
}
