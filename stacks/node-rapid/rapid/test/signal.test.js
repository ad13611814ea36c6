import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, test } from "node:test";

import { serve } from "../fixtures/server.js";

const handlers = new EventEmitter().setMaxListeners(0);

const { seen, ask, open, close } = await serve({
  // Tells the signal, and waits until it is aborted or `answer` is told.
  "GET /waits": async ({ signal }) => {
    const answered = once(handlers, "answer", { signal });
    handlers.emit("waits", signal);
    await answered;
    return "answered";
  },
  "GET /breaks": async ({ signal }) => {
    handlers.emit("breaks", signal);
    await once(signal, "abort");
    throw new Error("while cleaning up");
  },
  "GET /late": async (context) => {
    handlers.emit("late");
    await once(context.request.socket, "close");
    handlers.emit("signal", context.signal);
  },
  "GET /quick": ({ signal }) => String(signal.aborted),
});
after(close);

const LINES = "HTTP/1.1\r\nHost: x\r\n\r\n";

test("the signal is aborted when the client goes away, and nothing is reported", async () => {
  seen.length = 0;
  const socket = open();
  socket.write(`GET /waits ${LINES}`);
  const [signal] = await once(handlers, "waits");
  assert.equal(signal.aborted, false);
  socket.destroy();
  await once(signal, "abort");
  assert.equal(await (await ask("/quick")).text(), "false");
  assert.deepEqual(seen, []);
});

test("the signal is not aborted when the answer was given, though the connection closes", async () => {
  const asked = ask("/waits", { headers: { connection: "close" } });
  const [signal] = await once(handlers, "waits");
  handlers.emit("answer");
  assert.equal(await (await asked).text(), "answered");
  await ask("/quick");
  assert.equal(signal.aborted, false);
});

test("a handler that breaks after its client has gone is reported", async () => {
  seen.length = 0;
  const socket = open();
  socket.write(`GET /breaks ${LINES}`);
  const [signal] = await once(handlers, "breaks");
  socket.destroy();
  await once(signal, "abort");
  await ask("/quick");
  assert.deepEqual(
    seen.map(({ message }) => message),
    ["while cleaning up"],
  );
});

test("a signal that is asked for when the client has gone is aborted", async () => {
  const socket = open();
  socket.write(`GET /late ${LINES}`);
  await once(handlers, "late");
  const told = once(handlers, "signal");
  socket.destroy();
  const [signal] = await told;
  assert.equal(signal.aborted, true);
});

test("pipelined requests have a signal each, without a warning", async () => {
  const warnings = [];
  const warned = (warning) => warnings.push(warning);
  process.on("warning", warned);
  const socket = open();
  const signals = [];
  handlers.on("waits", (signal) => signals.push(signal));
  socket.write(`GET /waits ${LINES}`.repeat(15));
  while (signals.length < 15) await once(handlers, "waits");
  socket.destroy();
  await Promise.all(signals.map((signal) => signal.aborted || once(signal, "abort")));
  assert.equal(new Set(signals).size, 15);
  await ask("/quick");
  process.off("warning", warned);
  handlers.removeAllListeners("waits");
  assert.deepEqual(warnings, []);
});
