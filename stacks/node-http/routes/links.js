// redirect: a key looked up in a key-value store.

import { empty, unavailable } from "../lib/reply.js";

const ELSEWHERE = "https://example.com/";
const KEY = /^\d{1,20}$/;

export function linkRoutes(values) {
  return [["GET", "/links/{key}", values ? (parameters) => redirect(values, parameters) : unavailable]];
}

async function redirect(values, { key }) {
  const address = KEY.test(key) ? await values.get(`link:${key}`) : undefined;
  return address === undefined ? empty(302, { location: ELSEWHERE }) : empty(301, { location: address });
}
