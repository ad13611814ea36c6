// Nothing that a handler does, or that is done with what it throws, ends the process: this test's would end, too.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, beforeEach, mock, test } from "node:test";

import { HttpError, answer, createListener } from "../index.js";
import { serve } from "../fixtures/server.js";

const badly = {
  "a header with a line break in an HttpError": ({ parameters }) => {
    throw new HttpError(302, { headers: { location: parameters.to } });
  },
  "a header with a line break in an answer": ({ parameters }) =>
    answer({ status: 201, headers: { location: parameters.to } }),
  "a status that is none": () => {
    throw new HttpError(42);
  },
  "an answer that was spoilt after it was made": ({ parameters }) => {
    const spoilt = answer({ status: 302, headers: { location: "/" } });
    spoilt.headers.location = parameters.to;
    return spoilt;
  },
  "an HttpError that was spoilt": ({ parameters }) => {
    const spoilt = new HttpError(302, { headers: { location: "/" } });
    spoilt.answer.headers.location = parameters.to;
    throw spoilt;
  },
  "a bug": () => {
    throw new TypeError("a bug");
  },
  "nothing thrown": () => {
    throw undefined;
  },
  "a `then` that throws": () => ({
    get then() {
      throw new Error("no promise");
    },
  }),
};

const routes = Object.fromEntries(
  Object.entries(badly).flatMap(([, handle], i) => [
    [`GET /${i}/:to`, handle],
    [`GET /async/${i}/:to`, async (context) => handle(context)],
  ]),
);
let onError;
const { ask, exchange, close } = await serve(
  { ...routes, "GET /twice": () => twice() },
  { onError: (...told) => onError(...told) },
);
after(close);

beforeEach(() => (onError = mock.fn()));

/** Looks like a promise, and settles in every way there is. */
function twice() {
  return {
    then(resolve, reject) {
      resolve("first");
      reject(new Error("second"));
      throw new Error("third");
    },
  };
}

Object.keys(badly).forEach((what, i) => {
  for (const path of [`/${i}/a%0ab`, `/async/${i}/a%0ab`]) {
    test(`${what} is 500 and reported once (${path})`, async () => {
      const reply = await exchange(`GET ${path} HTTP/1.1`);
      assert.match(reply, /^HTTP\/1.1 500 Internal Server Error\r\n/);
      assert.doesNotMatch(reply, /location/i);
      assert.equal(onError.mock.callCount(), 1);
    });
  }
});

test("a thenable that settles twice is answered as it did first", async () => {
  assert.equal(await (await ask("/twice")).text(), "first");
  assert.equal(onError.mock.callCount(), 0);
});

for (const [how, failing] of [
  ["throws", () => assert.fail("in onError")],
  ["rejects", async () => assert.fail("in onError")],
]) {
  test(`an onError that ${how} changes no answer, and is told to standard error`, async (t) => {
    const told = t.mock.method(console, "error", () => {});
    onError = failing;
    assert.equal((await ask("/5/x")).status, 500);
    assert.equal((await ask("/async/5/x")).status, 500);
    assert.deepEqual(
      told.mock.calls.map(({ arguments: [error] }) => error.message),
      ["in onError", "in onError"],
    );
  });
}

test("a response that somebody else has begun is ended, and reported", async () => {
  const onError = mock.fn();
  let release;
  const listener = createListener({ "GET /": () => new Promise((end) => (release = end)) }, { onError });
  const server = createServer((request, response) => {
    listener(request, response);
    response.writeHead(503, { "content-length": "10" });
    response.write("late");
    release("on time");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const reply = await fetch(`http://127.0.0.1:${server.address().port}/`);
  assert.equal(reply.status, 503);
  await assert.rejects(reply.text());
  assert.equal(onError.mock.calls[0].arguments[0].code, "ERR_HTTP_HEADERS_SENT");
  server.close();
});
