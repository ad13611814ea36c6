// The HTTP surface: parameters and bodies are checked by schemas, which Fastify compiles once.

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

export function createApp(surveys) {
  const app = Fastify({ bodyLimit: LARGEST_BODY_BYTES, logger: false });

  app.setErrorHandler((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) logError(`${request.method} ${request.routeOptions.url}`, error);
    reply.code(status).send();
  });

  app.get("/health", async () => {
    await surveys.ping();
    return { status: "ok" };
  });

  app.get("/plaintext", async (request, reply) => {
    reply.type("text/plain");
    return "Hello, World!";
  });

  const storedBy = (store) => async (request, reply) => {
    const { survey, user } = request.params;
    await store({ survey, user, answers: request.body });
    return reply.code(201).send();
  };
  app.post("/survey/:survey/:user", { schema: SURVEY }, storedBy(surveys.insert));
  app.put("/survey/:survey/:user", { schema: SURVEY }, storedBy(surveys.replace));
  app.post("/surveybatched/:survey/:user", { schema: SURVEY }, storedBy(surveys.insertBatched));

  return app;
}
