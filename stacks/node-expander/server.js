// A URL expander on node:http alone, as a comparison of 2018 had it: a key looked up over one connection to Redis.

import { createServer } from "node:http";
import { promisify } from "node:util";

import redis from "redis";

import { inProcesses } from "./processes.js";

const ELSEWHERE = "https://example.com/";
const LINK = /^\/links\/(\d{1,20})$/;
const PRINTS = process.env.PRINT_REQUESTS === "1";
const IDLE_MS = 65_000;
const DRAIN_MS = 2000;

await inProcesses(Number(process.env.WEB_CONCURRENCY || 1), async () => {
  const client = redis.createClient(process.env.DATABASE_URL);
  client.on("error", (error) => console.error(`node-expander: ${error.message}`));
  const server = createServer({ keepAliveTimeout: IDLE_MS }, listener(client));
  server.listen({ host: process.env.HOST || "127.0.0.1", port: Number(process.env.PORT || 8080), backlog: 1024 });
  return async () => {
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    await new Promise((closed) => server.close(closed)); // idle connections at once, the others when they are answered
    client.end(true);
  };
});

function listener(client) {
  const get = promisify(client.get).bind(client);
  const ping = promisify(client.ping).bind(client);

  return async (request, response) => {
    if (PRINTS) console.log(`${request.method} ${request.url}`);
    const path = request.url.split("?")[0];
    try {
      if (request.method === "GET" && path.startsWith("/links/")) {
        const key = LINK.exec(path)?.[1];
        const address = key === undefined ? null : await get(`link:${key}`);
        if (address === null) respond(response, 302, { Location: ELSEWHERE });
        else respond(response, 301, { Location: address });
      } else if (path === "/health") {
        await ping();
        respond(response, 200);
      } else {
        respond(response, 404);
      }
    } catch (error) {
      console.error(`node-expander: ${error.message}`);
      respond(response, 503);
    }
  };
}

function respond(response, status, headers) {
  response.writeHead(status, { "Content-Length": 0, ...headers });
  response.end();
}
