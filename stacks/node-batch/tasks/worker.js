// A worker: says that it is there, and hands on every token that it gets until it is ended.

import { parentPort, workerData } from "node:worker_threads";

import { step } from "./token.js";

const { number, inbox, successor } = workerData;

function handOn({ token, left }) {
  const next = step(token, number);
  if (left === 1) parentPort.postMessage(next);
  else successor.postMessage({ token: next, left: left - 1 });
}

inbox?.on("message", handOn);
parentPort.on("message", handOn); // the first token comes from outside the ring
parentPort.postMessage("here");
