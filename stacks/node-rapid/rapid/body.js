// JSON bodies of requests, bounded.

import { isUtf8 } from "node:buffer";

import { HttpError } from "./http-error.js";

// What is too long is read on to its end, so that the client sees the answer and keeps its connection; up to here.
const MOST_DISCARDED_BYTES = 1_048_576;

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)\s*(?:;|$)/i;

/**
 * Calls `done(error, value)` with the request's body, parsed; undefined if there is none. The error is an HttpError: 400
 * if it is no JSON, or would change what objects inherit, 413 if it is longer than `limitBytes`, 415 if it is of another
 * type or encoded. If the client goes away, `done` is not called.
 */
export function readJson(request, limitBytes, done) {
  const { headers } = request;
  if (headers["transfer-encoding"] === undefined && !(Number(headers["content-length"]) > 0)) {
    done(undefined, undefined);
  } else if (!JSON_TYPE.test(headers["content-type"] ?? "")) {
    done(new HttpError(415));
  } else if ((headers["content-encoding"] ?? "identity") !== "identity") {
    done(new HttpError(415));
  } else {
    process.nextTick(read, request, limitBytes, done);
  }
}

/**
 * A body that came in one piece with its head is here by the next tick and is taken at once: no listeners, and no "end"
 * and "close" of a stream that is done with.
 */
function read(request, limitBytes, done) {
  const length = Number(request.headers["content-length"]);
  if (length <= limitBytes && request.readableLength === length) {
    parse(request.read(), done);
  } else {
    collect(request, limitBytes, done);
  }
}

function collect(request, limitBytes, done) {
  const chunks = [];
  let bytes = 0;
  const take = (chunk) => {
    bytes += chunk.length;
    if (bytes <= limitBytes) {
      chunks.push(chunk);
    } else if (bytes <= limitBytes + MOST_DISCARDED_BYTES) {
      chunks.length = 0;
    } else {
      request.off("data", take).off("end", end).pause();
      done(new HttpError(413, { headers: { connection: "close" } }));
    }
  };
  const end = () => (bytes > limitBytes ? done(new HttpError(413)) : parse(Buffer.concat(chunks), done));
  request.on("data", take).on("end", end);
}

function parse(bytes, done) {
  const text = bytes.toString();
  // Bytes that are no UTF-8 become this character.
  if (text.includes("\ufffd") && !isUtf8(bytes)) return done(new HttpError(400));
  let value;
  try {
    // To look at every key takes several times as long as to parse, and hardly any text can hold one of these.
    value = mayPoison(text) ? JSON.parse(text, refusePoison) : JSON.parse(text);
  } catch {
    return done(new HttpError(400));
  }
  return done(undefined, value);
}

function mayPoison(text) {
  return text.includes("__proto__") || text.includes("constructor") || text.includes("\\u"); // \u005f is an underscore
}

/**
 * What is copied to another object by assignment, key by key, sets that object's prototype by `__proto__`, and what is
 * merged into it in depth changes the prototype of all objects by `constructor.prototype`.
 */
function refusePoison(key, value) {
  if (key === "__proto__") throw new HttpError(400);
  if (
    key === "constructor" &&
    typeof value === "object" &&
    value !== null &&
    Object.hasOwn(value, "prototype")
  )
    throw new HttpError(400);
  return value;
}
