// query-mix: a short query, and one that has the database sleep.

import { positiveInteger } from "../lib/numbers.js";
import { empty, json, unavailable } from "../lib/reply.js";

const LONGEST_MS = 10_000;

export function queryRoutes(queries) {
  return [
    ["GET", "/queries/short", queries ? async () => json({ value: await queries.one() }) : unavailable],
    [
      "GET",
      "/queries/long/{milliseconds}",
      queries ? (parameters) => long(queries, parameters) : unavailable,
    ],
  ];
}

async function long(queries, { milliseconds }) {
  const duration = positiveInteger(milliseconds, LONGEST_MS);
  if (duration === undefined) return empty(400);
  await queries.sleep(duration);
  return json({ slept: duration });
}
