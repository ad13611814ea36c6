// The body of a request, at once if it is here already.

import { isUtf8 } from "node:buffer";

const LARGEST_BYTES = 65_536;
// What is too long is read on to its end, so that the client sees the answer and keeps its connection; up to here.
const MOST_READ_BYTES = 1_048_576;

/**
 * Calls `done(status, object)`: the JSON object that is the body, or the status to refuse it with, 400 or 413. If the
 * client goes away, `done` is not called. If the request is not complete after a refusal, its connection has to be closed.
 */
export function readJsonObject(request, done) {
  // By the next tick Node.js has parsed all that it read from the socket. A body that came with its head is then complete:
  // to take it is cheaper than to listen for the events of a stream.
  process.nextTick(take, request, done);
}

function take(request, done) {
  if (request.complete) parse(request.read(), done);
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
      done(413);
    }
  };
  const end = () => (bytes > LARGEST_BYTES ? done(413) : parse(Buffer.concat(chunks), done));
  request.on("data", add).on("end", end);
}

/** `bytes`: null if there are none. */
function parse(bytes, done) {
  if (bytes === null) return done(400);
  if (bytes.length > LARGEST_BYTES) return done(413);
  const text = bytes.toString();
  // Bytes that are no UTF-8 become this character.
  if (text.includes("\ufffd") && !isUtf8(bytes)) return done(400);
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return done(400);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return done(400);
  return done(undefined, value);
}
