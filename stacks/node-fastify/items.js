// What both databases' reading of items has in common.

/** A whole number from `first` to `last`, each equally likely. */
export function drawInteger(first, last) {
  return first + Math.floor(Math.random() * (last - first + 1));
}

/** An item with its time as answers have it: UTC, to the second. */
export function withTimeAsText(item) {
  return item && { ...item, created_at: `${item.created_at.toISOString().slice(0, 19)}Z` };
}
