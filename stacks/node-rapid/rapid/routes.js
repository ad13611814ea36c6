// Routes, compiled once: fixed paths into one look-up, all others into one regular expression.

import { HttpError } from "./http-error.js";

const ROUTE = /^([A-Z]+) (\/\S*)$/;
const PARAMETER = /^:([A-Za-z_]\w*)(?:\((\w+)\))?$/;

const TYPES = {
  text: (text) => text,
  int: (text) =>
    /^(0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined,
};

const NO_VALUES = Object.freeze([]);

/**
 * `routes`: {"METHOD /pattern": handle}, with patterns such as "/items/:id(int)". `types`: {name: read} beside `text`
 * and `int`; `read` gives a parameter's value, or undefined if the text is none.
 *
 * Gives a function from a path to `{methods, values}`, or undefined if no route has this path. `methods` maps a method
 * to its `{handle, parametersOf(values)}`.
 *
 * Throws an Error for a route that cannot be understood.
 */
export function compileRoutes(routes, types = {}) {
  const read = { ...TYPES, ...types };
  const resources = new Map(); // by shape: the pattern without the names and types of its parameters

  for (const [route, handle] of Object.entries(routes)) {
    const [, method, pattern] = ROUTE.exec(route) ?? refuse(route, "is not written METHOD /pattern");
    const segments = pattern.slice(1).split("/");
    const shape = segments.map((segment) => (segment.startsWith(":") ? ":" : segment));
    const key = shape.join("/");
    if (!resources.has(key)) resources.set(key, { shape, methods: new Map() });
    const { methods } = resources.get(key);
    if (methods.has(method)) refuse(route, "has the same method and shape as another");
    methods.set(method, { handle, parametersOf: parameterReader(route, segments, read) });
  }

  const all = [...resources.values()];
  const fixed = new Map(
    all
      .filter(({ shape }) => !shape.includes(":"))
      .map(({ shape, methods }) => [`/${shape.join("/")}`, { methods, values: NO_VALUES }]),
  );
  const match = matcher(all.filter(({ shape }) => shape.includes(":")).sort(literalFirst));
  return (path) => fixed.get(path) ?? match(path);
}

/** Where two shapes match the same path, the one that is literal in the earlier segment has it. */
function literalFirst(one, other) {
  const rank = ({ shape }) => shape.map((segment) => (segment === ":" ? "1" : "0")).join("");
  return rank(one) < rank(other) ? -1 : Number(rank(one) > rank(other));
}

/**
 * One alternative a resource, each closed by an empty group: the first empty group that took part tells which
 * alternative matched, and the groups before it are its parameters, none of which is ever empty.
 */
function matcher(resources) {
  const ends = [];
  let groups = 0;
  const alternatives = resources.map(({ shape, methods }) => {
    const count = shape.filter((segment) => segment === ":").length;
    ends[groups + count + 1] = { methods, first: groups + 1 };
    groups += count + 1;
    return `${shape.map((segment) => (segment === ":" ? "/([^/]+)" : `/${escapeExpression(segment)}`)).join("")}()`;
  });
  const expression = new RegExp(alternatives.length > 0 ? `^(?:${alternatives.join("|")})$` : "(?!)");

  return (path) => {
    const found = expression.exec(path);
    if (found === null) return undefined;
    const end = found.indexOf("", 1);
    const { methods, first } = ends[end];
    return { methods, values: found.slice(first, end) };
  };
}

/** From the texts of a path's parameters to their values; throws 400 if one is not of its type. */
function parameterReader(route, segments, types) {
  const parameters = segments
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => {
      const [, name, type = "text"] = PARAMETER.exec(segment) ?? refuse(route, `has a malformed ${segment}`);
      if (!Object.hasOwn(types, type)) refuse(route, `names a type that there is not: ${type}`);
      return { name, read: types[type] };
    });
  return (values) => {
    const read = {};
    parameters.forEach((parameter, i) => (read[parameter.name] = valueOf(parameter, values[i])));
    return read;
  };
}

function valueOf({ read }, text) {
  const value = read(decode(text));
  if (value === undefined) throw new HttpError(400);
  return value;
}

function decode(text) {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(400);
  }
}

function escapeExpression(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function refuse(route, why) {
  throw new Error(`the route "${route}" ${why}`);
}
