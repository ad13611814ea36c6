// One process with one event loop, or a cluster of several, and how they end.

import cluster from "node:cluster";

const SIGNALS = ["SIGTERM", "SIGINT"];
const GIVE_UP_MS = 4000;

/** Runs `serve` in this process, or in `count` workers. `serve` resolves to a function that stops what it began. */
export async function inProcesses(count, serve) {
  if (cluster.isPrimary && count > 1) {
    supervise(count);
    return;
  }
  const stop = await serve();
  onSignal(async () => {
    setTimeout(() => process.exit(1), GIVE_UP_MS).unref();
    await stop();
    process.exit(0);
  });
}

/** Runs workers until a signal comes, or one of them ends by itself. */
function supervise(count) {
  let stopping = false;
  const stop = () => {
    stopping = true;
    Object.values(cluster.workers).forEach((worker) => worker.process.kill("SIGTERM"));
  };
  cluster.on("exit", (worker, code, signal) => {
    if (stopping) return;
    console.error(`worker ${worker.process.pid} ended with ${signal ?? `status ${code}`}`);
    process.exitCode = 1;
    stop();
  });
  for (let i = 0; i < count; i++) cluster.fork();
  onSignal(stop);
}

function onSignal(stop) {
  let stopping = false;
  SIGNALS.forEach((signal) =>
    process.on(signal, () => {
      if (!stopping) stop();
      stopping = true;
    }),
  );
}
