// Rows of several requests, written together and acknowledged when they are stored.

/**
 * `write(rows)` resolves when all of them are stored. They are given to it when `count` of them wait, or the first of
 * them has waited for `milliseconds`.
 *
 * Gives `add(row)`, which resolves when this row is stored and rejects if the write that held it failed, and `flush()`,
 * which writes at once what waits and settles likewise. A batch does not wait for the one before it.
 */
export function createWriteBuffer(write, { count, milliseconds }) {
  let batch;

  function flush() {
    if (batch === undefined) return Promise.resolve();
    const { rows, stored, settle, timer } = batch;
    batch = undefined;
    clearTimeout(timer);
    settle(rows);
    return stored;
  }

  function add(row) {
    batch ??= begin(write, () => flush().catch(() => {})); // whoever added a row is told
    const { rows, stored } = batch;
    rows.push(row);
    if (rows.length >= count) flush().catch(() => {});
    return stored;
  }

  function begin(write, later) {
    let settle;
    const stored = new Promise((resolve) => (settle = resolve)).then(write);
    return { rows: [], stored, settle, timer: setTimeout(later, milliseconds) };
  }

  return { add, flush };
}
