// The HTTP surface. Schemas check parameters and bodies, and say how answers are written; Fastify compiles them once.

import Fastify from "fastify";

import { logError } from "./log.js";

const LARGEST_BODY_BYTES = 65_536;

const SURVEY = {
  params: {
    type: "object",
    properties: {
      survey: { type: "string", pattern: "^[a-z0-9-]{1,32}$" },
      user: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
    },
  },
  body: { type: "object" },
};

const ITEM = answerOf({
  type: "object",
  properties: {
    id: { type: "integer" },
    uuid: { type: "string" },
    name: { type: "string" },
    hash_code: { type: "string" },
    created_at: { type: "string" },
  },
});

const CATEGORIES = answerOf({
  type: "array",
  items: {
    type: "object",
    properties: {
      id: { type: "integer" },
      name: { type: "string" },
      slug: { type: "string" },
      description: { type: "string" },
    },
  },
});

/** Without a schema Fastify writes an answer by JSON.stringify. */
function answerOf(schema) {
  return process.env.ANSWER_SCHEMAS === "off" ? {} : { response: { 200: schema } };
}

export function createApp(store) {
  const app = Fastify({ bodyLimit: LARGEST_BODY_BYTES, logger: process.env.REQUEST_LOG === "on" });

  app.setErrorHandler((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) logError(`${request.method} ${request.routeOptions.url}`, error);
    reply.code(status).send();
  });

  app.get("/health", async () => {
    await store.ping();
    return { status: "ok" };
  });

  app.get("/plaintext", async (request, reply) => {
    reply.type("text/plain");
    return "Hello, World!";
  });

  if (store.randomItem) {
    const itemOr404 = (item, reply) => item ?? reply.code(404).send();
    app.get("/items/random", { schema: ITEM }, async (request, reply) => itemOr404(await store.randomItem(), reply));
    app.get("/items/:uuid", { schema: ITEM }, async ({ params }, reply) =>
      itemOr404(await store.itemByUuid(params.uuid), reply),
    );
    app.get("/categories", { schema: CATEGORIES }, () => store.categories());
  }

  const storedBy = (write) => async (request, reply) => {
    const { survey, user } = request.params;
    await write({ survey, user, answers: request.body });
    return reply.code(201).send();
  };
  app.post("/survey/:survey/:user", { schema: SURVEY }, storedBy(store.insert));
  app.put("/survey/:survey/:user", { schema: SURVEY }, storedBy(store.replace));
  app.post("/surveybatched/:survey/:user", { schema: SURVEY }, storedBy(store.insertBatched));

  return app;
}
