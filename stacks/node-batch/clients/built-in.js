// The client that comes with Node.js, with an agent that keeps its connections.

import { Agent } from "node:http";

import { callThrough } from "./node-http.js";

export function open(url, connections, timeoutMs) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });
  return {
    call: () => callThrough(agent, url, timeoutMs),
    close: () => agent.destroy(),
  };
}
