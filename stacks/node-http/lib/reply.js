// Replies: plain objects that handlers return, and how they are sent.

const NO_HEADERS = Object.freeze({});

export function json(value, status = 200) {
  return { status, body: JSON.stringify(value), type: "application/json", headers: NO_HEADERS };
}

export function text(body, type = "text/plain") {
  return { status: 200, body, type, headers: NO_HEADERS };
}

export function empty(status, headers = NO_HEADERS) {
  return { status, body: "", type: undefined, headers };
}

/** For routes whose database, cache or upstream is not configured. */
export const unavailable = () => empty(503);

/** Writes head and body at once; the length is given, so that nothing is chunked. */
export function send(response, { status, body, type, headers }) {
  response.writeHead(status, {
    ...headers,
    ...(type && { "content-type": type }),
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}
