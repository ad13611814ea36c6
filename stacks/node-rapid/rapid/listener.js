// From routes to a listener for `node:http`.

import { readJson } from "./body.js";
import { HttpError } from "./http-error.js";
import { compileRoutes } from "./routes.js";

const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
const DEFAULT_LIMIT_BYTES = 1_048_576;
const NO_HEADERS = Object.freeze({});

/**
 * A listener for the "request" event of an HTTP server.
 *
 * `routes`: {"METHOD /pattern": handle}. `handle({parameters, body, request})` gives, or resolves to, an answer: a
 * number is a status with an empty body, a string text, undefined 204, all else JSON. What it throws is answered 500
 * and given to `onError(error, request)`; an HttpError is answered with its status.
 *
 * `types`: {name: read}, further types of parameters. `bodyLimitBytes`: the longest body.
 */
export function createListener(
  routes,
  { types = {}, bodyLimitBytes = DEFAULT_LIMIT_BYTES, onError = (error) => console.error(error) } = {},
) {
  const find = compileRoutes(routes, types);

  // Callbacks, and no promise but the handler's: each costs a measurable part of a short request.
  return function listener(request, response) {
    const { method } = request;
    const found = find(pathOf(request.url));
    const route = found?.methods.get(method === "HEAD" ? "GET" : method);
    if (route === undefined) return refuse(notFound(found));
    if (WITH_BODY.has(method)) return readJson(request, bodyLimitBytes, handle);
    return handle(undefined, undefined);

    function handle(error, body) {
      if (error !== undefined) return refuse(error);
      try {
        const value = route.handle({ parameters: route.parametersOf(found.values), body, request });
        if (typeof value?.then === "function") value.then(answer, refuse);
        else answer(value);
      } catch (thrown) {
        refuse(thrown);
      }
    }

    function answer(value) {
      try {
        send(response, value);
      } catch (error) {
        refuse(error);
      }
    }

    function refuse(error) {
      if (request.socket.destroyed) return; // nobody is left to be answered
      if (error instanceof HttpError) {
        sendEmpty(response, error.status, error.headers);
      } else {
        onError(error, request);
        sendEmpty(response, 500);
      }
    }
  };
}

function pathOf(url) {
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}

function notFound(found) {
  if (found === undefined) return new HttpError(404);
  const names = [...found.methods.keys()];
  return new HttpError(405, { allow: (found.methods.has("GET") ? [...names, "HEAD"] : names).join(", ") });
}

function send(response, value) {
  if (typeof value === "number") sendEmpty(response, value);
  else if (value === undefined) sendEmpty(response, 204);
  else if (typeof value === "string") sendBody(response, "text/plain; charset=utf-8", value);
  else sendBody(response, "application/json", JSON.stringify(value));
}

/** The length is given, so that nothing is chunked; but 204 has none (RFC 9110, section 8.6). */
function sendEmpty(response, status, headers = NO_HEADERS) {
  response.writeHead(status, status === 204 ? headers : { ...headers, "content-length": "0" });
  response.end();
}

function sendBody(response, type, body) {
  response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body) });
  response.end(body);
}
