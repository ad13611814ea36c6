// The HTTP surface: from open services to a request listener.

import { logError, logRequest } from "./lib/log.js";
import { empty, json, send, text } from "./lib/reply.js";
import { compileRoutes } from "./lib/router.js";
import { articleRoutes } from "./routes/articles.js";
import { categoryRoutes } from "./routes/categories.js";
import { fanOutRoutes } from "./routes/fanout.js";
import { itemRoutes } from "./routes/items.js";
import { linkRoutes } from "./routes/links.js";
import { pageRoutes } from "./routes/pages.js";
import { queryRoutes } from "./routes/queries.js";
import { surveyRoutes } from "./routes/surveys.js";
import { unitRoutes } from "./routes/units.js";

/** `listener` takes requests; after `stop()` each connection ends with its next answer. */
export function createApp(services, settings) {
  const { database, cache } = services;
  const find = compileRoutes([
    ["GET", "/health", () => health(services)],
    ["GET", "/plaintext", () => text("Hello, World!")],
    ...itemRoutes(database.items),
    ...surveyRoutes(database.surveys, settings.batchSize),
    ...linkRoutes(database.values),
    ...categoryRoutes(database.categories),
    ...queryRoutes(database.queries),
    ...fanOutRoutes(settings.upstreamUrl, settings.upstreamPool),
    ...unitRoutes(database.units),
    ...articleRoutes(database.articles, settings.matchThreads),
    ...pageRoutes(database.pages, database.categories, cache.values),
  ]);
  let stopping = false;

  async function listener(request, response) {
    const [path] = request.url.split("?", 1);
    let reply;
    try {
      reply = await answer(find(path), request);
    } catch (error) {
      if (request.socket.destroyed) return; // nobody is left to be answered
      logError(`${request.method} ${firstSegment(path)}`, error);
      reply = empty(500);
    }
    if (stopping) response.setHeader("connection", "close");
    send(response, reply);
    if (settings.accessLog) logRequest(request, response);
  }

  return { listener, stop: () => (stopping = true) };
}

function answer(found, request) {
  if (!found) return empty(404);
  const { methods, parameters } = found;
  const handle = methods.get(request.method === "HEAD" ? "GET" : request.method);
  return handle ? handle(parameters, request) : empty(405, { allow: [...methods.keys()].join(", ") });
}

async function health(services) {
  try {
    await services.ping();
    return text("ok");
  } catch (error) {
    logError("GET /health", error);
    return json({ status: "unavailable" }, 503);
  }
}

/** Enough to tell the workload by, and no text of a client's in the log beyond it. */
function firstSegment(path) {
  return `/${path.split("/", 2)[1]}`;
}
