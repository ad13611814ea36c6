/** The token that the task of this number makes of the one that it got: integers of 32 bits without a sign. */
export function step(token, number) {
  return (Math.imul(token ^ (token >>> 15), 0x2c1b3c6d) + number) >>> 0;
}
