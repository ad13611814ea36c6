import { createServer } from "node:http";

import { createApp } from "./app.js";
import { inProcesses } from "./processes.js";
import { settingsFromEnvironment } from "./settings.js";
import { openStore } from "./store.js";

const IDLE_MS = 65_000;
const DRAIN_MS = 2000;

const settings = settingsFromEnvironment();

await inProcesses(settings.processes, async () => {
  const store = await openStore(settings);
  const server = createServer({ keepAliveTimeout: IDLE_MS }, createApp(store));
  server.listen({ host: settings.host, port: settings.port, backlog: 1024 });
  return async () => {
    setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    await new Promise((closed) => server.close(closed)); // idle connections at once, the others when they are answered
    await store.close();
  };
});
