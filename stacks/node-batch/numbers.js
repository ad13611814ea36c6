/** The number that a variable of the environment holds. */
export function positiveInteger(name, text = "") {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${name} must be a whole number from 1, not "${text}"`);
  return Number(text);
}
