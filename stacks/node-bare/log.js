// Errors to standard error: the first of a kind at once, then at most one line a second with the number left out.

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
  console.error(`node-bare: ${where}: ${error.message || error.code}${more}`);
  kind.nextAt = now + EVERY_MS;
  kind.leftOut = 0;
}
