import assert from "node:assert/strict";
import { after, test } from "node:test";

import { serve } from "../fixtures/server.js";

const { ask, exchange, close } = await serve({
  "GET /text": () => "größer",
  "GET /nothing": () => undefined,
  "GET /items/:id(int)": ({ parameters }) => parameters.id,
  "PUT /items/:id(int)": () => undefined,
  "GET /items/newest": () => "newest",
  "GET /search": ({ query }) => ({ a: query.getAll("a"), b: query.get("b"), all: query.size }),
  "GET /lazy": (context) => ({ same: context.query === context.query, own: Object.keys(context) }),
  "OPTIONS /own": ({ body }) => `asked, ${body === undefined ? "without" : "with"} a body`,
  "DELETE /items": ({ body }) => body,
  "GET /items": ({ body }) => `${body}`,
});
after(close);

const body = (reply) => reply.slice(reply.indexOf("\r\n\r\n") + 4);

test("HEAD is GET without its body", async () => {
  const [head, get] = [await exchange("HEAD /text HTTP/1.1"), await exchange("GET /text HTTP/1.1")];
  assert.equal(body(get), "größer");
  assert.equal(body(head), "");
  const fields = (reply) => reply.slice(0, reply.indexOf("\r\n\r\n")).replace(/^date: .*$/im, "");
  assert.equal(fields(head), fields(get));
  assert.match(await exchange("HEAD /nothing HTTP/1.1"), /^HTTP\/1.1 204 /);
});

test("a path without the method is 405, with those it has", async () => {
  for (const [method, path, allow] of [
    ["POST", "/text", "GET, HEAD, OPTIONS"],
    ["DELETE", "/items/7", "GET, HEAD, PUT, OPTIONS"],
    ["PUT", "/items/newest", "GET, HEAD, OPTIONS"],
    ["GET", "/own", "OPTIONS"],
  ]) {
    const reply = await ask(path, { method });
    assert.equal(reply.status, 405, path);
    assert.equal(reply.headers.get("allow"), allow, path);
  }
});

test("OPTIONS is answered with the methods of the path, or of the server", async () => {
  const reply = await exchange("OPTIONS /items/7 HTTP/1.1");
  assert.match(reply, /^HTTP\/1.1 204 /);
  assert.match(reply, /\r\nallow: GET, HEAD, PUT, OPTIONS\r\n/i);
  assert.doesNotMatch(reply, /content-length/i);
  assert.match(await exchange("OPTIONS * HTTP/1.1"), /\r\nallow: GET, HEAD, PUT, OPTIONS, DELETE\r\n/i);
  assert.match(await exchange("OPTIONS /unknown HTTP/1.1"), /^HTTP\/1.1 404 /);
  assert.match(await exchange("GET * HTTP/1.1"), /^HTTP\/1.1 40[04] /);
});

test("a route for OPTIONS has its path to itself", async () => {
  assert.equal(await (await ask("/own", { method: "OPTIONS" })).text(), "asked, without a body");
});

test("a target may be absolute", async () => {
  assert.equal(body(await exchange("GET http://example.org/items/7 HTTP/1.1")), "7");
  assert.equal(body(await exchange("GET HTTPS://example.org:8443/items/newest?x=/ HTTP/1.1")), "newest");
  assert.match(body(await exchange("GET http://example.org/search?a=1&a=2 HTTP/1.1")), /"a":\["1","2"\]/);
  assert.match(await exchange("GET http://example.org HTTP/1.1"), /^HTTP\/1.1 404 /);
  assert.match(await exchange("GET http://example.org?a=1 HTTP/1.1"), /^HTTP\/1.1 404 /);
  assert.match(await exchange("GET ftp://example.org/text HTTP/1.1"), /^HTTP\/1.1 400 /);
});

test("a query is no part of the path, and is read when it is asked for", async () => {
  assert.equal(await (await ask("/text?query=ignored")).text(), "größer");
  assert.deepEqual(await (await ask("/search?a=1&b=%C3%A4+x&a=2&__proto__=7")).json(), {
    a: ["1", "2"],
    b: "ä x",
    all: 4,
  });
  assert.deepEqual(await (await ask("/search")).json(), { a: [], b: null, all: 0 });
  assert.deepEqual(await (await ask("/lazy?a")).json(), {
    same: true,
    own: ["parameters", "body", "request"],
  });
});

test("escapes in a path are decoded before it is compared", async () => {
  assert.equal(await (await ask("/%74ext")).text(), "größer");
  assert.equal(await (await ask("/items/%6eewest")).text(), "newest");
  assert.equal((await ask("/items%2Fnewest")).status, 404);
  assert.equal((await ask("/items/%E0%A4")).status, 400);
  assert.equal((await ask("/%")).status, 400);
});

test("a body of DELETE is read; one of GET is not", async () => {
  const init = { method: "DELETE", body: "[1]", headers: { "content-type": "application/json" } };
  assert.deepEqual(await (await ask("/items", init)).json(), [1]);
  assert.equal((await ask("/items", { ...init, headers: { "content-type": "text/plain" } })).status, 415);
  const lines = ["Content-Type: application/json", "Content-Length: 3", "", "[1]"];
  assert.equal(body(await exchange("GET /items HTTP/1.1", ...lines)), "undefined");
});
