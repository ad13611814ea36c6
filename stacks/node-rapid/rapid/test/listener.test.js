import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { after, before, test } from "node:test";

import { HttpError, createListener } from "../index.js";

const LIMIT_BYTES = 100;
const seen = [];
let server;

before(async () => {
  const routes = {
    "GET /text": () => "größer",
    "GET /json": async () => ({ a: [1, null] }),
    "GET /nothing": () => undefined,
    "GET /empty": () => "",
    "GET /endless": () => {
      const value = {};
      return Object.assign(value, { value });
    },
    "GET /teapot": () => 418,
    "GET /gone": () => {
      throw new HttpError(410, { "x-why": "old" });
    },
    "GET /broken": async () => {
      throw new TypeError("a bug");
    },
    "POST /echo/:id(int)": ({ parameters, body }) => ({
      ...parameters,
      body: body === undefined ? "none" : body,
    }),
    "PUT /echo/:id(int)": () => 204,
  };
  const listener = createListener(routes, {
    bodyLimitBytes: LIMIT_BYTES,
    onError: (error) => seen.push(error),
  });
  server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
});

after(() => {
  server.close();
  server.closeAllConnections();
});

const ask = (path, options) => fetch(`http://127.0.0.1:${server.address().port}${path}`, options);

function post(body, headers = { "content-type": "application/json" }) {
  return ask("/echo/7", { method: "POST", body, headers, duplex: "half" });
}

test("a string is text, with its length in bytes", async () => {
  const answer = await ask("/text?query=ignored");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(answer.headers.get("content-length"), "8");
  assert.equal(await answer.text(), "größer");
});

test("an object is JSON, a number a status, undefined 204", async () => {
  const answer = await ask("/json");
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.deepEqual(await answer.json(), { a: [1, null] });
  const teapot = await ask("/teapot");
  assert.equal(teapot.status, 418);
  assert.equal(await teapot.text(), "");
  assert.equal(teapot.headers.get("content-length"), "0");
  const empty = await ask("/empty");
  assert.equal(empty.status, 200);
  assert.equal(empty.headers.get("content-length"), "0");
});

test("204 has no length, whichever way it is said", async () => {
  for (const answer of await Promise.all([ask("/nothing"), ask("/echo/7", { method: "PUT" })])) {
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get("content-length"), null);
  }
});

test("what cannot be written as JSON is 500 and reported", async () => {
  seen.length = 0;
  assert.equal((await ask("/endless")).status, 500);
  assert.equal(seen.length, 1);
});

test("HEAD is GET without its body", async () => {
  const answer = await ask("/text", { method: "HEAD" });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-length"), "8");
  assert.equal(await answer.text(), "");
});

test("an unknown path is 404; a path without this method 405, with those it has", async () => {
  assert.equal((await ask("/unknown")).status, 404);
  const answer = await ask("/echo/7", { method: "DELETE" });
  assert.equal(answer.status, 405);
  assert.equal(answer.headers.get("allow"), "POST, PUT");
  assert.equal((await ask("/text", { method: "POST", body: "x" })).headers.get("allow"), "GET, HEAD");
});

test("a body is parsed; none is undefined", async () => {
  assert.deepEqual(await (await post('{"a":"ä"}')).json(), { id: 7, body: { a: "ä" } });
  assert.deepEqual(await (await post(undefined, {})).json(), { id: 7, body: "none" });
  assert.deepEqual(await (await post("null")).json(), { id: 7, body: null });
});

test("a body that is no JSON, or no UTF-8, is 400", async () => {
  assert.equal((await post("{")).status, 400);
  assert.equal((await post(new Uint8Array([0x22, 0xff, 0x22]))).status, 400);
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
  const socket = connect(server.address().port, "127.0.0.1").setEncoding("utf8");
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
  const socket = connect(server.address().port, "127.0.0.1").setEncoding("utf8");
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

test("a client that goes away in its body is not answered and not reported", async () => {
  seen.length = 0;
  const socket = connect(server.address().port, "127.0.0.1");
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

test("what a handler throws is 500 and reported; an HttpError is its status", async () => {
  seen.length = 0;
  const gone = await ask("/gone");
  assert.equal(gone.status, 410);
  assert.equal(gone.headers.get("x-why"), "old");
  assert.equal(seen.length, 0);
  assert.equal((await ask("/broken")).status, 500);
  assert.deepEqual(
    seen.map(({ message }) => message),
    ["a bug"],
  );
});
