import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { after, before, beforeEach, test } from "node:test";

import { createListener } from "../listener.js";

const LARGEST_BYTES = 65_536;

const stored = [];
const storing = (how) => async (row) => {
  if (row.survey === "broken") throw new Error("disk full");
  stored.push([how, row]);
};
const surveys = {
  ping: async () => {},
  insert: storing("insert"),
  insertBatched: storing("insertBatched"),
  replace: storing("replace"),
};
let server;

before(async () => {
  server = createServer(createListener(surveys)).listen(0, "127.0.0.1");
  await once(server, "listening");
});

after(() => {
  server.close();
  server.closeAllConnections();
});

beforeEach(() => (stored.length = 0));

const ask = (path, options) => fetch(`http://127.0.0.1:${server.address().port}${path}`, options);

const post = (path, body) => ask(path, { method: "POST", body });

test("answers are stored as their path and method say, and then answered 201", async () => {
  const row = { survey: "s-1", user: 2_147_483_647, answers: { Q1: "ä" } };
  const init = { body: JSON.stringify(row.answers) };
  for (const [path, method, how] of [
    ["/survey", "POST", "insert"],
    ["/survey", "PUT", "replace"],
    ["/surveybatched", "POST", "insertBatched"],
  ]) {
    const reply = await ask(`${path}/s-1/2147483647`, { ...init, method });
    assert.equal(reply.status, 201);
    assert.equal(reply.headers.get("content-length"), "0");
    assert.deepEqual(stored.pop(), [how, row]);
  }
});

test("a survey or a user that is none is 400", async () => {
  for (const path of [
    "/survey/S1/1",
    "/survey/s1/0",
    "/survey/s1/2147483648",
    "/survey/s1/1e3",
    "/surveybatched/s_/1",
  ])
    assert.equal((await post(path, "{}")).status, 400, path);
  assert.equal((await post(`/survey/${"a".repeat(33)}/1`, "{}")).status, 400);
  assert.deepEqual(stored, []);
});

test("a body that is no JSON object in UTF-8 is 400", async () => {
  for (const body of [
    "",
    "{",
    "[1]",
    "null",
    "1",
    new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  ])
    assert.equal((await post("/survey/s1/1", body)).status, 400, String(body));
  assert.deepEqual(stored, []);
  assert.equal((await post("/survey/s1/1", '{"\ufffd":1}')).status, 201, "the character itself is UTF-8");
});

test("a body is 413 from one byte beyond the limit, in one piece or in many", async () => {
  const ofLength = (bytes) => JSON.stringify({ a: "x".repeat(bytes - 8) });
  assert.equal((await post("/survey/s1/1", ofLength(LARGEST_BYTES))).status, 201);
  assert.equal((await post("/survey/s1/1", ofLength(LARGEST_BYTES + 1))).status, 413);
});

test("a connection is kept after a body that is refused", async () => {
  const socket = connect(server.address().port, "127.0.0.1").setEncoding("utf8");
  let answers = "";
  socket.on("data", (data) => (answers += data));
  for (const body of ["{", "x".repeat(LARGEST_BYTES + 1), "{}"])
    socket.write(`POST /survey/s1/1 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  while (!answers.includes(" 201 ")) await once(socket, "data");
  assert.deepEqual(answers.match(/(?<=HTTP\/1.1 )\d+/g), ["400", "413", "201"]);
  assert.doesNotMatch(answers, /connection: close/i);
  socket.destroy();
});

test("a body that came with its head is taken without the events of a stream, another one by them", async () => {
  const listeners = [];
  const counted = (request, response) =>
    response.once("finish", () => listeners.push(request.listenerCount("data")));
  server.on("request", counted);
  const head = "POST /survey/s1/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n";
  const socket = connect(server.address().port, "127.0.0.1");
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

test("the connection is closed if a body does not end", async () => {
  const socket = connect(server.address().port, "127.0.0.1").setEncoding("utf8");
  let answer = "";
  socket.on("data", (data) => (answer += data)).on("error", () => {});
  socket.write("POST /survey/s1/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n");
  while (answer === "" && !socket.destroyed) {
    if (!socket.write("x".repeat(9999))) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    await new Promise(setImmediate);
  }
  assert.match(answer, /^HTTP\/1.1 413 [^]*connection: close/i);
  socket.destroy();
});

test("a body is the same in one piece with its head, in several, and chunked; requests may be pipelined", async () => {
  const head = "POST /survey/s1/1 HTTP/1.1\r\nHost: x\r\n";
  const whole = `${head}Content-Length: 7\r\n\r\n{"a":1}`;
  const socket = connect(server.address().port, "127.0.0.1").setEncoding("utf8");
  let answers = "";
  socket.on("data", (data) => (answers += data));
  const answered = async (count) => {
    while (answers.split("HTTP/1.1 201 ").length <= count) await once(socket, "data");
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
  assert.deepEqual(
    stored.map(([, { answers }]) => answers),
    Array(11).fill({ a: 1 }),
  );
  socket.destroy();
});

test("what cannot be stored is 500, and the server goes on", async (t) => {
  const told = t.mock.method(console, "error", () => {});
  assert.equal((await post("/survey/broken/1", "{}")).status, 500);
  assert.match(told.mock.calls[0].arguments[0], /POST \/survey: disk full/);
  assert.equal((await post("/survey/s1/1", "{}")).status, 201);
});

test("an unknown path is 404, a method that a path does not have 405", async () => {
  const text = await ask("/plaintext");
  assert.equal(await text.text(), "Hello, World!");
  assert.equal((await ask("/health", { method: "HEAD" })).status, 200);
  for (const path of ["/", "/survey", "/survey/s1", "/survey/s1/1/2", "/plaintext/"])
    assert.equal((await ask(path)).status, 404, path);
  for (const [method, path, allow] of [
    ["POST", "/plaintext", "GET, HEAD"],
    ["DELETE", "/survey/s1/1", "POST, PUT"],
    ["PUT", "/surveybatched/s1/1", "POST"],
  ]) {
    const reply = await ask(path, { method });
    assert.equal(reply.status, 405, path);
    assert.equal(reply.headers.get("allow"), allow);
  }
});
