// From routes to a listener for `node:http`.

import { readJson } from "./body.js";
import { HttpError } from "./http-error.js";
import { compileRoutes } from "./routes.js";

const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
const DEFAULT_LIMIT_BYTES = 1_048_576;

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

  return async function listener(request, response) {
    try {
      send(response, 200, {}, await answer(find, request, bodyLimitBytes));
    } catch (error) {
      if (request.socket.destroyed) return; // nobody is left to be answered
      if (error instanceof HttpError) {
        send(response, error.status, error.headers, "");
      } else {
        onError(error, request);
        send(response, 500, {}, "");
      }
    }
  };
}

async function answer(find, request, bodyLimitBytes) {
  const { method, url } = request;
  const query = url.indexOf("?");
  const found = find(query === -1 ? url : url.slice(0, query));
  if (found === undefined) throw new HttpError(404);
  const route = found.methods.get(method === "HEAD" ? "GET" : method);
  if (route === undefined) throw new HttpError(405, { allow: allowed(found.methods) });
  const body = WITH_BODY.has(method) ? await readJson(request, bodyLimitBytes) : undefined;
  return route.handle({ parameters: route.parametersOf(found.values), body, request });
}

function allowed(methods) {
  const names = [...methods.keys()];
  return (methods.has("GET") ? [...names, "HEAD"] : names).join(", ");
}

/** Head and body at once; the length is given, so that nothing is chunked. */
function send(response, status, headers, value) {
  if (typeof value === "number") return end(response, value, headers, "");
  if (value === undefined) return end(response, 204, headers, "");
  if (typeof value === "string") {
    const type = value === "" ? {} : { "content-type": "text/plain; charset=utf-8" };
    return end(response, status, { ...headers, ...type }, value);
  }
  return end(response, status, { ...headers, "content-type": "application/json" }, JSON.stringify(value));
}

function end(response, status, headers, body) {
  const length = status === 204 ? {} : { "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length });
  response.end(body);
}
