// The HTTP surface.

import restify from "restify";

import { logError } from "./log.js";

const LARGEST_BODY_BYTES = 65_536;
const LARGEST_USER = 2_147_483_647;
const PLAIN_ANSWERS = process.env.PLAIN_ANSWERS === "on";
const PARSER_BY_ROUTE = process.env.PARSER_BY_ROUTE === "on";

export function createApp(surveys) {
  const server = restify.createServer({ name: "surveys" });
  const parser = restify.plugins.jsonBodyParser({ maxBodySize: LARGEST_BODY_BYTES, mapParams: false });
  const before = PARSER_BY_ROUTE ? parser : [];
  if (!PARSER_BY_ROUTE) server.use(parser);

  server.on("restifyError", (request, response, error, callback) => {
    if ((error.statusCode ?? 500) >= 500) logError(`${request.method} ${request.getRoute()?.path}`, error);
    callback();
  });

  server.get("/health", async (request, response) => {
    await surveys.ping();
    response.send({ status: "ok" });
  });

  server.get("/plaintext", async (request, response) => {
    if (PLAIN_ANSWERS) {
      response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": 13 });
      response.end("Hello, World!");
      return;
    }
    response.header("Content-Type", "text/plain");
    response.send("Hello, World!");
  });

  const storedBy = (store) => async (request, response) => {
    const { survey, user } = request.params;
    const answers = request.body;
    if (!isSurvey(survey) || !isUser(user) || !isObject(answers)) {
      response.send(400);
      return;
    }
    await store({ survey, user: Number(user), answers });
    response.send(201);
  };
  server.post("/survey/:survey/:user", before, storedBy(surveys.insert));
  server.put("/survey/:survey/:user", before, storedBy(surveys.replace));
  server.post("/surveybatched/:survey/:user", before, storedBy(surveys.insertBatched));

  return server;
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
