// Starts the server: one process with one event loop, or a cluster of several.

import cluster from "node:cluster";
import { createServer } from "node:http";

import { createApp } from "./app.js";
import { settingsFromEnvironment } from "./settings.js";
import { openStore } from "./store.js";

const SIGNALS = ["SIGTERM", "SIGINT"];
const DRAIN_MS = 3000;
const IDLE_MS = 65_000;

try {
  main(settingsFromEnvironment());
} catch (error) {
  fail(error);
}

function main(settings) {
  if (cluster.isPrimary && settings.processes > 1) {
    openStore(settings.databaseUrl).close(); // what is wrong is said once, not by each worker
    supervise(settings.processes);
  } else {
    serve(settings);
  }
}

function serve({ host, port, databaseUrl }) {
  const store = openStore(databaseUrl);
  const server = createServer({ keepAliveTimeout: IDLE_MS }, createApp(store));
  server.on("error", fail);
  server.listen({ host, port, backlog: 1024 });

  onSignal(() => {
    // A connection that is in use ends with its next answer.
    server.prependListener("request", (request, response) => response.setHeader("connection", "close"));
    server.close(() => {
      store.close();
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
  console.error(`node-http: ${error.message}`);
  process.exit(1);
}
