import assert from "node:assert/strict";
import { after, test } from "node:test";

import { HttpError, answer } from "../index.js";
import { serve } from "../fixtures/server.js";

const CREATED = answer({ status: 201 });

const { seen, ask, exchange, close } = await serve({
  "GET /text": () => "größer",
  "GET /json": async () => ({ a: [1, null] }),
  "GET /nothing": () => undefined,
  "GET /empty": () => "",
  "GET /bytes": () => Buffer.from([0, 255, 10]),
  "GET /view": async () => new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
  "GET /number": () => 42,
  "GET /not-a-status": async () => 404,
  "GET /zero": () => 0,
  "GET /false": () => false,
  "GET /null": () => null,
  "GET /endless": () => {
    const value = {};
    return Object.assign(value, { value });
  },
  "GET /function": () => () => {},
  "POST /created": async () => CREATED,
  "POST /items": () => answer({ status: 201, headers: { Location: "/items/7" }, body: { id: 7 } }),
  "GET /html": () => answer({ headers: { "Content-Type": "text/html; charset=utf-8" }, body: "<p>ä" }),
  "GET /cookies": () => answer({ headers: { "set-cookie": ["a=1", "b=2"] } }),
  "GET /no-content": () => answer({ status: 204, headers: { "x-why": "none" } }),
  "GET /not-modified": () => answer({ status: 304, headers: { etag: '"1"' } }),
  "GET /reset": () => answer({ status: 205 }),
  "GET /gone": () => {
    throw new HttpError(410, { headers: { "x-why": "old" }, body: { error: "gone" } });
  },
  "GET /elsewhere": async () => {
    throw new HttpError(302, { headers: { location: "/text" } });
  },
});
after(close);

test("a string is text, with its length in bytes", async () => {
  const reply = await ask("/text");
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(reply.headers.get("content-length"), "8");
  assert.equal(await reply.text(), "größer");
  const empty = await ask("/empty");
  assert.equal(empty.status, 200);
  assert.equal(empty.headers.get("content-length"), "0");
});

test("bytes are bytes, and no more of them than the view shows", async () => {
  const reply = await ask("/bytes");
  assert.equal(reply.headers.get("content-type"), "application/octet-stream");
  assert.deepEqual([...new Uint8Array(await reply.arrayBuffer())], [0, 255, 10]);
  assert.deepEqual([...new Uint8Array(await (await ask("/view")).arrayBuffer())], [2, 3]);
});

test("all else is JSON, numbers included: none is a status", async () => {
  for (const [path, value] of [
    ["/json", { a: [1, null] }],
    ["/number", 42],
    ["/not-a-status", 404],
    ["/zero", 0],
    ["/false", false],
    ["/null", null],
  ]) {
    const reply = await ask(path);
    assert.equal(reply.status, 200, path);
    assert.equal(reply.headers.get("content-type"), "application/json", path);
    assert.deepEqual(await reply.json(), value, path);
  }
});

test("what cannot be written as JSON is 500 and reported", async () => {
  seen.length = 0;
  assert.equal((await ask("/endless")).status, 500);
  assert.equal((await ask("/function")).status, 500);
  assert.deepEqual(
    seen.map(({ name }) => name),
    ["TypeError", "TypeError"],
  );
});

test("an answer has a status, headers and a body", async () => {
  const reply = await ask("/items", { method: "POST" });
  assert.equal(reply.status, 201);
  assert.equal(reply.headers.get("location"), "/items/7");
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.deepEqual(await reply.json(), { id: 7 });
});

test("an answer that was made once is given as often as one likes", async () => {
  for (let times = 0; times < 3; times++) {
    const reply = await ask("/created", { method: "POST" });
    assert.equal(reply.status, 201);
    assert.equal(reply.headers.get("content-length"), "0");
  }
});

test("a type of the handler's replaces ours, however it is written", async () => {
  const html = await exchange("GET /html HTTP/1.1");
  assert.deepEqual(html.match(/^content-type: .*$/gim), ["content-type: text/html; charset=utf-8"]);
  assert.match(html, /content-length: 5\r\n/);
});

test("a header may have several values", async () => {
  assert.deepEqual((await ask("/cookies")).headers.getSetCookie(), ["a=1", "b=2"]);
});

test("204 and 304 have no length, whichever way they are said; 205 has one of 0", async () => {
  for (const [path, status] of [
    ["/nothing", 204],
    ["/no-content", 204],
    ["/not-modified", 304],
  ]) {
    const reply = await ask(path);
    assert.equal(reply.status, status, path);
    assert.equal(reply.headers.get("content-length"), null, path);
  }
  const reset = await exchange("GET /reset HTTP/1.1");
  assert.match(reset, /^HTTP\/1.1 205 /);
  assert.match(reset, /content-length: 0\r\n/);
});

test("an HttpError is answered with its status, headers and body, and not reported", async () => {
  seen.length = 0;
  const gone = await ask("/gone");
  assert.equal(gone.status, 410);
  assert.equal(gone.headers.get("x-why"), "old");
  assert.deepEqual(await gone.json(), { error: "gone" });
  const elsewhere = await ask("/elsewhere", { redirect: "manual" });
  assert.equal(elsewhere.headers.get("location"), "/text");
  assert.deepEqual(seen, []);
});

test("what caused an HttpError is kept for whoever logs it", () => {
  const cause = new Error("the upstream");
  assert.equal(new HttpError(502, { cause }).cause, cause);
  assert.equal(new HttpError(502).name, "HttpError");
  assert.equal("cause" in new HttpError(502), false);
});

for (const status of [42, 0, 199, 600, 200.5, NaN, "200", null, 1n]) {
  test(`${typeof status} ${status} is no status`, () => {
    assert.throws(() => answer({ status }), RangeError);
    assert.throws(() => new HttpError(status), RangeError);
  });
}

for (const [why, options] of [
  ["a line break in a value", { headers: { location: "/a\nb" } }],
  ["a line break in one of several values", { headers: { "set-cookie": ["a=1", "b=2\r\nx: y"] } }],
  ["a name that is none", { headers: { "x y": "1" } }],
  ["no value", { headers: { "x-y": undefined } }],
  ["a length of its own", { headers: { "Content-Length": "7" } }],
  ["a coding of its own", { headers: { "transfer-encoding": "chunked" } }],
  ["content that 204 cannot have", { status: 204, body: "x" }],
  ["content that 205 cannot have", { status: 205, body: "x" }],
  ["content that 304 cannot have", { status: 304, body: {} }],
  ["a body that is no JSON", { body: () => {} }],
]) {
  test(`an answer is refused where it is made: ${why}`, () => {
    assert.throws(() => answer(options), TypeError);
    assert.throws(() => new HttpError(options.status ?? 400, options), TypeError);
  });
}
