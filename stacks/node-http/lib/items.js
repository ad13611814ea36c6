// What the databases' reading of items has in common.

import { lazily } from "./lazily.js";

/** A whole number from `first` to `last`, each equally likely. */
export function drawInteger(first, last) {
  return first + Math.floor(Math.random() * (last - first + 1));
}

/**
 * A function that draws an id from all that the table may have. `readBounds` gives `{first, last}` and is called once,
 * when an id is first drawn; the drawing rejects while the table is empty.
 */
export function idDrawer(readBounds) {
  const bounds = lazily(async () => {
    const { first, last } = await readBounds();
    if (first === null) throw new Error("the table items is empty");
    return { first, last };
  });
  return async () => {
    const { first, last } = await bounds();
    return drawInteger(first, last);
  };
}

/** An item of a driver that gives times as dates, with its time as answers have it: UTC, to the second. */
export function withTimeAsText(item) {
  return item && { ...item, created_at: `${item.created_at.toISOString().slice(0, 19)}Z` };
}
