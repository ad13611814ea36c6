// A thread that computes matches: the articles come once, with the thread, and then one match after the other.

import { parentPort, workerData } from "node:worker_threads";

import { MATCHES } from "./matches.js";
import { termVectors } from "./terms.js";

const vectors = termVectors(workerData);

parentPort.on("message", ({ number, name, argument }) => {
  parentPort.postMessage({ number, found: MATCHES[name](vectors, argument) });
});
