// Worker threads for what would hold up the event loop.

import { Worker } from "node:worker_threads";

/**
 * Starts `count` threads that run `script` with a copy of `workerData`. Gives a function of a name and an argument:
 * they go to the thread with the fewest that wait, and the promise is of what the thread found.
 *
 * A thread that fails ends the process: nobody handles its event "error".
 */
export function workerPool(script, count, workerData) {
  const threads = Array.from({ length: count }, () => startThread(script, workerData));
  return (name, argument) => {
    const free = threads.reduce((one, other) => (other.waiting.size < one.waiting.size ? other : one));
    return free.run(name, argument);
  };
}

function startThread(script, workerData) {
  const worker = new Worker(script, { workerData });
  const waiting = new Map();
  let last = 0;
  worker.on("message", ({ number, found }) => {
    waiting.get(number)(found);
    waiting.delete(number);
  });
  const run = (name, argument) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      worker.postMessage({ number: last, name, argument });
    });
  return { waiting, run };
}
