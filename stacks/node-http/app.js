// The HTTP surface: from a store to a request listener.

import { STATUS_CODES } from "node:http";

const ITEM_PREFIX = "/items/";

export function createApp(store) {
  const fixed = new Map([
    ["/health", (response) => answer(response, 200, "text/plain", "ok")],
    ["/items/random", (response) => answerItem(response, store.randomItem())],
  ]);

  function route(path) {
    const handler = fixed.get(path);
    if (handler) return handler;
    if (!path.startsWith(ITEM_PREFIX)) return undefined;
    return (response) => {
      const uuid = decode(path.slice(ITEM_PREFIX.length));
      answerItem(response, uuid === undefined ? undefined : store.itemByUuid(uuid));
    };
  }

  return (request, response) => {
    const [path] = request.url.split("?", 1);
    const handler = route(path);
    if (!handler) return answerNothing(response, 404);
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return answerNothing(response, 405);
    }
    try {
      handler(response);
    } catch (error) {
      console.error(`node-http: ${path}: ${error.message}`);
      answerNothing(response, 500);
    }
  };
}

function answerItem(response, item) {
  if (item) answer(response, 200, "application/json", JSON.stringify(item));
  else answerNothing(response, 404);
}

function answerNothing(response, status) {
  answer(response, status, "text/plain", STATUS_CODES[status]);
}

function answer(response, status, type, body) {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // a malformed escape sequence is nobody's uuid
  }
}
