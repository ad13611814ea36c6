// Routes that nothing was compiled of: each request tries one after the other, segment by segment.

import { HttpError, createListener } from "fairtrial-rapid";

const ROUTE = /^([A-Z]+) (\/\S*)$/;
const PARAMETER = /^:([A-Za-z_]\w*)(?:\((\w+)\))?$/;
const MATCHED = Symbol("what a request's path was matched to");

/**
 * As `createListener` of rapid, and with it: the same reading of bodies, the same answers and errors. Only the path is
 * matched here; what the listener gets to see of it is a fixed path of the pattern's own.
 */
export function createRouteByRouteListener(routes, { types = {}, ...options } = {}) {
  const parsed = Object.entries(routes).map(([route, handle]) => [...ROUTE.exec(route).slice(1), handle]);
  const patterns = [...new Set(parsed.map(([, pattern]) => pattern))];
  const table = patterns.map((pattern) => pattern.split("/").map(segmentOf));
  const listener = createListener(
    Object.fromEntries(
      parsed.map(([method, pattern, handle]) => [
        `${method} /${patterns.indexOf(pattern)}`,
        (context) => {
          context.parameters = parametersOf(context.request, types);
          return handle(context);
        },
      ]),
    ),
    options,
  );

  return (request, response) => {
    const { url } = request;
    const query = url.indexOf("?");
    const path = query === -1 ? url : url.slice(0, query);
    const texts = path.split("/");
    const place = table.findIndex((segments) => fits(segments, texts));
    request[MATCHED] = { url, texts, segments: table[place] };
    request.url = `/${place}${query === -1 ? "" : url.slice(query)}`; // "/-1", which no route has, if none fits
    return listener(request, response);
  };
}

/** A segment of a pattern: `{text}`, or `{name, type}` of a parameter. */
function segmentOf(text) {
  const parameter = PARAMETER.exec(text);
  return parameter === null ? { text } : { name: parameter[1], type: parameter[2] };
}

function fits(segments, texts) {
  return (
    segments.length === texts.length &&
    segments.every(({ text }, i) => (text === undefined ? texts[i] !== "" : texts[i] === text))
  );
}

/** The values of a request's parameters; throws 400 if one is not of its type. Its URL is again what the client sent. */
function parametersOf(request, types) {
  const { url, texts, segments } = request[MATCHED];
  request.url = url;
  const parameters = {};
  segments.forEach(({ name, type }, i) => {
    if (name !== undefined) parameters[name] = valueOf(types[type], texts[i]);
  });
  return parameters;
}

function valueOf(read, text) {
  const value = read === undefined ? decoded(text) : read(decoded(text));
  if (value === undefined) throw new HttpError(400);
  return value;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(400);
  }
}
