import assert from "node:assert/strict";
import { test } from "node:test";

import { HttpError } from "../http-error.js";
import { compileRoutes } from "../routes.js";

const handle = () => {};

/** By method, the parameters of a path; HEAD, which is GET once more, left out. */
function found(routes, path, types) {
  const match = compileRoutes(routes, types).find(path);
  return (
    match &&
    Object.fromEntries(
      [...match.methods]
        .filter(([method]) => method !== "HEAD")
        .map(([method, route]) => [method, route.parametersOf(match.values)]),
    )
  );
}

test("a fixed path is found, and no other", () => {
  const { find } = compileRoutes({ "GET /": handle, "GET /health": handle });
  assert.ok(find("/"));
  assert.ok(find("/health"));
  for (const path of ["", "/health/", "/healthy", "//health", "/HEALTH", "*"])
    assert.equal(find(path), undefined, path);
});

test("parameters are read by name, however many routes come before theirs", () => {
  const routes = {
    "GET /a/:x": handle,
    "GET /b/:x/c/:y": handle,
    "GET /b/:x/d/:y/:z": handle,
    "GET /e/:last": handle,
  };
  assert.deepEqual(found(routes, "/a/1"), { GET: { x: "1" } });
  assert.deepEqual(found(routes, "/b/1/c/2"), { GET: { x: "1", y: "2" } });
  assert.deepEqual(found(routes, "/b/1/d/2/3"), { GET: { x: "1", y: "2", z: "3" } });
  assert.deepEqual(found(routes, "/e/9"), { GET: { last: "9" } });
  assert.equal(found(routes, "/b/1/c/"), undefined);
  assert.equal(found(routes, "/b//c/2"), undefined);
});

test("a whole number is a number; what is none is 400", () => {
  const routes = { "GET /items/:id(int)": handle };
  assert.deepEqual(found(routes, "/items/42"), { GET: { id: 42 } });
  assert.deepEqual(found(routes, "/items/-1"), { GET: { id: -1 } });
  for (const text of ["x", "1.5", "007", "-0", "1e3", "9007199254740993", "%31x"]) {
    assert.throws(() => found(routes, `/items/${text}`), { status: 400 }, text);
  }
});

test("a stack brings its own types", () => {
  const types = { colour: (text) => (text === "red" ? 0xff0000 : undefined) };
  assert.deepEqual(found({ "GET /:c(colour)": handle }, "/red", types), { GET: { c: 0xff0000 } });
  assert.throws(() => found({ "GET /:c(colour)": handle }, "/7", types), HttpError);
});

test("escapes are decoded once, and separate nothing; a malformed one is 400", () => {
  for (const [path, x] of [
    ["/a%20b%2Fc", "a b/c"],
    ["/%2f", "/"],
    ["/100%25", "100%"],
    ["/%252F", "%2F"],
    ["/%0A", "\n"],
    ["/gr%C3%B6%c3%9fe", "größe"],
    ["/%2e%2E", ".."],
  ]) {
    assert.deepEqual(found({ "GET /:x": handle }, path), { GET: { x } }, path);
  }
  for (const path of ["/%E0%A4", "/%", "/%zz", "/%FF", "/a/%1"])
    assert.throws(() => found({ "GET /:x": handle }, path), { status: 400 }, path);
});

test("a path is the same with its escapes decoded, on both sides", () => {
  const routes = { "GET /health": handle, "GET /größe/:x": handle, "GET /a%20b": handle, "GET /:x": handle };
  assert.deepEqual(found(routes, "/%68ealth"), { GET: {} });
  assert.deepEqual(found(routes, "/gr%C3%B6%C3%9Fe/1"), { GET: { x: "1" } });
  assert.deepEqual(found(routes, "/a%20b"), { GET: {} });
  assert.deepEqual(found(routes, "/%61%20%62"), { GET: {} });
  assert.deepEqual(found(routes, "/health%2F"), { GET: { x: "health/" } });
});

test("an escaped colon is literal", () => {
  const routes = { "GET /%3Ax/:y": handle, "GET /:x/b": handle };
  assert.deepEqual(found(routes, "/:x/1"), { GET: { y: "1" } });
  assert.deepEqual(found(routes, "/1/b"), { GET: { x: "1" } });
  assert.equal(found({ "GET /%3A": handle }, "/x"), undefined);
});

test("the literal shape has a path before one with a parameter, in whatever order they are written", () => {
  const routes = { "GET /:x/b": handle, "GET /:x/:y": handle, "GET /a/:z": handle, "GET /a/b": handle };
  assert.deepEqual(found(routes, "/a/b"), { GET: {} });
  assert.deepEqual(found(routes, "/a/c"), { GET: { z: "c" } });
  assert.deepEqual(found(routes, "/c/b"), { GET: { x: "c" } });
  assert.deepEqual(found(routes, "/c/d"), { GET: { x: "c", y: "d" } });
});

test("the methods of one shape are together, each with its own names and types", () => {
  const routes = { "GET /items/:id(int)": handle, "PUT /items/:name": handle };
  assert.deepEqual(found(routes, "/items/5"), { GET: { id: 5 }, PUT: { name: "5" } });
});

test("the route for GET has HEAD, too", () => {
  const { find, allow } = compileRoutes({ "GET /a": handle, "POST /b/:x": handle, "OPTIONS /b/:x": handle });
  assert.equal(find("/a").methods.get("HEAD"), find("/a").methods.get("GET"));
  assert.equal(find("/a").allow, "GET, HEAD, OPTIONS");
  assert.equal(find("/b/1").methods.get("HEAD"), undefined);
  assert.equal(find("/b/1").allow, "POST, OPTIONS");
  assert.equal(allow, "GET, HEAD, POST, OPTIONS");
});

test("characters that mean something to a regular expression stand for themselves", () => {
  assert.deepEqual(found({ "GET /a.b+(c)/:x": handle }, "/a.b+(c)/1"), { GET: { x: "1" } });
  assert.equal(found({ "GET /a.b/:x": handle }, "/aXb/1"), undefined);
});

test("a parameter named as a property of every object is one like any other", () => {
  assert.deepEqual(found({ "GET /:constructor": handle }, "/x"), { GET: { constructor: "x" } });
});

for (const [route, why] of [
  ["/items", /METHOD/],
  ["GET items", /METHOD/],
  ["GTE /items", /does not know/],
  ["CONNECT /items", /never be called/],
  ["HEAD /items", /never be called/],
  ["GET /:1", /malformed/],
  ["GET /:a(int", /malformed/],
  ["GET /a%zz", /malformed escape/],
  ["GET /:a(toString)", /a type that there is not/],
  ["GET /:__proto__", /prototype/],
  ["GET /:a/b/:a(int)", /of one name/],
]) {
  test(`"${route}" is refused when it is compiled`, () => {
    assert.throws(() => compileRoutes({ [route]: handle }), why);
  });
}

test("two routes of one method and shape are refused, and HEAD beside GET", () => {
  assert.throws(() => compileRoutes({ "GET /:a": handle, "GET /:b(int)": handle }), /another/);
  assert.throws(() => compileRoutes({ "GET /a": handle, "GET /%61": handle }), /another/);
  assert.throws(
    () => compileRoutes({ "GET /h": handle, "HEAD /h": handle }),
    /answered by the route for GET/,
  );
});

test("a route without a function is refused", () => {
  assert.throws(() => compileRoutes({ "GET /a": "ok" }), /no function/);
});
