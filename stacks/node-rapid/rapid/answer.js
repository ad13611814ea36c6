// Answers: what a handler gives, and how it is written.

import { STATUS_CODES, validateHeaderName, validateHeaderValue } from "node:http";

const TEXT = "text/plain; charset=utf-8";
const BYTES = "application/octet-stream";
const JSON_TYPE = "application/json";

const WITHOUT_CONTENT = new Set([204, 205, 304]); // RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5
const WITHOUT_LENGTH = new Set([204, 304]); // RFC 9110, section 8.6
const WRITTEN_BY_RAPID = new Set(["content-length", "transfer-encoding"]);

const NO_HEADERS = Object.freeze({});
const LENGTH_ZERO = Object.freeze({ "content-length": "0" });

/** A status, the headers with their values, and a string, bytes or nothing; made by `answer()`. */
class Answer {
  constructor(status, headers, payload) {
    this.status = status;
    this.headers = headers;
    this.payload = payload;
  }
}

/**
 * An answer of this status (200, or 204 without a body), with these headers and this body: a string is text, a
 * Uint8Array bytes, all else JSON; a `content-type` among the headers says otherwise.
 *
 * All of it is checked and written here, so that a mistake is thrown where it was made, and so that an answer which is
 * made once costs nothing each time it is given. Throws a RangeError for a status that is none, and a TypeError for a
 * header or a body that cannot be sent.
 */
export function answer({ body, status = body === undefined ? 204 : 200, headers } = {}) {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new RangeError(`the status of an answer is a whole number from 200 to 599, not ${String(status)}`);
  const own = headers === undefined ? NO_HEADERS : checked(headers);
  if (body === undefined) {
    if (WITHOUT_LENGTH.has(status)) return new Answer(status, own, undefined);
    return new Answer(status, headers === undefined ? LENGTH_ZERO : { ...own, ...LENGTH_ZERO }, undefined);
  }
  if (WITHOUT_CONTENT.has(status)) throw new TypeError(`an answer of status ${status} has no body`);
  const payload = payloadOf(body);
  return new Answer(
    status,
    { "content-type": typeOf(body), ...own, "content-length": Buffer.byteLength(payload) },
    payload,
  );
}

/** Writes what a handler gave. Throws for what cannot be written, and then nothing has been. */
export function send(response, value) {
  if (value instanceof Answer) {
    response.writeHead(value.status, value.headers);
    response.end(value.payload);
  } else if (value === undefined) {
    response.writeHead(204, NO_HEADERS);
    response.end();
  } else {
    const payload = payloadOf(value);
    // The length is given, so that nothing is chunked.
    response.writeHead(200, { "content-type": typeOf(value), "content-length": Buffer.byteLength(payload) });
    response.end(payload);
  }
}

/** The last resort: 500 if nothing was written yet, the end of the connection if something was. Never throws. */
export function sendFailure(response) {
  try {
    // The reason phrase is given: of an answer that failed, Node.js would keep its own.
    response.writeHead(500, STATUS_CODES[500], LENGTH_ZERO);
    response.end();
  } catch {
    response.destroy();
  }
}

function typeOf(body) {
  if (typeof body === "string") return TEXT;
  return body instanceof Uint8Array ? BYTES : JSON_TYPE;
}

function payloadOf(body) {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  const text = JSON.stringify(body);
  if (text === undefined) throw new TypeError(`a ${typeof body} cannot be written as JSON`);
  return text;
}

/** By lower-case name, so that one of the handler's replaces one of ours, however it is written. */
function checked(headers) {
  const own = {};
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    validateHeaderName(name);
    if (WRITTEN_BY_RAPID.has(name)) throw new TypeError(`the header ${name} follows from the body`);
    for (const one of Array.isArray(value) ? value : [value]) validateHeaderValue(name, one);
    own[name] = value;
  }
  return own;
}
