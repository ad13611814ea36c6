// query-mix: a short query, and one that has the database sleep. query-chain: one such, and short ones after it.

import { positiveInteger } from "../lib/numbers.js";
import { empty, json, unavailable } from "../lib/reply.js";

const LONGEST_MS = 10_000;
const MOST_SHORT = 1_000;

export function queryRoutes(queries) {
  return [
    ["GET", "/queries/short", queries ? async () => json({ value: await queries.one() }) : unavailable],
    [
      "GET",
      "/queries/long/{milliseconds}",
      queries ? (parameters) => long(queries, parameters) : unavailable,
    ],
    [
      "GET",
      "/queries/chain/{milliseconds}/{short}",
      queries ? (parameters) => chain(queries, parameters) : unavailable,
    ],
  ];
}

async function long(queries, { milliseconds }) {
  const duration = positiveInteger(milliseconds, LONGEST_MS);
  if (duration === undefined) return empty(400);
  await queries.sleep(duration);
  return json({ slept: duration });
}

async function chain(queries, { milliseconds, short }) {
  const duration = positiveInteger(milliseconds, LONGEST_MS);
  const count = short === "0" ? 0 : positiveInteger(short, MOST_SHORT);
  if (duration === undefined || count === undefined) return empty(400);
  await queries.sleep(duration);
  let sum = 0;
  for (let asked = 0; asked < count; asked++) sum += await queries.one();
  return json({ slept: duration, sum });
}
