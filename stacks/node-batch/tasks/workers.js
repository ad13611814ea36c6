// Tasks that are worker threads, each with an event loop and a heap of its own.

import { MessageChannel, Worker } from "node:worker_threads";

const WORKER = new URL("./worker.js", import.meta.url);

export async function create(count, gathering) {
  const workers = Array.from({ length: count }, () => new Worker(WORKER, { workerData: {} }));
  for (const worker of workers) worker.once("message", () => gathering.arrive());
  await gathering.line();
  await end(workers);
}

/** Hands a token round a ring of workers, by a channel from each to the next. */
export async function goRound(count, switches, gathering) {
  const channels = Array.from({ length: count }, () => new MessageChannel());
  const workers = channels.map(({ port1: inbox }, number) => {
    const { port2: successor } = channels[(number + 1) % count];
    return new Worker(WORKER, { workerData: { number, inbox, successor }, transferList: [inbox, successor] });
  });
  const last = new Promise((resolve) => {
    for (const worker of workers) {
      worker.once("message", () => {
        gathering.arrive();
        worker.once("message", resolve);
      });
    }
  });
  workers[0].postMessage({ token: await gathering.token(), left: switches });
  await gathering.giveBack(await last);
  await end(workers);
}

async function end(workers) {
  await Promise.all(workers.map((worker) => worker.terminate()));
}
