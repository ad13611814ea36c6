// Starts the server: one process with one event loop, or a cluster of several.

import cluster from "node:cluster";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import { createApp } from "./app.js";
import { reasonOf } from "./lib/log.js";
import { openServices } from "./services.js";
import { settingsFromEnvironment } from "./settings.js";

const SIGNALS = ["SIGTERM", "SIGINT"];
const DRAIN_MS = 3000;
const CLOSE_MS = 1000;
const IDLE_MS = 65_000;

try {
  await main(settingsFromEnvironment());
} catch (error) {
  fail(error);
}

async function main(settings) {
  if (cluster.isPrimary && settings.processes > 1) {
    const services = await openServices(settings); // what is wrong is said once, not by each worker
    await services.close();
    supervise(settings.processes);
  } else {
    serve(settings, await openServices(settings));
  }
}

function serve(settings, services) {
  const app = createApp(services, settings);
  const server = createServer({ keepAliveTimeout: IDLE_MS }, app.listener);
  server.on("error", fail);
  server.listen({ host: settings.host, port: settings.port, backlog: 1024 });

  onSignal(() => {
    app.stop();
    server.close(async () => {
      // A query of a client that is gone may still run: it is not waited for.
      await Promise.race([services.close(), delay(CLOSE_MS)]).catch(() => {});
      process.exit(0);
    });
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
  });
}

/** Runs workers until a signal comes, or one of them ends by itself. */
function supervise(processes) {
  let stopping = false;
  const stop = () => {
    stopping = true;
    Object.values(cluster.workers).forEach((worker) => worker.process.kill("SIGTERM"));
  };

  cluster.on("exit", (worker, code, signal) => {
    if (!stopping) {
      console.error(`node-http: worker ${worker.process.pid} ended with ${signal ?? `status ${code}`}`);
      process.exitCode = 1;
      stop();
    }
  });
  for (let i = 0; i < processes; i++) cluster.fork();
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

function fail(error) {
  console.error(`node-http: ${reasonOf(error)}`);
  process.exit(1);
}
