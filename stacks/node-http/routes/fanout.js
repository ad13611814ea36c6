// fan-out: one call to the upstream in each request, over connections that are kept.

import http from "node:http";

import { logError } from "../lib/log.js";
import { empty, json, unavailable } from "../lib/reply.js";

const TIME_LIMIT_MS = 10_000;

export function fanOutRoutes(upstreamUrl, upstreamPool) {
  return [["GET", "/fan-out", upstreamUrl ? fanOut(upstreamUrl, upstreamPool) : unavailable]];
}

function fanOut(upstreamUrl, upstreamPool) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: upstreamPool, maxFreeSockets: upstreamPool });
  const { protocol, hostname, port, pathname, search } = new URL(upstreamUrl);
  if (protocol !== "http:") throw new Error("UPSTREAM_URL must begin with http://");
  const options = { agent, hostname, port, path: pathname + search };
  return async () => {
    try {
      return json(await call(options));
    } catch (error) {
      logError("GET /fan-out", error);
      return empty(502);
    }
  };
}

/** `{status, bytes}` of one answer. A kept connection that the upstream closed meanwhile is tried anew, once. */
async function call(options) {
  const deadline = Date.now() + TIME_LIMIT_MS;
  try {
    return await get(options, deadline);
  } catch (error) {
    if (!(error.onKeptConnection && error.code === "ECONNRESET")) throw error;
    return get(options, deadline);
  }
}

function get(options, deadline) {
  return new Promise((resolve, reject) => {
    const request = http.get(options, (response) => {
      let bytes = 0;
      response.on("data", (chunk) => (bytes += chunk.length));
      response.on("end", () => resolve({ status: response.statusCode, bytes }));
      response.on("error", reject);
    });
    const late = () =>
      request.destroy(new Error(`no answer from the upstream within ${TIME_LIMIT_MS / 1000} s`));
    const timer = setTimeout(late, deadline - Date.now());
    request.on("error", (error) => {
      error.onKeptConnection = request.reusedSocket;
      reject(error);
    });
    request.on("close", () => clearTimeout(timer));
  });
}
