// The job `call-batch`: calls to a server, shared out over as many loops as may wait at once.

import { positiveInteger } from "./numbers.js";

// Each file has `open(url, connections, timeoutMs)`, which gives `call()` and `close()`. `call()` resolves when an
// answer of status 200 was read to its end, and rejects otherwise.
const CLIENTS = {
  undici: () => import("./clients/undici.js"),
  "built-in": () => import("./clients/built-in.js"),
  closing: () => import("./clients/closing.js"),
};
const TIMEOUT_MS = 30_000;

/** Shares the calls out, and waits for the last answer; rejects with the first call that fails. */
export async function makeCalls({ UPSTREAM_URL, CALLS, CONCURRENCY, CLIENT = "undici" }) {
  if (!Object.hasOwn(CLIENTS, CLIENT)) {
    throw new Error(
      `CLIENT must be one of ${Object.keys(CLIENTS).join(", ")}, not ${JSON.stringify(CLIENT)}`,
    );
  }
  const calls = positiveInteger("CALLS", CALLS);
  const concurrency = positiveInteger("CONCURRENCY", CONCURRENCY);
  const { open } = await CLIENTS[CLIENT]();
  const client = open(new URL(UPSTREAM_URL), concurrency, TIMEOUT_MS);
  let left = calls;

  async function loop() {
    while (left-- > 0) await client.call();
  }

  await Promise.all(Array.from({ length: concurrency }, loop));
  await client.close();
}
