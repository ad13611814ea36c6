// The body of a request, at once if it is here already.

import { isUtf8 } from "node:buffer";

const LARGEST_BYTES = 65_536;
// What is too long is read on to its end, so that the client sees the answer and keeps its connection; up to here.
const MOST_READ_BYTES = 1_048_576;

const NO_OBJECT = { status: 400 };
const TOO_LONG = { status: 413 };
const ENDLESS = { status: 413, headers: { connection: "close" } };

/**
 * Calls `done(refusal, object)`: the JSON object that is the body, or the `{status, headers}` to refuse it with. If the
 * client goes away, `done` is not called.
 */
export function readJsonObject(request, done) {
  // By the next tick a body that came in one piece with its head is here. To take it is cheaper than to listen for the
  // events of a stream.
  process.nextTick(take, request, done);
}

function take(request, done) {
  if (request.readableLength === Number(request.headers["content-length"])) parse(request.read(), done);
  else collect(request, done);
}

function collect(request, done) {
  const chunks = [];
  let bytes = 0;
  const add = (chunk) => {
    bytes += chunk.length;
    if (bytes <= LARGEST_BYTES) {
      chunks.push(chunk);
    } else if (bytes > MOST_READ_BYTES) {
      request.off("data", add).off("end", end).pause();
      done(ENDLESS);
    }
  };
  const end = () => (bytes > LARGEST_BYTES ? done(TOO_LONG) : parse(Buffer.concat(chunks), done));
  request.on("data", add).on("end", end);
}

/** `bytes`: null if there are none. */
function parse(bytes, done) {
  if (bytes === null) return done(NO_OBJECT);
  if (bytes.length > LARGEST_BYTES) return done(TOO_LONG);
  const text = bytes.toString();
  // Bytes that are no UTF-8 become this character.
  if (text.includes("\ufffd") && !isUtf8(bytes)) return done(NO_OBJECT);
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return done(NO_OBJECT);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return done(NO_OBJECT);
  return done(undefined, value);
}
