// Redis: one connection per process, on which node-redis sends commands without waiting for answers to those before.

import { createClient } from "redis";

import { logError } from "../lib/log.js";

const LONGEST_PAUSE_MS = 1000;

export async function open(url) {
  let connected = false;
  const client = createClient({
    url,
    disableOfflineQueue: true, // while Redis is gone requests fail at once
    socket: {
      // At start a refused connection is told; later it is tried again and again.
      reconnectStrategy: (retries, cause) => (connected ? Math.min(50 * retries, LONGEST_PAUSE_MS) : cause),
    },
  });
  client.on("error", (error) => connected && logError("the connection to Redis", error));
  await client.connect();
  connected = true;

  return {
    ping: () => client.ping(),
    close: () => client.close(),
    values: {
      get: async (key) => (await client.get(key)) ?? undefined,
      put: (key, value, seconds) => client.set(key, value, { expiration: { type: "EX", value: seconds } }),
    },
  };
}
