// Routes, compiled once: fixed paths into one look-up, all others into one regular expression.

import { METHODS } from "node:http";

import { HttpError } from "./http-error.js";
import { canonical } from "./target.js";

const ROUTE = /^([A-Z-]+) (\/\S*)$/;
const PARAMETER = /^:([A-Za-z_]\w*)(?:\((\w+)\))?$/;

const TYPES = {
  text: (text) => text,
  int: (text) =>
    /^(0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined,
};

/** Methods that no route can have, and why. */
const UNSERVED = new Map([
  ["HEAD", "would never be called: HEAD is answered by the route for GET"],
  ["CONNECT", "would never be called: node:http gives CONNECT to another event"],
]);
/** Methods whose requests have a body that means nothing (RFC 9110, section 9.3): it is not read. */
const WITHOUT_BODY = new Set(["GET", "OPTIONS", "TRACE"]);

const NO_VALUES = Object.freeze([]);
const NO_PARAMETERS = Object.freeze({});

/**
 * `routes`: {"METHOD /pattern": handle}, with patterns such as "/items/:id(int)". `types`: {name: read} beside `text`
 * and `int`; `read` gives a parameter's value, or undefined if the text is none.
 *
 * Gives `find`, a function from a path to `{methods, allow, values}`, or to undefined if no route has this path, and
 * `allow`, the methods of all routes. `methods` maps a method to its `{handle, readsBody, parametersOf(values)}`;
 * `allow` is the header of this name. `find` throws 400 if an escape is malformed.
 *
 * Throws an Error for a route that cannot be understood, or that would never be called.
 */
export function compileRoutes(routes, types = {}) {
  const read = { ...TYPES, ...types };
  const resources = new Map(); // by shape: the literal segments of the pattern, null for its parameters

  for (const [route, handle] of Object.entries(routes)) {
    const [, method, pattern] = ROUTE.exec(route) ?? refuse(route, "is not written METHOD /pattern");
    if (UNSERVED.has(method)) refuse(route, UNSERVED.get(method));
    if (!METHODS.includes(method)) refuse(route, "has a method that node:http does not know");
    if (typeof handle !== "function") refuse(route, "has no function that handles it");
    const segments = pattern.slice(1).split("/");
    const shape = segments.map((segment) => (segment.startsWith(":") ? null : literal(route, segment)));
    const key = JSON.stringify(shape);
    if (!resources.has(key)) resources.set(key, { shape, methods: new Map() });
    const { methods } = resources.get(key);
    if (methods.has(method)) refuse(route, "has the same method and shape as another");
    const compiled = {
      handle,
      readsBody: !WITHOUT_BODY.has(method),
      parametersOf: parameterReader(route, segments, read),
    };
    methods.set(method, compiled);
    if (method === "GET") methods.set("HEAD", compiled);
  }

  const all = [...resources.values()].map(({ shape, methods }) => ({
    shape,
    found: { methods, allow: allowed(methods.keys()), values: NO_VALUES },
  }));
  const fixed = new Map(
    all
      .filter(({ shape }) => !shape.includes(null))
      .map(({ shape, found }) => [`/${shape.join("/")}`, found]),
  );
  const match = matcher(all.filter(({ shape }) => shape.includes(null)).sort(literalFirst));

  return {
    find(path) {
      // A path without escapes, which is nearly every one, is in its canonical form.
      const plain = path.includes("%") ? canonical(path) : path;
      return fixed.get(plain) ?? match(plain);
    },
    allow: allowed(all.flatMap(({ found }) => [...found.methods.keys()])),
  };
}

/** OPTIONS is answered for every path, by a route or without one. */
function allowed(methods) {
  return [...new Set([...methods, "OPTIONS"])].join(", ");
}

/** Where two shapes match the same path, the one that is literal in the earlier segment has it. */
function literalFirst(one, other) {
  const rank = ({ shape }) => shape.map((segment) => (segment === null ? "1" : "0")).join("");
  return rank(one) < rank(other) ? -1 : Number(rank(one) > rank(other));
}

/**
 * One alternative a resource, each closed by an empty group: the first empty group that took part tells which
 * alternative matched, and the groups before it are its parameters, none of which is ever empty.
 */
function matcher(resources) {
  const ends = [];
  let groups = 0;
  const alternatives = resources.map(({ shape, found: { methods, allow } }) => {
    const count = shape.filter((segment) => segment === null).length;
    ends[groups + count + 1] = { methods, allow, first: groups + 1 };
    groups += count + 1;
    return `${shape.map((segment) => (segment === null ? "/([^/]+)" : `/${escapeExpression(segment)}`)).join("")}()`;
  });
  const expression = new RegExp(alternatives.length > 0 ? `^(?:${alternatives.join("|")})$` : "(?!)");

  return (path) => {
    const found = expression.exec(path);
    if (found === null) return undefined;
    const end = found.indexOf("", 1);
    const { methods, allow, first } = ends[end];
    return { methods, allow, values: found.slice(first, end) };
  };
}

/** From the texts of a path's parameters to their values; throws 400 if one is not of its type. */
function parameterReader(route, segments, types) {
  const parameters = segments
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => {
      const [, name, type = "text"] = PARAMETER.exec(segment) ?? refuse(route, `has a malformed ${segment}`);
      if (name === "__proto__") refuse(route, "has a parameter that would be the prototype of the others");
      if (!Object.hasOwn(types, type)) refuse(route, `names a type that there is not: ${type}`);
      return { name, read: types[type] };
    });
  if (new Set(parameters.map(({ name }) => name)).size < parameters.length)
    refuse(route, "has two parameters of one name");
  if (parameters.length === 0) return () => NO_PARAMETERS;
  return (values) => {
    const read = {};
    for (let i = 0; i < parameters.length; i++) read[parameters[i].name] = valueOf(parameters[i], values[i]);
    return read;
  };
}

function valueOf({ read }, text) {
  // In a canonical path no escape is malformed.
  const value = read(text.includes("%") ? decodeURIComponent(text) : text);
  if (value === undefined) throw new HttpError(400);
  return value;
}

function literal(route, segment) {
  try {
    return canonical(segment);
  } catch {
    return refuse(route, `has a malformed escape in ${segment}`);
  }
}

function escapeExpression(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function refuse(route, why) {
  throw new Error(`the route "${route}" ${why}`);
}
