// Numbers in paths.

const LARGEST_KEY = 2_147_483_647; // an `integer` column's

/** The number that `text` writes in decimal if it is a whole one from 1 to `largest`, or undefined. */
export function positiveInteger(text, largest = LARGEST_KEY) {
  if (!/^[1-9]\d{0,9}$/.test(text)) return undefined;
  const number = Number(text);
  return number <= largest ? number : undefined;
}
