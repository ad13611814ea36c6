// The HTTP surface.

import { setTimeout as delay } from "node:timers/promises";

import express from "express";

import { logError } from "./log.js";

const LARGEST_BODY_BYTES = 65_536;
const LARGEST_USER = 2_147_483_647;
const MOST_EVENTS = 1000;
const LONGEST_PAUSE_MS = 10_000;

export function createApp(store) {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");

  app.get("/health", async (request, response) => {
    await store.ping();
    response.json({ status: "ok" });
  });

  app.get("/plaintext", (request, response) => {
    response.type("text/plain").send("Hello, World!");
  });

  app.get("/stream/:events/:milliseconds", async ({ params }, response) => {
    const events = positiveInteger(params.events, MOST_EVENTS);
    const pause = positiveInteger(params.milliseconds, LONGEST_PAUSE_MS);
    if (events === undefined || pause === undefined) {
      response.status(400).end();
      return;
    }
    response.set({ "content-type": "text/event-stream", "cache-control": "no-cache" });
    for (let number = 0; number < events; number++) {
      if (number > 0) await delay(pause);
      if (response.closed) return; // the client went away
      response.write(`id: ${number}\ndata: ${JSON.stringify({ number, text: "Hello, World!" })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });

  const json = express.json({ limit: LARGEST_BODY_BYTES });
  if (store.randomItem) {
    app.get("/items/random", async (request, response) => sendItem(response, await store.randomItem()));
    app.get("/items/:uuid", async ({ params }, response) => sendItem(response, await store.itemByUuid(params.uuid)));
    app.get("/categories", async (request, response) => {
      response.json(await store.categories());
    });
  }

  const storedBy = (write) => async (request, response) => {
    const { survey, user } = request.params;
    const answers = request.body;
    if (!isSurvey(survey) || !isUser(user) || !isObject(answers)) {
      response.status(400).end();
      return;
    }
    await write({ survey, user: Number(user), answers });
    response.status(201).end();
  };
  app
    .route("/survey/:survey/:user")
    .post(json, storedBy(store.insert))
    .put(json, storedBy(store.replace));
  app.post("/surveybatched/:survey/:user", json, storedBy(store.insertBatched));

  app.use((request, response) => {
    response.status(404).end();
  });

  // Express knows the handler of errors by its four parameters.
  app.use((error, request, response, next) => {
    const status = error.status ?? 500;
    if (status >= 500) logError(`${request.method} ${request.route?.path}`, error);
    if (response.headersSent) next(error);
    else response.status(status).end();
  });

  return app;
}

function sendItem(response, item) {
  if (item) response.json(item);
  else response.status(404).end();
}

function positiveInteger(text, largest) {
  const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;
  return number <= largest ? number : undefined;
}

function isSurvey(text) {
  return /^[a-z0-9-]{1,32}$/.test(text);
}

function isUser(text) {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= LARGEST_USER;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
