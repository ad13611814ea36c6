// Requests to standard output where that is asked for, and errors to standard error: the first of a kind at once, then at most one line a second with the number left out.

const EVERY_MS = 1000;
const kinds = new Map();

export function logError(where, error) {
  const now = Date.now();
  const kind = kinds.get(where) ?? { nextAt: 0, leftOut: 0 };
  kinds.set(where, kind);
  if (now < kind.nextAt) {
    kind.leftOut++;
    return;
  }
  const more = kind.leftOut ? ` (and ${kind.leftOut} more since the last line)` : "";
  console.error(`node-http: ${where}: ${reasonOf(error)}${more}`);
  kind.nextAt = now + EVERY_MS;
  kind.leftOut = 0;
}

/** A line on standard output, as access logs have it. */
export function logRequest(request, response) {
  const line = `${request.method} ${JSON.stringify(request.url)} ${response.statusCode}`;
  process.stdout.write(`${new Date().toISOString()} ${request.socket.remoteAddress} ${line}\n`);
}

/** What went wrong, in one line; an AggregateError of several addresses has no message of its own. */
export function reasonOf(error) {
  return error.message || error.errors?.map(reasonOf).join("; ") || error.code || String(error);
}
