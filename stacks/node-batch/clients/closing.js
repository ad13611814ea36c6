// The client that comes with Node.js, with a new connection for each call, closed behind its answer.

import { Agent } from "node:http";

import { callThrough } from "./node-http.js";

export function open(url, _connections, timeoutMs) {
  // Without `maxSockets`: an agent that has a limit hands connections on to calls that wait, `keepAlive` or not.
  const agent = new Agent({ keepAlive: false });
  return {
    call: () => callThrough(agent, url, timeoutMs),
    close: () => agent.destroy(),
  };
}
