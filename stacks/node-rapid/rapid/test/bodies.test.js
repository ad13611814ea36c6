import assert from "node:assert/strict";
import { once } from "node:events";
import { after, test } from "node:test";

import { serve } from "../fixtures/server.js";

const LIMIT_BYTES = 100;

const { server, seen, ask, open, close } = await serve(
  {
    "POST /echo/:id(int)": ({ parameters, body }) => ({
      ...parameters,
      body: body === undefined ? "none" : body,
    }),
  },
  { bodyLimitBytes: LIMIT_BYTES },
);
after(close);

function post(body, headers = { "content-type": "application/json" }) {
  return ask("/echo/7", { method: "POST", body, headers, duplex: "half" });
}

test("a body is parsed; none is undefined", async () => {
  assert.deepEqual(await (await post('{"a":"ä"}')).json(), { id: 7, body: { a: "ä" } });
  assert.deepEqual(await (await post(undefined, {})).json(), { id: 7, body: "none" });
  assert.deepEqual(await (await post("null")).json(), { id: 7, body: null });
});

test("a body that is no JSON, or no UTF-8, is 400", async () => {
  assert.equal((await post("{")).status, 400);
  assert.equal((await post(new Uint8Array([0x22, 0xff, 0x22]))).status, 400);
  assert.deepEqual(
    await (await post('"\ufffd"')).json(),
    { id: 7, body: "\ufffd" },
    "the character itself is UTF-8",
  );
});

for (const poison of [
  '{"__proto__":{"admin":true}}',
  '{"\\u005f_proto__":{"admin":true}}',
  '{"a":[{"__proto__":null}]}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"a":{"c\\u006fnstructor":{"prototype":1}}}',
]) {
  test(`${poison} would change what objects inherit: 400`, async () => {
    assert.equal((await post(poison)).status, 400);
  });
}

test("what only looks like it is a body like any other", async () => {
  for (const body of [
    { text: "__proto__ and constructor" },
    { constructor: "ACME" },
    { constructor: { name: "ACME" } },
    { constructor: null, prototype: {} },
  ]) {
    assert.deepEqual((await (await post(JSON.stringify(body))).json()).body, body);
  }
  assert.deepEqual((await (await post('{"a":"\\u0041"}')).json()).body, { a: "A" });
});

test("a body of another type, or compressed, is 415", async () => {
  assert.equal((await post("{}", { "content-type": "text/plain" })).status, 415);
  assert.equal((await post("{}", { "content-type": "application/jsonp" })).status, 415);
  assert.equal((await post(new Uint8Array([0x7b, 0x7d]), {})).status, 415);
  assert.equal(
    (await post("{}", { "content-type": "application/json", "content-encoding": "gzip" })).status,
    415,
  );
  assert.equal((await post("{}", { "content-type": "application/problem+json; charset=utf-8" })).status, 200);
});

test("a body is 413 from one byte beyond the limit, told or chunked", async () => {
  const ofLength = (bytes) => JSON.stringify("x".repeat(bytes - 2));
  assert.equal((await post(ofLength(LIMIT_BYTES))).status, 200);
  assert.equal((await post(ofLength(LIMIT_BYTES + 1))).status, 413);
  const chunks = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(ofLength(LIMIT_BYTES + 1)));
      controller.close();
    },
  });
  assert.equal((await post(chunks)).status, 413);
});

test("a connection is kept after 413, and closed if the body does not end", async () => {
  const long = "x".repeat(2000);
  const head = "POST /echo/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const socket = open();
  const answers = [];
  socket.on("data", (data) => answers.push(data)).on("error", () => {});
  socket.write(`${head}Content-Length: 2000\r\n\r\n${long}`);
  await once(socket, "data");
  assert.match(answers.join(""), /^HTTP\/1.1 413 /);
  assert.doesNotMatch(answers.join(""), /connection: close/i);

  answers.length = 0;
  socket.write(`${head}Content-Length: 999999999\r\n\r\n`);
  while (answers.length === 0 && !socket.destroyed) {
    if (!socket.write(long)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    await new Promise(setImmediate);
  }
  assert.match(answers.join(""), /^HTTP\/1.1 413 [^]*connection: close/i);
  socket.destroy();
});

test("a body is the same in one piece with its head, in several, and chunked; requests may be pipelined", async () => {
  const head = "POST /echo/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  const whole = `${head}Content-Length: 7\r\n\r\n{"a":1}`;
  const socket = open();
  let answers = "";
  socket.on("data", (data) => (answers += data));
  const answered = async (count) => {
    while (answers.split('{"id":1,"body":{"a":1}}').length <= count) await once(socket, "data");
  };
  socket.write(whole + whole + whole);
  await answered(3);
  for (let cut = 1; cut <= 7; cut++) {
    socket.write(whole.slice(0, -cut));
    await new Promise(setImmediate);
    socket.write(whole.slice(-cut));
    await answered(3 + cut);
  }
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n`);
  await answered(11);
  assert.equal(answers.match(/HTTP\/1.1 200 /g).length, 11);
  socket.destroy();
});

test("a body that came with its head is taken without the events of a stream, another one by them", async () => {
  const listeners = [];
  const counted = (request, response) =>
    response.once("finish", () => listeners.push(request.listenerCount("data")));
  server.on("request", counted);
  const head =
    "POST /echo/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n";
  const socket = open();
  socket.write(`${head}{"a":1}`);
  await once(socket, "data");
  const arrived = once(server, "request");
  socket.write(`${head}{"a"`);
  await arrived;
  await new Promise(setImmediate);
  socket.write(":1}");
  await once(socket, "data");
  server.off("request", counted);
  assert.deepEqual(listeners, [0, 1]);
  socket.destroy();
});

test("a client that goes away in its body is not answered and not reported", async () => {
  seen.length = 0;
  const socket = open();
  const [[incoming]] = await Promise.all([
    once(server, "request"),
    new Promise((written) =>
      socket.write(
        'POST /echo/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a',
        written,
      ),
    ),
  ]);
  socket.destroy();
  await new Promise((closed) => incoming.socket.once("close", closed));
  assert.equal((await post('{"a":1}')).status, 200);
  assert.deepEqual(seen, []);
});

test("a parameter of another type is 400", async () => {
  assert.equal((await ask("/echo/x", { method: "POST" })).status, 400);
});
