// From routes to a listener for `node:http`.

import { answer, send, sendFailure } from "./answer.js";
import { readJson } from "./body.js";
import { Context } from "./context.js";
import { HttpError } from "./http-error.js";
import { compileRoutes } from "./routes.js";
import { pathOf } from "./target.js";

const DEFAULT_LIMIT_BYTES = 1_048_576;
const NOT_FOUND = answer({ status: 404 });

/**
 * A listener for the "request" event of an HTTP server. Whatever a handler does is answered, and ends no process.
 *
 * `routes`: {"METHOD /pattern": handle}. `handle(context)` gives, or resolves to, an answer: a string is text, a
 * Uint8Array bytes, undefined 204, what `answer()` made is sent as it says, all else is JSON. The context has
 * `parameters`, `body`, `query`, `signal` and `request`. What a handler throws is answered 500 and given to
 * `onError(error, request)`; an HttpError is answered as it says.
 *
 * `types`: {name: read}, further types of parameters. `bodyLimitBytes`: the longest body.
 */
export function createListener(
  routes,
  { types = {}, bodyLimitBytes = DEFAULT_LIMIT_BYTES, onError = (error) => console.error(error) } = {},
) {
  const { find, allow } = compileRoutes(routes, types);

  // Callbacks, and no promise but the handler's: each costs a measurable part of a short request. The three functions
  // within and what the handler gets are all that is made for it here.
  return function listener(request, response) {
    const { method } = request;
    let found;
    try {
      found = find(pathOf(request.url));
    } catch (error) {
      return refuse(error);
    }
    const route = found?.methods.get(method);
    if (route === undefined) return settle(withoutRoute(request, found, allow));
    if (route.readsBody) return readJson(request, bodyLimitBytes, handle);
    return handle(undefined, undefined);

    function handle(error, body) {
      if (error !== undefined) return refuse(error);
      try {
        const value = route.handle(new Context(route.parametersOf(found.values), body, request, response));
        if (value instanceof Promise) value.then(settle, refuse);
        // What only looks like a promise may throw, or settle twice: a real one stands between.
        else if (typeof value?.then === "function") Promise.resolve(value).then(settle, refuse);
        else settle(value);
      } catch (thrown) {
        refuse(thrown);
      }
    }

    function settle(value) {
      try {
        send(response, value);
      } catch (error) {
        fail(error, request, response);
      }
    }

    function refuse(error) {
      if (error instanceof HttpError) settle(error.answer);
      else fail(error, request, response);
    }
  };

  /** The handler is over, and nobody would catch what is thrown from here on: nothing is. */
  function fail(error, request, response) {
    const { destroyed } = request.socket;
    if (!(destroyed && error?.name === "AbortError")) report(error, request); // what its signal is for is no news
    if (!destroyed) sendFailure(response);
  }

  function report(error, request) {
    try {
      const told = onError(error, request);
      if (typeof told?.then === "function") Promise.resolve(told).catch((failure) => console.error(failure));
    } catch (failure) {
      console.error(failure);
    }
  }
}

/** What is answered where no route is for this path and method. `found`: the routes of this path, if any. */
function withoutRoute({ method, url }, found, allow) {
  if (method === "OPTIONS" && found !== undefined) return answer({ headers: { allow: found.allow } });
  if (method === "OPTIONS" && url === "*") return answer({ headers: { allow } });
  return found === undefined ? NOT_FOUND : answer({ status: 405, headers: { allow: found.allow } });
}
