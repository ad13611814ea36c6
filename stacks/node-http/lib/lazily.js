// What is read once, when it is first needed.

/** A function that gives what `read` gave; whoever asks meanwhile waits for the same. After an error it is read again. */
export function lazily(read) {
  let value;
  return () =>
    (value ??= Promise.resolve()
      .then(read)
      .catch((error) => {
        value = undefined;
        throw error;
      }));
}
