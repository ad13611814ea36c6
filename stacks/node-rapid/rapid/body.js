// JSON bodies of requests, bounded.

import { isUtf8 } from "node:buffer";

import { HttpError } from "./http-error.js";

// What is too long is read on to its end, so that the client sees the answer and keeps its connection; up to here.
const MOST_DISCARDED_BYTES = 1_048_576;

const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)\s*(?:;|$)/i;

/**
 * The request's body, parsed; undefined if there is none. Rejects with an HttpError: 400 if it is no JSON, 413 if it is
 * longer than `limitBytes`, 415 if it is of another type or encoded; with another error if the client goes away.
 */
export async function readJson(request, limitBytes) {
  const { headers } = request;
  if (headers["transfer-encoding"] === undefined && !(Number(headers["content-length"]) > 0))
    return undefined;
  if (!JSON_TYPE.test(headers["content-type"] ?? "")) throw new HttpError(415);
  if ((headers["content-encoding"] ?? "identity") !== "identity") throw new HttpError(415);
  const bytes = await read(request, limitBytes);
  if (!isUtf8(bytes)) throw new HttpError(400);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new HttpError(400);
  }
}

function read(request, limitBytes) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    request.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes <= limitBytes) {
        chunks.push(chunk);
      } else if (bytes <= limitBytes + MOST_DISCARDED_BYTES) {
        chunks.length = 0;
      } else {
        request.pause();
        reject(new HttpError(413, { connection: "close" }));
      }
    });
    request.on("end", () => (bytes > limitBytes ? reject(new HttpError(413)) : resolve(joined(chunks))));
    request.on("error", reject);
  });
}

function joined(chunks) {
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}
