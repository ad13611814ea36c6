// The job `call-batch`: calls to a server, begun in turn by as many loops as may wait at once, or all of them at once.

import { positiveInteger } from "./numbers.js";

// Each file has `open(url, connections, timeoutMs)`, which gives `call()` and `close()`. `call()` resolves when an
// answer of status 200 was read to its end, and rejects otherwise. Where there are more calls than connections, the
// client keeps those that wait.
const CLIENTS = {
  undici: () => import("./clients/undici.js"),
  "built-in": () => import("./clients/built-in.js"),
  closing: () => import("./clients/closing.js"),
  "restify-clients": () => import("./clients/restify-clients.js"),
};
/**
 * How many loops share the calls out, and how long an answer may take. With a loop for each call, all are begun before
 * the first answer is read, and it waits for as long as that takes: whoever runs the program has to be patient.
 */
const BEGINNINGS = {
  "in-turn": { loops: (_calls, concurrency) => concurrency, timeoutMs: 30_000 },
  "at-once": { loops: (calls) => calls, timeoutMs: 3_600_000 },
};

/** Makes the calls, and waits for the last answer; rejects with the first call that fails. */
export async function makeCalls({ UPSTREAM_URL, CALLS, CONCURRENCY, CLIENT = "undici", BEGIN = "in-turn" }) {
  const load = choice("CLIENT", CLIENT, CLIENTS);
  const { loops, timeoutMs } = choice("BEGIN", BEGIN, BEGINNINGS);
  const calls = positiveInteger("CALLS", CALLS);
  const concurrency = positiveInteger("CONCURRENCY", CONCURRENCY);
  const { open } = await load();
  const client = open(new URL(UPSTREAM_URL), concurrency, timeoutMs);
  let left = calls;

  async function loop() {
    while (left-- > 0) await client.call();
  }

  await Promise.all(Array.from({ length: loops(calls, concurrency) }, loop));
  await client.close();
}

function choice(name, value, choices) {
  if (Object.hasOwn(choices, value)) return choices[value];
  throw new Error(`${name} must be one of ${Object.keys(choices).join(", ")}, not ${JSON.stringify(value)}`);
}
